"""What a run would do, without doing it (``harness run --dry-run``)."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.base.text import duration
from harness.freeze import freeze, freeze_key, is_perturbed
from harness.problems.programs.cell import Cell, task_of
from harness.problems.programs.rates import is_counted, rates
from harness.problems.programs.request import Module, Request
from harness.sandbox.bench import Bench
from harness.suite.fresh import takes_fresh_inputs
from harness.suite.load import Program
from harness.suite.sources import is_fetched, tree_digest
from harness.suite.workloads import inputs_exist

__all__ = ["Outlook", "outlook", "outlook_lines"]


@dataclass(frozen=True)
class Outlook:
    """What a run would do (``--dry-run``)."""

    cells: int
    cached: int
    to_fetch: int
    to_freeze: int
    seconds: float
    """Estimate of the time to do, from what earlier cells on this machine cost."""
    timed: int = 0
    """Programs of which run time would be taken, if no sound campaign has."""


def outlook(request: Request, bench: Bench, jobs: int) -> Outlook:
    """What the run would do now."""
    store = bench.store
    fetched = {tree_digest(p): is_fetched(p, store) for p in request.programs}
    frozen = {
        (p.id, target.value, level.value): store.has("frozen", freeze_key(p, target, level, bench.toolchain))
        for p, target, level in request.modules
    }
    to_do = [cell for cell in request.cells if not _is_cached(cell, frozen, request, bench)]
    missing = [module for module in request.modules if not frozen[(module[0].id, module[1].value, module[2].value)]]
    return Outlook(
        cells=len(request.cells),
        cached=len(request.cells) - len(to_do),
        to_fetch=sum(not done for done in fetched.values()),
        to_freeze=len(missing),
        seconds=_estimate(to_do, missing, "counted" if is_counted(request.metrics) else "cells", bench) / jobs,
        timed=sum(_has_time(program) for program in request.programs) if request.timed_metrics else 0,
    )


def outlook_lines(request: Request, bench: Bench, jobs: int) -> list[str]:
    """The same for people."""
    plan = outlook(request, bench, jobs)
    lines = [
        f"{plan.cells} cells: {plan.cells - plan.cached} to do, {plan.cached} cached",
        f"{plan.to_fetch} source trees to fetch, {plan.to_freeze} modules to freeze",
        f"about {duration(plan.seconds)} with {jobs} workers (a rough estimate)",
        _fresh_line(request),
    ]
    if plan.timed:
        most = duration(plan.timed * request.timing.budget)
        lines.append(f"then run time of {plan.timed} programs, one at a time: up to {most} (--budget)")
    return lines


def _fresh_line(request: Request) -> str:
    without = [program.benchmark.name for program in request.programs if not takes_fresh_inputs(program)]
    if not request.fresh:
        return "no fresh verification (--no-fresh)"
    able = len(request.programs) - len(without)
    words = f"new objects are also verified on one fresh input of each of {able} programs"
    return f"{words}; without generated input: {', '.join(without)}" if without else words


def _has_time(program: Program) -> bool:
    return any(workload.kind == "time" for workload in program.benchmark.workloads)


def _is_cached(cell: Cell, frozen: dict[tuple[str, str, str], bool], request: Request, bench: Bench) -> bool:
    if cell.target not in cell.policy.manifest.targets:
        return True
    if not frozen[(cell.program.id, cell.target.value, cell.level.value)]:
        return False
    module = freeze(cell.program, cell.target, cell.level, bench)
    if not (inputs_exist(cell.program, bench.store, "hidden") and is_perturbed(module, cell.copy, bench)):
        return False
    return task_of(cell, request.metrics_on(cell.target, bench), bench).known(bench) is not None


def _estimate(cells: Sequence[Cell], modules: Sequence[Module], rate: str, bench: Bench) -> float:
    """CPU seconds, by the rates of this machine's last runs; without any, by those of a slow one."""
    known = rates(bench)
    units = sum(program.benchmark.weight for program, _, _ in modules)
    return known["freeze"] * units + known[rate] * len(cells)
