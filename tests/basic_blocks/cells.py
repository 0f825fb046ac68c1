"""Cells of programs that a test writes: compiled by the real compiler, counted by the real emulator."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.apply import compile_plan, optimise
from harness.apply.reference import reference_object
from harness.base.vocabulary import SPEED, Level, Target
from harness.basic_blocks import Code, analyse
from harness.freeze import freeze
from harness.measure import choose_metrics
from harness.policy import load_policy, problem_of
from harness.problems.programs.cell import Cell, CellResult, functions_of, run_cell
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import prepare
from harness.verify import CountedRun, Trial, link_program, verify_counted
from harness.verify.verify import expected_results
from tests.programs import own_program

__all__ = ["cell", "code_of", "counted", "functions", "made", "measure"]


def made(folder: Path, source: str, *runs: Sequence[str], **benchmark: Any) -> Program:
    """A program of one C file; one workload for each list of arguments."""
    workloads = tuple({"name": f"run{number}", "args": tuple(args)} for number, args in enumerate(runs or [()]))
    return own_program(folder, {"main.c": source}, **{"workloads": workloads, **benchmark})


def cell(program: Program, target: Target, policy: str = "greedy") -> Cell:
    return Cell(program, target, SPEED, load_policy(policy), 0)


def measure(program: Program, target: Target, bench: Bench, *metrics: str, policy: str = "greedy") -> CellResult:
    """The cell's result; all metrics that a cell takes when none is named."""
    names = [metric.name for metric in choose_metrics(metrics, SPEED if not metrics else None) if not metric.timed]
    return run_cell(cell(program, target, policy), names, bench)


def functions(result: CellResult, bench: Bench) -> dict[str, dict[str, int | float]]:
    """Metric → function → value."""
    return functions_of(result.key, bench)


def code_of(program: Program, target: Target, bench: Bench, policy: str = "greedy") -> Code | str:
    """The blocks of the program's object."""
    one = cell(program, target, policy)
    frozen = freeze(program, target, one.level, bench)
    kind = problem_of(one.policy.manifest.problem)
    decisions = kind.decide(one.policy, frozen, 0, bench).decisions
    plan = kind.plan(decisions, target)
    compiled = compile_plan(frozen, plan, bench)

    def link(linked_object: Path, output: Path) -> None:
        link_program(program.benchmark, target, linked_object, output, bench)

    return analyse(compiled, plan, lambda: optimise(frozen, plan, bench).bitcode, link, ["test"], bench)


def counted(program: Program, target: Target, bench: Bench) -> tuple[CountedRun, ...]:
    """What the program's workloads execute."""
    one = cell(program, target)
    frozen = freeze(program, target, one.level, bench)
    kind = problem_of(one.policy.manifest.problem)
    decisions = kind.decide(one.policy, frozen, 0, bench).decisions
    compiled = compile_plan(frozen, kind.plan(decisions, target), bench)
    ready = prepare(program, bench.store)
    expected = expected_results(
        program, ready, lambda: reference_object(program, Level.O0, Target.X86_64, bench), bench
    )
    return verify_counted(Trial(program, target, compiled.object, compiled.digest, ready, expected), bench)
