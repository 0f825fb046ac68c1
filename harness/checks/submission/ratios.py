"""A policy's figures beside its reference's, for a report. Standings are made from recorded results alone."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.base.vocabulary import Outcome
from harness.measure import find_metric
from harness.record import Row

__all__ = ["Ratio", "ratios_of"]


@dataclass(frozen=True, slots=True)
class Ratio:
    """Of one metric on one target."""

    metric: str
    target: str
    programs: int
    ratio: float
    """Geometric mean of reference over policy; above 1 is better."""


def ratios_of(rows: Sequence[Row], policy: str, reference: str | None) -> Iterator[Ratio]:
    """Of every metric that repeats, over the benchmarks that both have a value of; over seeds, the geometric mean."""
    logs: dict[tuple[str, str], dict[str, dict[str, list[float]]]] = {}
    for row in rows:
        if row.outcome is not Outcome.OK or not row.metric or not row.value or row.copy_:
            continue
        if find_metric(row.metric).deterministic:
            programs = logs.setdefault((row.metric, row.target.value), {})
            programs.setdefault(row.benchmark, {}).setdefault(row.policy, []).append(math.log(row.value))
    for (metric, target), programs in sorted(logs.items()):
        both = [one for one in programs.values() if reference in one and policy in one]
        if both:
            gains = [_mean(one[str(reference)]) - _mean(one[policy]) for one in both]
            yield Ratio(metric, target, len(both), math.exp(_mean(gains)))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
