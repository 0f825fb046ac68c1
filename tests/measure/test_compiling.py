"""What compilation costs: counted and watched in a run of its own, of the steps that make the object."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.apply import CompilePlan, Step, optimise, step_job
from harness.apply.plan import reference_plan
from harness.base.errors import CellError
from harness.base.vocabulary import SIZE, Level, Outcome, Target
from harness.freeze import FrozenModule, freeze
from harness.measure import ALL, Compilation, NotMeasurableError, choose_metrics
from harness.measure.compiling import counted_job, executed
from harness.sandbox.bench import Bench
from harness.sandbox.model import MIB
from harness.sandbox.tools import run_tool, tool_job
from tests.programs import own_program

SOURCE = "int main(int argc, char **argv) { int s = 0; for (int n = 0; n < argc; n++) s += argv[n][0]; return s; }"
PRICES = {"compile.instructions", "compile.peak"}


@pytest.fixture(scope="module")
def frozen(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> FrozenModule:
    return freeze(own_program(tmp_path_factory.mktemp("sum"), {"main.c": SOURCE}), Target.X86_64, Level.OZ, bench)


@pytest.fixture
def plan() -> CompilePlan:
    return reference_plan(Level.OZ, Target.X86_64)


def counted(step: Step, source: Path, bench: Bench) -> int:
    """What the step's tool executes alone."""
    with step_job(step, source, bench) as job:
        return executed(run_tool(counted_job(job, bench), bench))


def test_they_are_taken_by_their_names_only() -> None:
    for asked in ((), (ALL,)):
        assert not PRICES & {metric.name for metric in choose_metrics(asked, SIZE)}
    named = choose_metrics([ALL, *PRICES], SIZE)
    assert {metric.name for metric in named} > PRICES
    assert all(metric.not_ranked for metric in named if metric.name in PRICES)


def test_counts_repeat_and_more_work_is_more(
    frozen: FrozenModule, plan: CompilePlan, bench: Bench, tmp_path: Path
) -> None:
    """In a cache of its own nothing is remembered."""
    spent = Compilation(frozen, plan, bench).instructions()
    assert 10_000_000 < spent < 10_000_000_000
    again = replace(bench, cache=tmp_path)
    (tmp_path / "native").symlink_to(bench.cache / "native")
    assert Compilation(frozen, plan, again).instructions() == spent
    steps = (plan.optimise, frozen.bitcode), (plan.generate, optimise(frozen, plan, bench).bitcode)
    assert sum(counted(step, source, bench) for step, source in steps) == spent
    lazy = replace(plan, optimise=reference_plan(Level.O0, Target.X86_64).optimise)
    assert Compilation(frozen, lazy, bench).instructions() < spent


def test_all_that_a_tool_executes_is_counted(bench: Bench) -> None:
    """Its start and its libraries included."""
    job = tool_job("clang", ("--version",), {}, (), bench.compile_timeout, bench)
    done = run_tool(counted_job(job, bench), bench)
    assert b"clang version 22" in done.stdout
    assert 1_000_000 < executed(done) < 1_000_000_000


def test_memory_is_the_tools_own(frozen: FrozenModule, plan: CompilePlan, bench: Bench) -> None:
    assert 20 * MIB < Compilation(frozen, plan, bench).peak() < 400 * MIB


@pytest.mark.parametrize("figure", [Compilation.instructions, Compilation.peak])
def test_a_step_that_fails_has_no_figure(
    figure: Callable[[Compilation], int], frozen: FrozenModule, plan: CompilePlan, bench: Bench
) -> None:
    broken = replace(plan, generate=replace(plan.generate, arguments=("-no-such-option", *plan.generate.arguments)))
    with pytest.raises(NotMeasurableError, match=r"clang: .*no-such-option"):
        figure(Compilation(frozen, broken, bench))


@pytest.mark.parametrize("figure", [Compilation.instructions, Compilation.peak])
def test_a_step_that_runs_out_of_time_is_tried_again(
    figure: Callable[[Compilation], int], frozen: FrozenModule, plan: CompilePlan, bench: Bench, tmp_path: Path
) -> None:
    """It may be the machine's fault: nothing is said of the metric."""
    (tmp_path / "native").symlink_to(bench.cache / "native")
    optimise(frozen, plan, bench := replace(bench, cache=tmp_path))
    hurried = Compilation(frozen, plan, replace(bench, compile_timeout=0.001))
    with pytest.raises(CellError, match="stopped at its limit") as raised:
        figure(hurried)
    assert raised.value.transient and raised.value.outcome is Outcome.COMPILE_TIMEOUT
    assert figure(Compilation(frozen, plan, bench)) > 0
