"""What is learnt from, and what is judged on, are apart; and neither is of a test split."""

import pytest

from harness.base.vocabulary import Split, Target
from harness.learn.corpus.corpus import Module as Unit
from harness.learn.inliners.material import material_of
from harness.learn.inliners.modules import Module, programs
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite


def names(modules: object) -> list[str]:
    return [one.name for one in modules]  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def train() -> list[str]:
    return [one.id for one in load_suite("polybench").programs if one.benchmark.split is Split.TRAIN]


def test_a_suite_that_is_both_is_divided(train: list[str], bench: Bench) -> None:
    found = material_of(["polybench"], ["polybench"], None, bench)
    assert sorted([*names(found.train), *names(found.validation)]) == sorted(train)
    assert len(found.validation) == -(-len(train) // 5)


def test_smaller_subsets_are_parts_of_larger_ones(train: list[str], bench: Bench) -> None:
    few, more = (material_of(["polybench"], [], count, bench) for count in (3, 6))
    assert len(few.train) == 3 and len(more.train) == 6 and not few.validation
    assert set(names(few.train)) < set(names(more.train)) < set(train)
    assert few.words() != more.words() == material_of(["polybench"], [], 6, bench).words()


def test_nothing_is_judged_on_that_shares_code_with_what_is_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = {"one/a": "library", "one/b": "b", "two/c": "library", "two/d": "d"}

    def made(*_: object) -> list[Module]:
        return [Module(name, group, bytes, name) for name, group in shared.items()]

    monkeypatch.setattr("harness.learn.inliners.material.programs", made)
    found = material_of(["one"], ["two"], None, None)  # type: ignore[arg-type]
    assert names(found.train) == ["one/a", "one/b"] and names(found.validation) == ["two/d"]


def test_units_are_chosen_by_language_and_what_is_generated_is_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = {"functions": 2, "calls": 1, "instructions": 9, "digest": ""}
    said = [("zlib", "debian", "train", "c"), ("re2", "debian", "train", "c++"), ("lua", "debian", "validation", "c")]
    said += [("csmith", "generated", "generated", "c")] * 10
    names_ = ("source", "origin", "split", "language")
    rows = [{"name": f"{one[0]}/{at}.c"} | dict(zip(names_, one, strict=True)) | facts for at, one in enumerate(said)]

    class Few:
        bitcode = bytes

        def modules(self, split: str, **equal: str) -> list[Unit]:
            wanted = {"split": split, **equal}
            return [Unit(self, row) for row in rows if wanted.items() <= row.items()]  # type: ignore[arg-type]

    monkeypatch.setattr("harness.learn.inliners.material.load", lambda _: Few())

    def parts(*words: str) -> tuple[list[str], list[str]]:
        found = material_of(words, words, None, None)  # type: ignore[arg-type]
        return names(found.train), names(found.validation)

    assert parts("corpus") == (["zlib/0.c", "re2/1.c"], ["lua/2.c"])
    assert parts("corpus-c") == (["zlib/0.c"], ["lua/2.c"])
    assert parts("corpus-c++") == (["re2/1.c"], [])
    assert parts("corpus", "corpus-c") == parts("corpus"), "what both have is there once"
    train, left = parts("generated")
    assert left == ["csmith/3.c", "csmith/8.c"] and len(train) == 8


def test_programs_of_several_suites_are_there_once(bench: Bench) -> None:
    found = programs(["cbench", "mibench"], Split.TRAIN, Target.X86_64, bench)
    assert len({one.digest for one in found}) == len(found)
    clusters = {one.id: one.benchmark.cluster for suite in ("cbench", "mibench") for one in load_suite(suite).programs}
    assert all(one.group == clusters[one.name] for one in found if clusters[one.name])
