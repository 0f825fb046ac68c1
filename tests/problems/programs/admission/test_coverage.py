"""Coverage of functions and blocks, and exceptions: what no workload executes is a fault that names it."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from harness.base.progress import SilentObserver
from harness.basic_blocks import Counts
from harness.basic_blocks.address_map import MappedBlock
from harness.problems.programs.admission.coverage import ProgramCoverage, measure_coverage, shortened, summarise
from harness.run.engines import local_engine
from harness.sandbox.bench import Bench
from tests.drive import Answer, Sketch, User, write_suite
from tests.programs import THROWS, own_program

HALF = r"""
#include <stdio.h>
#include <string.h>
static int common(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; }
static int rare(int n) {
  if (n < 0) return 1;
  if (n % 3 == 0) puts("three");
  if (n % 5 == 0) puts("five");
  while (n > 9) n /= 2;
  return n;
}
int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "rare")) printf("%d\n", rare(argc * 15));
  printf("%d\n", common(7));
  return 0;
}
"""
CLEANUP = r"""
#include <cstdio>
#include <vector>
int main(int argc, char **) {
  std::vector<int> list;
  for (int i = 0; i < 40 * argc; i++) list.push_back(i);
  std::printf("%d\n", list.back());
  return 0;
}
"""
"""Cleanup of a vector in its frame, and no throw of its own."""
ODD = '[[benchmarks.workloads]]\nname = "odd"\nargs = ["x"]\nexit = 4'
LOW = 'coverage = { blocks = 0.01, reason = "the standard library" }'


@pytest.fixture(scope="module")
def thin(tmp_path_factory: pytest.TempPathFactory) -> tuple[User, Path, Answer]:
    """Programs whose workloads leave out a function, an exception, or nothing; checked once."""
    folder = tmp_path_factory.mktemp("thin")
    suite = write_suite(
        folder / "thin",
        Sketch("half", HALF),
        Sketch("whole", HALF, args=("rare", "x", "y", "z")),
        Sketch("silent", THROWS, language="c++", more=LOW),
        Sketch("thrown", THROWS, language="c++", more=LOW, workload=ODD),
        Sketch("stale", THROWS, language="c++", more=f'{LOW}\nunthrown = "never"', workload=ODD),
        Sketch("cleanup", CLEANUP, language="c++", more=LOW),
        Sketch("excused", CLEANUP, language="c++", more=f'{LOW}\nunthrown = "only when memory runs out"'),
        Sketch("plain", HALF, args=("rare", "x", "y", "z"), more='unthrown = "it is C"'),
    )
    suite.write_text(suite.read_text().replace('origin = "own"', 'origin = "local"'))
    user = User.at(folder)
    return user, suite, user.harness("suites", "check", suite, "--write", "--json", "--jobs", "2", timeout=300)


def test_what_no_workload_executes_is_a_fault(thin: tuple[User, Path, Answer]) -> None:
    _, _, answer = thin
    assert answer.code == 1
    found = {
        finding["benchmark"]: (finding["check"], finding["message"]) for finding in json.loads(answer.out)["findings"]
    }
    assert set(found) == {"half", "silent", "stale", "cleanup", "plain"}
    check, message = found["half"]
    assert check == "coverage"
    assert message.endswith("most blocks are never executed in rare (11 of 11), main (2 of 4)")
    assert "and the target is 80.0 %" in message
    assert found["silent"] == (
        "exceptions",
        "the program throws exceptions, and no count workload throws one: write a workload that does, "
        "or say in the field unthrown why there can be none",
    )
    assert found["cleanup"][0] == "exceptions"
    assert found["cleanup"][1].startswith("the program has code for exceptions (")
    assert "workload odd throws an exception: remove the field" in found["stale"][1]
    assert "the program has no code for exceptions: remove the field" in found["plain"][1]


def test_figures_of_every_program_are_reported(thin: tuple[User, Path, Answer]) -> None:
    _, suite, answer = thin
    figures = {one["benchmark"]: one for one in json.loads(answer.out)["coverage"]}
    assert len(figures) == 8
    half, whole = figures["half"], figures["whole"]
    assert (half["functions"], half["functions_executed"]) == (3, 2)
    assert (whole["functions"], whole["functions_executed"]) == (3, 3)
    assert half["blocks"] == whole["blocks"] == half["blocks_executed"] + 13
    assert half["target"] == 0.8 and figures["silent"]["target"] == 0.01
    assert figures["silent"]["landing_pads_executed"] == 0 < figures["thrown"]["landing_pads_executed"]
    assert (
        json.loads((suite.parent / "expected.json").read_text()).keys() == figures.keys()
    )  # results are another matter


def test_whoever_writes_workloads_sees_what_they_miss(thin: tuple[User, Path, Answer]) -> None:
    user, suite, _ = thin
    answer = user.harness("suites", "coverage", suite, "thrown", "half", code=1)
    lines = [line.split() for line in answer.out.splitlines()]
    assert ["rare", "11", "11"] in lines
    assert ["odd", "yes"] in [line[::3] for line in lines]
    assert ["only", "no"] in [line[::3] for line in lines]
    whole = json.loads(user.harness("suites", "coverage", suite, "thrown", "--json", code=0).out)
    by_name = {f["function"]: f for f in whole[0]["by_function"]}
    assert by_name["half"]["missed"] == 0
    user.harness("suites", "coverage", code=2)


def test_an_own_program_may_not_ask_for_less(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "less", Sketch("silent", THROWS, language="c++", more=LOW))
    answer = User.at(tmp_path).harness("suites", "check", suite, code=1)
    assert "may not set a target of coverage below 80%" in answer.out


def test_a_program_whose_workload_fails_has_no_figure(tmp_path: Path, bench: Bench) -> None:
    program = own_program(tmp_path, {"main.c": "int main(void) { return 3; }"})
    (found,) = measure_coverage([program], bench, local_engine(1), SilentObserver()).values()
    assert found == "workload only: exit status 3, not 0"


def counts_of(runs: Iterable[tuple[int, int]]) -> Counts:
    """Of a run that executed these (address, size) once each."""
    import numpy

    table = numpy.array([[address, size, 1, 0, 1, 0, 0] for address, size in sorted(runs)], numpy.int64).reshape(-1, 7)
    address, size, instructions, checksum, executions, loads, stores = table.T
    return Counts(address, size, instructions, checksum, executions, loads, stores, None)


def summary(blocks: list[MappedBlock], **runs: list[tuple[int, int]]) -> ProgramCoverage:
    return summarise("made", 0.8, blocks, {name: counts_of(run) for name, run in runs.items()}, False)


def test_what_only_unwinding_reaches_does_not_count() -> None:
    blocks = [
        MappedBlock("f", 0, 100, 10, 1, False, (1, 2)),
        MappedBlock("f", 1, 110, 10, 1, False, (4,)),
        MappedBlock("f", 2, 120, 10, 1, True, (3,)),  # a landing pad, and its cleanup
        MappedBlock("f", 3, 130, 10, 1, False, (4,)),
        MappedBlock("f", 4, 140, 10, 1),  # reached from both
        MappedBlock("f", 5, 150, 0, 1),  # holds no instruction
        MappedBlock("g", 0, 150, 10, 1),
    ]
    found = summary(blocks, one=[(100, 20), (140, 10)], other=[(100, 10), (120, 20), (140, 10)])
    assert [(f.function, f.blocks, f.executed) for f in found.functions] == [("f", 3, 3), ("g", 1, 0)]
    assert (found.blocks, found.executed, found.share) == (4, 3, 0.75)
    assert (found.landing_pads, found.landed) == (1, 1)
    assert [(w.workload, w.blocks, w.alone, w.throws) for w in found.workloads] == [
        ("one", 3, 1, False),
        ("other", 2, 0, True),
    ]


def test_a_block_that_a_jump_enters_in_the_middle_is_not_executed() -> None:
    """A translation block that begins behind a block's start says nothing of its start."""
    blocks = [MappedBlock("f", 0, 100, 10, 1, False, (1,)), MappedBlock("f", 1, 110, 10, 1)]
    assert summary(blocks, only=[(104, 16)]).executed == 1
    assert summary(blocks, only=[(100, 20)]).executed == 2
    assert summary(blocks).executed == 0
    assert summary([]).share == 1.0


def test_long_names_are_cut() -> None:
    assert shortened("short") == "short"
    assert len(shortened("x" * 5000)) == 90
