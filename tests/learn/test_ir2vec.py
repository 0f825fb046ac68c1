"""The vocabulary of IR2Vec: what it is learned from, that it is learned, and that the committed one is LLVM's form."""

import json

import numpy as np
import pytest

from harness.base.vocabulary import Level, Split, Target
from harness.freeze import freeze
from harness.learn.ir2vec.transe import Training, mean_rank, train
from harness.learn.ir2vec.triplets import Relation, Triplets, comparisons, entities_of, triplets_of
from harness.learn.ir2vec.vocabulary import sections_of, vocabulary_text
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite, suite_names
from harness.toolchain.native import native_folder

TEXT = """
define i32 @f(ptr %0, i32 %1) {
  %3 = load i32, ptr %0, align 4
  %4 = icmp samesign ult i32 %3, 7
  br i1 %4, label %5, label %8

5:
  %6 = fcmp nnan ninf oeq <2 x double> %a, %b
  %7 = tail call i32 @g(ptr %0)
  ret i32 %7
}
"""


@pytest.fixture(scope="session")
def entities(bench: Bench) -> tuple[str, ...]:
    return entities_of(bench)


def test_predicates_stand_where_their_comparisons_stand(entities: tuple[str, ...]) -> None:
    said = {(entities[one], entities[two], how) for one, two, how in comparisons(TEXT, entities)}
    assert said == {
        ("Load", "ICMP_ult", Relation.NEXT),
        ("ICmp", "ICMP_ult", Relation.PREDICATE),
        ("ICMP_ult", "Variable", Relation.ARGUMENT),
        ("ICMP_ult", "Constant", Relation.ARGUMENT + 1),
        ("ICMP_ult", "Br", Relation.NEXT),
        ("FCmp", "FCMP_oeq", Relation.PREDICATE),
        ("FCMP_oeq", "Variable", Relation.ARGUMENT),
        ("FCMP_oeq", "Variable", Relation.ARGUMENT + 1),
        ("FCMP_oeq", "Call", Relation.NEXT),
    }


def test_a_module_gives_triplets_before_and_after_passes(entities: tuple[str, ...], bench: Bench) -> None:
    (program,) = (one for one in load_suite("polybench").programs if one.id.endswith("/gemm"))
    rows = triplets_of(freeze(program, Target.X86_64, Level.O3, bench), entities, bench)
    said = {(entities[one], entities[two], how) for one, two, how in rows.tolist()}
    assert len(said) == len(rows) > 100
    assert {("Alloca", "PointerTy", Relation.TYPE), ("PHI", "PHI", Relation.NEXT)} <= said
    assert rows[:, 2].max() == Relation.PREDICATE


def test_what_is_learned_is_the_seed_s_and_fits() -> None:
    chance = np.random.default_rng(5)
    rows = np.unique(np.column_stack([chance.integers(0, 9, 60), chance.integers(0, 9, 60), np.arange(60) % 3]), axis=0)
    triplets = Triplets(tuple("abcdefghij"), rows)
    short, long = (train(triplets, Training(dimension=8, epochs=epochs)) for epochs in (1, 300))
    assert np.array_equal(long.entities, train(triplets, Training(dimension=8, epochs=300)).entities)
    assert not np.array_equal(long.entities, train(triplets, Training(dimension=8, epochs=300, seed=1)).entities)
    np.testing.assert_allclose(np.linalg.norm(long.entities, axis=1), [1] * 9 + [0])
    assert 1 <= mean_rank(triplets, long) < mean_rank(triplets, short)


def test_a_vocabulary_leaves_out_what_was_never_seen(entities: tuple[str, ...]) -> None:
    vectors = np.zeros((len(entities), 2))
    vectors[entities.index("Add")] = (0.25, -1 / 3)
    read = json.loads(vocabulary_text({"seed": 3}, entities, vectors))
    assert read == {"Made": {"seed": 3}, "Opcodes": {"Add": [0.25, -0.3333]}, "Types": {}, "Arguments": {}}
    sections = sections_of(entities)
    assert {len(numbers) for numbers in sections.values()} == {68, 12, 30}
    assert sorted(number for numbers in sections.values() for number in numbers) == list(range(len(entities)))


def test_the_committed_vocabulary_knows_programs_of_the_train_splits_alone(entities: tuple[str, ...]) -> None:
    path = native_folder("session") / "ir2vec.json"
    read = json.loads(path.read_text())
    trained = [
        one.id for name in suite_names() for one in load_suite(name).programs if one.benchmark.split is Split.TRAIN
    ]
    assert read.pop("Made")["programs"] == trained
    for section, numbers in sections_of(entities).items():
        lines = read.pop(section)
        assert set(lines) <= {entities[number] for number in numbers}
        assert len(lines) >= 0.5 * len(numbers)
        np.testing.assert_allclose([np.linalg.norm(line) for line in lines.values()], 1, atol=1e-3)
        assert {len(line) for line in lines.values()} == {75}
    assert read == {} and path.stat().st_size < 100_000
