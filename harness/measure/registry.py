"""The registry of metrics.

The modules of ``harness/measure/metrics`` register theirs, and ``metrics.py`` of a problem's folder that problem's.
"""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.base.discovery import METRICS, PROBLEMS, in_every_folder, modules_brought, modules_in
from harness.base.errors import UsageError
from harness.base.vocabulary import SIZE, SPEED, Target
from harness.measure.evidence import Evidence, Need
from harness.policy.tracks import facts_of
from harness.sandbox.bench import Bench
from harness.toolchain import TARGETS

__all__ = [
    "ALL",
    "PROGRAM_TRACKS",
    "Breakdown",
    "Metric",
    "Subject",
    "all_metrics",
    "choose_metrics",
    "find_metric",
    "metric",
    "metrics_of",
]

ALL = "all"
"""Stands for every metric where metrics are named."""
PROGRAM_TRACKS = frozenset({SIZE, SPEED})
"""The tracks in which programs are compiled."""


@dataclass(frozen=True)
class Subject:
    """What a metric may look at: one verified cell."""

    object: Path
    """The program's one object file."""
    target: Target
    ir_instructions: int
    """After the optimise step."""
    compile_cpu: float
    """CPU seconds of both compile steps."""
    decide_cpu: float = 0.0
    decide_wall: float = 0.0
    """Seconds that the policy took to decide, beyond the plain compilation."""
    evidence: Evidence = field(default_factory=Evidence)
    """What the metrics asked for need."""
    bench: Bench | None = None
    """For metrics that run a tool."""
    model: str = ""
    """The CPU that the metric models; for metrics that do."""


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A value, and what each function has of it."""

    value: int | float
    functions: Mapping[str, int | float]


Measure = Callable[[Any], int | float | Breakdown]
"""Of a ``Subject``; in track sharding, of a ``harness.problems.sharding.judge.Solution``."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One quantity, and how it is taken."""

    name: str
    unit: str
    deterministic: bool
    """It must repeat exactly; otherwise it is a time."""
    description: str
    measure: Measure
    needs: frozenset[Need] = frozenset()
    tracks: frozenset[str] = PROGRAM_TRACKS
    """Where it is taken when no metric is named."""
    can_be_zero: bool = False
    """Zero is a good value, not a failure: ratios are of the values plus one."""
    modelled: bool = False
    """It depends on a model of a CPU: ``NAME@CPU`` asks for another than the target's usual one."""
    cpu: str | None = None
    """The CPU asked for; None: the target's usual one."""
    targets: frozenset[Target] = frozenset(Target)
    """Where it can be taken."""

    @property
    def benchmarks(self) -> str:
        """What it is measured of: ``programs``, or what else its tracks have for benchmarks."""
        return next(facts_of(track).benchmarks for track in sorted(self.tracks))

    @property
    def timed(self) -> bool:
        """Whether a campaign takes it, not a cell."""
        return Need.CAMPAIGN in self.needs

    def model(self, target: Target) -> str:
        """The CPU that it models on a target; empty for a metric that models none."""
        return (self.cpu or TARGETS[target].model) if self.modelled else ""

    def unit_on(self, target: Target) -> str:
        """The unit of its values on a target: modelled cycles are some CPU's."""
        return f"{self.model(target)} {self.unit}".strip()


_REGISTRY: dict[str, Metric] = {}


def metric(
    name: str,
    *,
    unit: str,
    deterministic: bool,
    needs: Iterable[Need] = (),
    tracks: Iterable[str] = PROGRAM_TRACKS,
    can_be_zero: bool = False,
    modelled: bool = False,
    targets: Iterable[Target] = tuple(Target),
) -> Callable[[Measure], Measure]:
    """Register the decorated function as a metric; its docstring's first line describes it."""

    def register(function: Measure) -> Measure:
        description = (function.__doc__ or "").strip().splitlines()[0]
        _REGISTRY[name] = Metric(
            name,
            unit,
            deterministic,
            description,
            function,
            frozenset(needs),
            frozenset(tracks),
            can_be_zero,
            modelled,
            targets=frozenset(targets),
        )
        return function

    return register


@lru_cache(maxsize=1)
def all_metrics() -> dict[str, Metric]:
    """All metrics by name, sorted."""
    list(modules_in("harness.measure.metrics"))
    list(in_every_folder(PROBLEMS, "metrics"))
    list(modules_brought(METRICS))
    return dict(sorted(_REGISTRY.items()))


def find_metric(name: str) -> Metric:
    """The metric of this name, ``NAME`` or ``NAME@CPU``. Raises UsageError for an unknown one."""
    known = all_metrics()
    base, at, cpu = name.partition("@")
    if base not in known:
        close = difflib.get_close_matches(base, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
        raise UsageError(f"unknown metric {name!r}", hint=hint)
    found = known[base]
    if not at:
        return found
    if not found.modelled:
        models = ", ".join(metric.name for metric in known.values() if metric.modelled)
        raise UsageError(f"metric {base!r} models no CPU", where=name, hint=f"a CPU can be given to: {models}")
    if not cpu:
        raise UsageError("no CPU is named behind the '@'", where=name)
    return replace(found, name=name, cpu=cpu)


def choose_metrics(names: Iterable[str], track: str | None = None) -> list[Metric]:
    """The metrics of these names; when none is named, those that a track takes by itself.

    ``all`` stands for every metric, and so does no name without a track. Raises UsageError for an unknown one.
    """
    wanted = list(dict.fromkeys(names))
    possible = metrics_of(track)
    if not wanted:
        return [metric for metric in possible.values() if track is None or track in metric.tracks]
    chosen: dict[str, Metric] = {}
    for name in wanted:
        found = {} if name == ALL else {name: find_metric(name)}
        if wrong := [one for one in found.values() if one.name.partition("@")[0] not in possible]:
            raise UsageError(
                f"metric {name!r} is one of {wrong[0].benchmarks}", hint=f"there are: {', '.join(possible)}"
            )
        chosen |= found or possible
    return list(chosen.values())


def metrics_of(track: str | None) -> dict[str, Metric]:
    """Those that can be taken in a track, by name; all without one."""
    if track is None:
        return all_metrics()
    benchmarks = facts_of(track).benchmarks
    return {name: one for name, one in all_metrics().items() if one.benchmarks == benchmarks}
