"""A policy's figures beside its reference's, for a report. Standings are made from recorded results alone."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.base.vocabulary import Outcome
from harness.measure import find_metric
from harness.record import Row

__all__ = ["Ratio", "gains_of", "ratios_of"]


@dataclass(frozen=True, slots=True)
class Ratio:
    """Of one metric on one target."""

    metric: str
    target: str
    programs: int
    ratio: float
    """Geometric mean of reference over policy; above 1 is better."""


def ratios_of(rows: Sequence[Row], policy: str, reference: str | None) -> Iterator[Ratio]:
    """Of every metric that repeats, over the benchmarks that both have a value of."""
    for (metric, target, copy), gains in sorted(gains_of(rows, policy, reference).items()):
        if not copy:
            yield Ratio(metric, target, len(gains), math.exp(_mean([*gains.values()])))


def gains_of(rows: Sequence[Row], policy: str, reference: str | None) -> dict[tuple[str, str, int], dict[str, float]]:
    """Metric, target and copy → benchmark → the logarithm of reference over policy; over seeds, the mean."""
    logs: dict[tuple[str, str, int], dict[str, dict[str, list[float]]]] = {}
    for row in rows:
        if row.outcome is not Outcome.OK or not row.metric or not row.value:
            continue
        if find_metric(row.metric).deterministic:
            programs = logs.setdefault((row.metric, row.target.value, row.copy_), {})
            programs.setdefault(row.benchmark, {}).setdefault(row.policy, []).append(math.log(row.value))
    found = {
        key: {
            benchmark: _mean(one[reference]) - _mean(one[policy])
            for benchmark, one in programs.items()
            if reference in one and policy in one
        }
        for key, programs in logs.items()
        if reference is not None
    }
    return {key: gains for key, gains in found.items() if gains}


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
