"""Every outcome of the vocabulary is reached by a real run, and a cell that is not ``ok`` has no numbers."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from harness.base.digest import digest_of
from harness.base.progress import SilentObserver
from harness.base.vocabulary import Outcome
from harness.problems.passes import fixed
from harness.problems.programs import deciding
from harness.problems.programs.rebuild import replay_run
from harness.record import Row, decisions
from harness.record.decisions import load_decisions, store_decisions
from harness.run.engines import InProcess
from harness.run.evaluate import evaluate
from harness.sandbox.bench import open_bench
from harness.toolchain import Toolchain
from tests.drive import SIZE_METRICS, TINY, Answer, Sketch, User, forge, write_policy, write_suite
from tests.ordinary import let_others_reach

LEVEL = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
#ifdef __OPTIMIZE_SIZE__
  if (argc > 1 && argv[1][0] == 'a')
    abort();
  while (argc > 1 && argv[1][0] == 'h')
    pause();
  puts("small");
#else
  puts("large");
#endif
  return 0;
}
"""
"""Does something else when it is frozen for size: what, its argument says."""

CATCHES = """
#include <cstdio>
static int risky(int value) {
  if (value > 1)
    throw value;
  return value;
}
int main(int argc, char **) {
  try {
    risky(argc);
    std::puts("no exception");
  } catch (int) {
    std::puts("caught");
  }
  return 0;
}
"""
"""Catches what it throws."""

Cells = dict[tuple[str, str, str], list[Row]]


def by_cell(rows: list[Row]) -> Cells:
    """Benchmark, target and policy → the cell's rows."""
    cells: Cells = defaultdict(list)
    for row in rows:
        cells[row.benchmark, row.target.value, row.policy].append(row)
    return dict(cells)


@pytest.fixture(scope="module")
def unsound(tiny: User, tmp_path_factory: pytest.TempPathFactory) -> tuple[User, tuple[str | Path, ...], Answer]:
    """Programs that do something else when they are frozen for size, and one whose exceptions a pass would remove."""
    folder = tmp_path_factory.mktemp("unsound")
    suite = write_suite(
        folder / "differs",
        Sketch("catches", CATCHES, args=("x",), language="c++", expected="caught\n"),
        Sketch("aborts", LEVEL, args=("abort",), expected="large\n"),
        Sketch("level", LEVEL, expected="large\n"),
    )
    policy = write_policy(folder / "lowers", "lowerinvoke\n")
    user = User(tiny.cache, folder / "results")
    words = ("run", "--suite", suite, "--policy", f"O0,Oz,{policy}", "--jobs", "2")
    return user, words, user.harness(*words)


@pytest.fixture(scope="module")
def broken(tiny: User, tmp_path_factory: pytest.TempPathFactory) -> tuple[User, tuple[str | Path, ...], Answer]:
    """Pass lists that do not get as far as an object, on one program."""
    folder = tmp_path_factory.mktemp("broken")
    policies = [
        write_policy(folder / "unknown", "mem2reg\nmem2rge\n"),
        write_policy(folder / "empty", "# nothing yet\n"),
        write_policy(folder / "open", "function(mem2reg"),
        write_policy(folder / "stops", "mem2reg\ninstcombine<max-iterations=0>\n"),
        write_policy(folder / "loses-main", "mem2reg\ninternalize\n"),
        write_policy(folder / "takes-long", "default<O3> " * 8000),
    ]
    user = User(tiny.cache, folder / "results")
    words: tuple[str | Path, ...] = ("run", "--suite", TINY, "--benchmark", "glob", "--target", "x86-64")
    words = (*words, "--policy", ",".join(map(str, policies)), "--compile-timeout", "2", "--jobs", "2")
    return user, words, user.harness(*words)


UNSOUND = [
    ("catches", "lowers", Outcome.POLICY_ERROR, "line 1: 'lower-invoke' is refused on a module with invokes"),
    ("catches", "Oz", Outcome.OK, ""),
    ("catches", "O0", Outcome.OK, ""),
    ("aborts", "Oz", Outcome.RUN_CRASH, "killed by SIGABRT"),
    ("aborts", "lowers", Outcome.RUN_CRASH, "killed by SIGABRT"),
    ("aborts", "O0", Outcome.OK, ""),
    ("level", "Oz", Outcome.WRONG_OUTPUT, "output differs"),
    ("level", "O0", Outcome.OK, ""),
]
BROKEN = [
    ("unknown", Outcome.POLICY_ERROR, "line 2: LLVM has no pass 'mem2rge'; did you mean 'mem2reg'?"),
    ("empty", Outcome.POLICY_ERROR, "names no pass"),
    ("open", Outcome.POLICY_ERROR, "line 1: '(' is never closed"),
    ("stops", Outcome.COMPILE_ERROR, "did not reach a fixpoint"),
    ("loses-main", Outcome.POLICY_ERROR, "line 2: 'internalize' is refused: "),
    ("takes-long", Outcome.COMPILE_TIMEOUT, "opt: stopped at its limit of 2 s"),
]


def check(rows: list[Row], outcome: Outcome, detail: str) -> None:
    """The cell ended so; unless it is ok, it has one row without a number."""
    assert {row.outcome for row in rows} == {outcome}
    if outcome is Outcome.OK:
        assert {row.metric for row in rows} == set(SIZE_METRICS)
        assert all(row.value is not None for row in rows)
    else:
        (row,) = rows
        assert (row.metric, row.value, row.unit) == (None, None, None)
        assert detail in row.detail


@pytest.mark.parametrize("target", ["x86-64", "aarch64"])
@pytest.mark.parametrize(("benchmark", "policy", "outcome", "detail"), UNSOUND)
def test_of_the_program(
    unsound: tuple[User, tuple[str | Path, ...], Answer],
    target: str,
    benchmark: str,
    policy: str,
    outcome: Outcome,
    detail: str,
) -> None:
    check(by_cell(unsound[0].rows())[benchmark, target, policy], outcome, detail)


@pytest.mark.parametrize(("policy", "outcome", "detail"), BROKEN)
def test_of_the_compilation(
    broken: tuple[User, tuple[str | Path, ...], Answer], policy: str, outcome: Outcome, detail: str
) -> None:
    check(by_cell(broken[0].rows())["glob", "x86-64", policy], outcome, detail)


def test_run_timeout(visitor: User, tmp_path: Path) -> None:
    """It waits for ever where it is frozen for size; and the next run tries again."""
    program = Sketch("hangs", LEVEL, args=("hang",), expected="large\n", timeout=1.5)
    suite = write_suite(tmp_path / "waits", program)
    words = ("run", "--suite", suite, "--target", "x86-64", "--policy", "O0,Oz")
    first = visitor.harness(*words, code=1)
    cells = by_cell(visitor.rows())
    check(cells["hangs", "x86-64", "O0"], Outcome.OK, "")
    check(cells["hangs", "x86-64", "Oz"], Outcome.RUN_TIMEOUT, "workload only: stopped at its limit of 1.5 s")
    again = visitor.harness(*words, code=1)
    assert (first.computed, again.computed) == (2, 1)


def test_decisions_that_no_file_can_hold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is the policy's failure, and no end of the run."""
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / "cache"))
    for module in (deciding, decisions):
        monkeypatch.setattr(module, "LARGEST", 120)
    policies = [write_policy(tmp_path / f"times-{count}", "mem2reg\n" * count) for count in (1, 20)]
    few, many = (
        evaluate(str(one), f"{TINY}/glob", metrics=["size.alloc"], results=tmp_path / "results", jobs=1).loc[0]
        for one in policies
    )
    assert few["outcome"] == "ok" and few["size.alloc"] > 0
    assert many["outcome"] == "policy-error" and many["decisions_digest"] is None
    assert many["detail"] == "the policy's decisions take more than the 120 bytes that are recorded"


def test_unsupported_is_not_a_failure(visitor: User, tmp_path: Path) -> None:
    policy = write_policy(tmp_path / "native-only", "mem2reg", targets='["x86-64"]')
    words = ("run", "--suite", TINY, "--benchmark", "glob", "--policy", policy)
    first = visitor.harness(*words, code=0)
    cells = by_cell(visitor.rows())
    check(cells["glob", "x86-64", "native-only"], Outcome.OK, "")
    check(cells["glob", "aarch64", "native-only"], Outcome.UNSUPPORTED, "native-only supports x86-64")
    again = visitor.harness(*words, code=0)
    assert (first.computed, again.computed) == (1, 0)


def test_failures_are_listed_and_the_exit_code_is_1(
    unsound: tuple[User, tuple[str | Path, ...], Answer], broken: tuple[User, tuple[str | Path, ...], Answer]
) -> None:
    for _, _, answer in (unsound, broken):
        assert answer.code == 1
        assert "Traceback" not in answer.err
    assert "18 cells, 18 computed now, 10 failed" in unsound[2].err
    assert "6 cells, 6 computed now, 6 failed" in broken[2].err
    (where,) = re.findall(r"lowers: policy-error: passes.txt line 1: 'lower-invoke'.*\n    on (.*)", unsound[2].err)
    assert sorted(where.split(", ")) == ["catches (aarch64)", "catches (x86-64)"]
    for policy, outcome, detail in BROKEN:
        assert f"  {policy}: {outcome.value}: " in broken[2].err
        assert detail in broken[2].err


def test_timeouts_are_tried_again_and_nothing_else_is(
    unsound: tuple[User, tuple[str | Path, ...], Answer], broken: tuple[User, tuple[str | Path, ...], Answer]
) -> None:
    for (user, words, _), timeouts in ((unsound, 0), (broken, 1)):
        again = user.harness(*words, code=1)
        assert again.computed == timeouts
        assert len(user.runs()) == 1, "a second run file with the same outcomes"


def test_where_a_policy_fails_the_floor_is_measured(visitor: User, tmp_path: Path) -> None:
    """And nowhere else: it says what the failed program counts as."""
    suite = write_suite(
        tmp_path / "two",
        Sketch("catches", CATCHES, args=("x",), language="c++", expected="caught\n"),
        Sketch("level", LEVEL.replace("__OPTIMIZE_SIZE__", "NEVER"), expected="large\n"),
    )
    policy = write_policy(tmp_path / "lowers", "lowerinvoke\n")
    words = ("run", "--suite", suite, "--target", "x86-64", "--policy", f"Oz,{policy}")
    first = visitor.harness(*words, code=1)
    cells = by_cell(visitor.rows())
    check(cells["catches", "x86-64", "lowers"], Outcome.POLICY_ERROR, "line 1: 'lower-invoke' is refused")
    assert {key for key in cells if key[2] == "O0"} == {("catches", "x86-64", "O0")}
    assert first.computed == 4
    assert "nothing new" in visitor.harness(*words, code=1).err


def test_a_program_that_fails_under_the_reference_is_one_line(
    unsound: tuple[User, tuple[str | Path, ...], Answer],
) -> None:
    """In the run's summary, and below the table of what is left; whoever else fails on it is no news."""
    user, _, answer = unsound
    summary = answer.err.partition("18 cells")[2].partition("recorded in")[0]
    for program, why in (("aborts", "killed by SIGABRT"), ("level", "output differs")):
        for target in ("x86-64", "aarch64"):
            (line,) = (line for line in summary.splitlines() if f"{program} ({target})" in line)
            assert f"left out: {program} ({target}) fails under Oz: " in line
            assert why in line
    assert "catches (" in summary
    assert {row.benchmark for row in user.rows() if row.policy == "O0"} == {"aborts", "catches", "level"}
    table = user.harness("leaderboard", "--target", "x86-64").out
    assert "against Oz, 1 program" in table
    assert "left out 2 of 3 programs, without a value under Oz: aborts (run-crash), level (wrong-output)" in table
    for record in user.json("leaderboard"):
        assert record["left_out"] == {"aborts": "run-crash", "level": "wrong-output"}


def test_a_policy_that_completes_nothing_has_no_figures(unsound: tuple[User, tuple[str | Path, ...], Answer]) -> None:
    """Oz fails on two programs, which therefore have no reference: one remains."""
    standings = {(s["policy"], s["target"]): s for s in unsound[0].json("leaderboard")}
    lowers = standings["lowers", "x86-64"]
    assert (lowers["coverage"], lowers["matched"], lowers["strict"], lowers["losses"]) == (0, None, None, None)


def test_policy_timeout(tiny: User, toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No text of passes.txt makes opt slow on an empty module, so the opt of this LLVM is one that hangs there.

    All of ``decide`` is real; only its patience is shortened.
    """
    binaries = tmp_path / "llvm" / "bin"
    binaries.mkdir(parents=True)
    for tool in toolchain.bin.iterdir():
        (binaries / tool.name).symlink_to(tool)
    (tmp_path / "llvm" / "lib").symlink_to(toolchain.bin.parent / "lib")
    (binaries / "opt").unlink()
    (binaries / "opt").write_text(
        f'#!/bin/sh\ncase "$*" in *-disable-output*empty*) exec sleep 60;; esac\nexec {toolchain.tool("opt")} "$@"\n'
    )
    (binaries / "opt").chmod(0o755)
    let_others_reach(binaries)
    monkeypatch.setenv("HARNESS_LLVM", str(binaries))
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(fixed, "_EMPTY_MODULE_SECONDS", 0.5)
    policy = str(write_policy(tmp_path / "slow", "mem2reg"))
    frame = evaluate(policy, f"{TINY}/glob", results=tmp_path / "results")
    assert list(frame["outcome"]) == [Outcome.POLICY_TIMEOUT.value]
    assert "empty module" in frame["detail"][0]
    assert frame[list(SIZE_METRICS)].isna().all(axis=None)
    (row,) = (row for row in User(tiny.cache, tmp_path / "results").rows() if row.policy == "slow")
    assert open_bench().store.get("cells", row.cell) is None


def test_not_replayable(tiny: User, visitor: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recorded object that its decisions do not give."""
    monkeypatch.setenv("HARNESS_CACHE", str(tiny.cache))
    visitor.harness("run", "--suite", TINY, "--policy", "Oz", "--benchmark", "glob", "--target", "x86-64", code=0)
    (run,) = visitor.runs()
    objects = forge(run, keep=True, object_digest=digest_of("another object"))
    other = load_decisions(visitor.results, run.rows[0].decisions_digest or "")
    swapped = store_decisions(visitor.results, other.content.replace(b'"Oz"', b'"O0"'))
    decisions = forge(run, keep=True, decisions_digest=swapped)
    bench = open_bench()
    for forged in (objects, decisions):
        (answer,) = replay_run(forged, bench, InProcess(), visitor.results, SilentObserver(), suite=str(TINY))
        assert answer.outcome == Outcome.NOT_REPLAYABLE.value
        assert answer.recorded == forged.rows[0].object_digest != answer.rebuilt
        command = visitor.harness("replay", forged.header.run, "--suite", TINY, code=1)
        assert "not-replayable" in command.out
        assert "0 of 1 objects" in command.err


def test_no_outcome_is_left_out() -> None:
    """What the tests above reach is the whole vocabulary."""
    reached = {outcome for *_, outcome, _ in UNSOUND} | {outcome for _, outcome, _ in BROKEN}
    alone = {Outcome.RUN_TIMEOUT, Outcome.UNSUPPORTED, Outcome.POLICY_TIMEOUT, Outcome.NOT_REPLAYABLE}
    of_solvers = {Outcome.INFEASIBLE}  # tests/problems/sharding/test_judge.py
    assert reached | alone | of_solvers == set(Outcome)
