"""``harness run --perturb`` and ``--seed-file``: copies and hidden workloads, from the command to the run file."""

import json
from pathlib import Path

import pytest

from harness.suite.generators import generate
from harness.suite.hidden import commitment, with_hidden
from harness.suite.load import load_suite
from tests.drive import TINY, Sketch, User, write_policy, write_suite

FICKLE = """
#include <stdio.h>
int main(void) {
  int byte = getchar();
#ifdef __OPTIMIZE__
  if (byte & 1) puts("optimised");
#endif
  printf("%d\\n", byte & 1);
  return byte == EOF;
}
"""
"""Wrong where it is optimised, on half of all inputs."""
INPUT = 'stdin = "in"\ninputs = [{ file = "in", generator = "noise", seed = SEED, params = { size = 8 } }]'


def even_seed() -> int:
    """A seed on which the optimised program is right."""
    return next(seed for seed in range(100) if not generate("noise", seed, {"size": 8})[0] & 1)


def secret_of(suite: Path, *, odd: bool) -> bytes:
    """A secret whose hidden input is one of the two kinds."""
    programs = load_suite(str(suite)).programs
    for number in range(100):
        secret = b"a secret that is long enough %d" % number
        (item,) = with_hidden(programs, secret)[0].hidden[0].inputs
        if bool(generate("noise", item.seed, {"size": 8})[0] & 1) is odd:
            return secret
    raise AssertionError("all secrets are of one kind")


@pytest.fixture
def fickle(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "fickle", Sketch("fickle", FICKLE, workload=INPUT.replace("SEED", str(even_seed()))))


@pytest.mark.parametrize("odd", [False, True])
def test_a_hidden_workload_finds_what_the_others_do_not(odd: bool, fickle: Path, tmp_path: Path) -> None:
    user, file = User.at(tmp_path), tmp_path / "seed"
    words = ("run", "--suite", fickle, "--policy", "Oz", "--target", "x86-64")
    user.harness(*words, code=0)
    secret = secret_of(fickle, odd=odd)
    file.write_bytes(secret)
    answer = user.harness(*words, "--seed-file", file, code=1 if odd else 0)
    if odd:
        assert "wrong-output: workload hidden-1: output differs from the reference's" in answer.err
    plain, checked = user.runs()
    assert plain.header.hidden is None
    assert checked.header.hidden == commitment(secret)
    assert secret.decode() not in checked.path.read_text()
    if not odd:  # they verify, and count nothing
        values = [
            {(r.policy, r.metric): r.value for r in run.rows if r.metric != "compile.cpu"} for run in (plain, checked)
        ]
        assert values[0] == values[1]
        assert {r.cell for r in plain.rows}.isdisjoint(r.cell for r in checked.rows)


def test_a_program_that_does_not_stand_hidden_inputs(tmp_path: Path) -> None:
    picky = FICKLE.replace("#ifdef __OPTIMIZE__", "if (byte & 1) return 3;\n#ifdef __OPTIMIZE__")
    suite = write_suite(tmp_path / "picky", Sketch("picky", picky, workload=INPUT.replace("SEED", str(even_seed()))))
    file = tmp_path / "seed"
    file.write_bytes(secret_of(suite, odd=True))
    User.at(tmp_path).harness("run", "--suite", suite, "--policy", "Oz", "--seed-file", file).refused(
        2, "picky/picky", "the reference build fails on a hidden workload", "take another seed"
    )


def test_a_seed_file_that_is_none(tmp_path: Path) -> None:
    User.at(tmp_path).harness("run", "--suite", TINY, "--seed-file", tmp_path / "none").refused(2, "cannot be read")


def test_copies_are_measured_recorded_and_rebuilt(visitor: User, tmp_path: Path) -> None:
    policy = write_policy(tmp_path / "few", "mem2reg, simplifycfg\ncgscc(inline) globaldce\n")
    words = ("run", "--suite", TINY, "--policy", f"Oz,{policy}", "--metric", "size.alloc", "--target", "x86-64")
    visitor.harness(*words, "--perturb", code=0)
    (run,) = visitor.runs()
    by_copy = {number: [row for row in run.rows if row.copy_ == number] for number in range(4)}
    assert {number: len(rows) for number, rows in by_copy.items()} == dict.fromkeys(range(4), 6)
    for rows in by_copy.values():
        assert {row.outcome.value for row in rows} == {"ok"}
    digests = {(row.benchmark, row.policy, row.copy_): row.object_digest for row in run.rows}
    frozen = {(row.benchmark, row.copy_): row.frozen_digest for row in run.rows}
    assert len(set(frozen.values())) == len(frozen) == 12
    assert len(set(digests.values())) > 6
    again = visitor.harness(*words, "--perturb", code=0)
    assert again.computed == 0 and "nothing new" in again.err
    rebuilt = json.loads(visitor.harness("replay", run.header.run, "--suite", TINY, "--json", code=0).out)
    assert len(rebuilt) == 24
    assert all(cell["outcome"] == "ok" for cell in rebuilt)
    with_copies = visitor.json("leaderboard")
    plain = User(visitor.cache, tmp_path / "plain")
    plain.harness(*words, code=0)
    assert with_copies == plain.json("leaderboard")
    line = next(n for n, row in enumerate(run.rows, start=run.first_line) if row.copy_)
    answer = visitor.harness("repro", f"{run.header.run}#{line}", "--suite", TINY)
    answer.refused(2, "a copy with other names", "replay")
