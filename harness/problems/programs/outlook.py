"""What a run would do, without doing it (``harness run --dry-run``)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.freeze import freeze, freeze_key, is_perturbed
from harness.measure import Need, find_metric
from harness.problems.programs.cell import Cell, cached_result, cell_key, frozen_of
from harness.problems.programs.request import Module, Request
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.sources import is_fetched, tree_digest
from harness.suite.workloads import inputs_exist

__all__ = ["Outlook", "is_counted", "outlook", "remember_rate"]

_RATES = "rates"
_SLOW_MACHINE = {"freeze": 0.1, "cells": 2.0, "counted": 6.0}


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
    """What ``execute_run`` would do now."""
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
    module = frozen_of(cell, bench)
    return cached_result(cell_key(cell, module, bench), list(request.metrics), bench) is not None


def is_counted(metrics: Iterable[str]) -> bool:
    """Whether these metrics need counted runs, which cost several times as much."""
    return any(Need.RUNS in find_metric(name).needs for name in metrics)


def _estimate(cells: Sequence[Cell], modules: Sequence[Module], rate: str, bench: Bench) -> float:
    """CPU seconds, by the rates of this machine's last runs; without any, by those of a slow one."""
    rates = _rates(bench)
    units = sum(program.benchmark.weight for program, _, _ in modules)
    return rates["freeze"] * units + rates[rate] * len(cells)


def remember_rate(stage: str, seconds: float, bench: Bench) -> None:
    """Keep what a unit of a stage cost one worker: ``freeze`` a translation unit, ``cells`` or ``counted`` a cell."""
    bench.store.put(_RATES, _RATES, _rates(bench) | {stage: seconds})


def _rates(bench: Bench) -> dict[str, float]:
    known: dict[str, float] = bench.store.get(_RATES, _RATES) or {}
    return _SLOW_MACHINE | known
