"""What a unit of a stage costs on this machine: what time will be left is told by it."""

from collections.abc import Iterable

from harness.measure import Need, find_metric
from harness.sandbox.bench import Bench

__all__ = ["is_counted", "rates", "remember_rate"]

_RATES = "rates"
_SLOW_MACHINE = {"freeze": 0.1, "cells": 2.0, "counted": 6.0}


def remember_rate(stage: str, seconds: float, bench: Bench) -> None:
    """Keep what a unit of a stage cost one worker: ``freeze`` a translation unit, ``cells`` or ``counted`` a cell."""
    bench.store.put(_RATES, _RATES, rates(bench) | {stage: seconds})


def rates(bench: Bench) -> dict[str, float]:
    """CPU seconds of the last runs here; without any, of a slow machine."""
    known: dict[str, float] = bench.store.get(_RATES, _RATES) or {}
    return _SLOW_MACHINE | known


def is_counted(metrics: Iterable[str]) -> bool:
    """Whether these metrics need counted runs, which cost several times as much."""
    return any(Need.RUNS in find_metric(name).needs for name in metrics)
