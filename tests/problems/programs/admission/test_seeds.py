"""Whether a program stands inputs of other seeds: what cannot judge an object is found, with the reason."""

from pathlib import Path

import pytest

from harness.problems.programs.admission.seeds import SEEDS, SeedTrial, seed_faults, try_seeds
from harness.sandbox.bench import Bench
from tests.drive import Sketch, User, write_suite
from tests.programs import own_program

INPUT = {"file": "in", "generator": "noise", "seed": 5, "params": {"size": 8}}
READS = """
#include <limits.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int got = getchar();
  (void)argv;
  WHAT
  printf("%d\\n", got);
  return 0;
}
"""
OVERFLOWS = 'volatile int big = INT_MAX; if (got != PINNED) printf("%d\\n", (int)(big + argc) == 0);'
DIFFERS = """
#ifdef __OPTIMIZE__
  got = -1;
#endif
"""


@pytest.mark.parametrize(
    ("what", "problem"),
    [
        ("", ""),
        (OVERFLOWS.replace("got != PINNED", "1"), "under the sanitizers"),
        (DIFFERS, "the builds at -O0 for x86-64 and at -Oz for x86-64 give different results"),
        ("if (got >= 0) return 3;", "the build at -O0 for x86-64 fails"),
    ],
)
def test_inputs_of_other_seeds(what: str, problem: str, tmp_path: Path, bench: Bench) -> None:
    workloads = ({"name": "drawn", "stdin": "in", "inputs": (INPUT,)}, {"name": "plain"})
    program = own_program(tmp_path, {"main.c": READS.replace("WHAT", what)}, workloads=workloads)
    trials = try_seeds(program, bench)
    assert [(trial.workload, trial.seed) for trial in trials] == [("drawn", n) for n in range(1, SEEDS + 1)]
    for trial in trials:
        assert bool(trial.problem) == bool(problem) and problem in trial.problem
    assert set(seed_faults(trials)) == ({"drawn"} if problem else set())


def test_one_in_three_is_tolerated() -> None:
    trials = [SeedTrial("a", n, "why" if n < 2 else "") for n in range(1, 4)]
    trials += [SeedTrial("b", n, "why" if n < 3 else "") for n in range(1, 4)]
    assert seed_faults(trials) == {"b": "2 of 3 inputs of other seeds are unfit: why"}


def test_admission_names_the_workload(tmp_path: Path) -> None:
    """Clean on the suite's own input, undefined on every other."""
    from harness.suite.generators import generate

    pinned = str(generate("noise", 5, {"size": 8})[0])
    once = READS.replace("WHAT", OVERFLOWS.replace("PINNED", pinned))
    lines = 'stdin = "in"\ninputs = [{ file = "in", generator = "noise", seed = 5, params = { size = 8 } }]'
    suite = write_suite(tmp_path / "picky", Sketch("picky", once, workload=lines))
    answer = User.at(tmp_path).harness("suites", "check", suite, "--json")
    assert "other seeds" in answer.out and "signed integer overflow" in answer.out, answer.out + answer.err
