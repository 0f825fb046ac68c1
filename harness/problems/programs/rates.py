"""What a unit of a stage costs on this machine: what time will be left is told by it."""

from collections.abc import Iterable

from harness.base.digest import digest_of
from harness.measure import Need, find_metric
from harness.sandbox.bench import Bench

__all__ = ["is_counted", "rates", "remember_rate"]

_RATES = "rates"
_KEY = digest_of(["rates", 1])
"""One record for the machine, under a name as other entries have it: what lists and prunes the cache finds it."""
_SLOW_MACHINE = {"freeze": 0.1, "cells": 2.0, "counted": 6.0}


def remember_rate(stage: str, seconds: float, bench: Bench) -> None:
    """Keep what a unit of a stage cost one worker: ``freeze`` a translation unit, ``cells`` or ``counted`` a cell."""
    bench.store.put(_RATES, _KEY, rates(bench) | {stage: seconds})


def rates(bench: Bench) -> dict[str, float]:
    """CPU seconds of the last runs here; without any, of a slow machine."""
    known: dict[str, float] = bench.store.get(_RATES, _KEY) or {}
    return _SLOW_MACHINE | known


def is_counted(metrics: Iterable[str]) -> bool:
    """Whether these metrics need counted runs, which cost several times as much."""
    return any(Need.RUNS in find_metric(name).needs for name in metrics)
