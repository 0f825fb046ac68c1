"""The registry of metrics.

The modules of ``harness/measure/metrics`` register theirs, and ``metrics.py`` of a problem's folder that problem's.
"""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

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
    "Direction",
    "Metric",
    "Subject",
    "all_metrics",
    "choose_metrics",
    "current",
    "find_metric",
    "labelled",
    "metric",
    "metrics_of",
    "seen",
    "seen_in",
]

Kept = TypeVar("Kept")

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
    ir_instructions: int = 0
    """After the optimise step."""
    compile_cpu: float = 0.0
    """CPU seconds of both compile steps."""
    decide_cpu: float = 0.0
    decide_wall: float = 0.0
    """Seconds that the policy took to decide, beyond the plain compilation."""
    decide_trials: int = 0
    """Modules whose cost it looked at before."""
    decide_steps: int = 0
    """Passes that were run before."""
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
"""Of a ``Subject``; of an answer to an instance, of its solution; of a campaign, of a ``Took``."""
UNREPEATED = "a time that was not taken in a campaign"
"""Why a metric whose values need not repeat is not ranked."""


class Direction(Enum):
    """Which values are better."""

    LOWER = auto()
    HIGHER = auto()


@dataclass(frozen=True, slots=True)
class Metric:
    """One quantity: all that is to be known of it."""

    name: str
    unit: str
    deterministic: bool
    """It must repeat exactly."""
    description: str
    measure: Measure
    version: int = 1
    """To be raised when it comes to mean something else: values of two versions are never compared."""
    direction: Direction = Direction.LOWER
    needs: frozenset[Need] = frozenset({Need.OBJECT})
    """What proves it."""
    not_ranked: str = ""
    """Why nothing is ranked by it; empty: it may rank."""
    paired: bool = False
    """Its ratios come from pairs that were timed in blocks, not from values."""
    whole: bool = True
    """Its values are whole numbers."""
    least: float = 0
    """The least value that can be."""
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
    by_name: bool = False
    """It takes long, and so is taken only where its own name is given."""
    compares: bool = True
    """Whether a ratio of two values says anything of two policies. False: values are shown, and no ratio."""

    @property
    def benchmarks(self) -> str:
        """What it is measured of: ``programs``, or what else its tracks have for benchmarks."""
        return next(facts_of(track).benchmarks for track in sorted(self.tracks))

    @property
    def timed(self) -> bool:
        """Whether a campaign takes it, not a cell: its values are medians that no ratio may be made of."""
        return Need.CAMPAIGN in self.needs

    @property
    def counted(self) -> bool:
        """Whether counted runs are in its values, and so what the C library and the emulator do in them."""
        return Need.RUNS in self.needs

    @property
    def of_object(self) -> bool:
        """Whether equal objects have equal values."""
        return all(need.of_object for need in self.needs)

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
    needs: Iterable[Need] = (Need.OBJECT,),
    tracks: Iterable[str] = PROGRAM_TRACKS,
    targets: Iterable[Target] = tuple(Target),
    not_ranked: str | None = None,
    **facts: Any,
) -> Callable[[Measure], Measure]:
    """Register the decorated function as a metric; its docstring's first line describes it.

    ``facts``: other fields of ``Metric``. What need not repeat ranks by its pairs, or where ``not_ranked`` is empty.
    """
    if not_ranked is None:
        not_ranked = "" if deterministic or facts.get("paired") else UNREPEATED

    def register(function: Measure) -> Measure:
        description = (function.__doc__ or "").strip().splitlines()[0]
        _REGISTRY[name] = Metric(
            name,
            unit,
            deterministic,
            description,
            function,
            needs=frozenset(needs),
            tracks=frozenset(tracks),
            targets=frozenset(targets),
            not_ranked=not_ranked,
            **facts,
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

    ``all`` stands for every metric, and so does no name without a track; but for those that are taken by name only.
    Raises UsageError for an unknown one.
    """
    wanted = list(dict.fromkeys(names))
    possible = metrics_of(track)
    usual = {name: one for name, one in possible.items() if not one.by_name}
    if not wanted:
        return [metric for metric in usual.values() if track is None or track in metric.tracks]
    chosen: dict[str, Metric] = {}
    for name in wanted:
        found = {} if name == ALL else {name: find_metric(name)}
        if wrong := [one for one in found.values() if one.name.partition("@")[0] not in possible]:
            raise UsageError(
                f"metric {name!r} is one of {wrong[0].benchmarks}", hint=f"there are: {', '.join(possible)}"
            )
        chosen |= found or usual
    return list(chosen.values())


def metrics_of(track: str | None) -> dict[str, Metric]:
    """Those that can be taken in a track, by name; all without one."""
    if track is None:
        return all_metrics()
    benchmarks = facts_of(track).benchmarks
    return {name: one for name, one in all_metrics().items() if one.benchmarks == benchmarks}


def seen_in(path: Path, target: Target, bench: Bench) -> dict[str, int | float]:
    """What one look at an object tells: the metrics of ``seen``."""
    subject = Subject(path, target, bench=bench)
    found = {name: all_metrics()[name].measure(subject) for name in seen()}
    return {name: one.value if isinstance(one, Breakdown) else one for name, one in found.items()}


def seen() -> tuple[str, ...]:
    """The metrics that need nothing but the object."""
    return tuple(name for name, one in all_metrics().items() if one.needs == {Need.OBJECT})


def _label(name: str) -> str:
    """What values of the metric are kept by: those of an earlier version are not taken for those of this one."""
    found = all_metrics().get(name.partition("@")[0])
    return name if found is None or found.version == 1 else f"{name}#{found.version}"


def labelled(values: Mapping[str, Kept]) -> dict[str, Kept]:
    """What is known by name of metrics, as a cache keeps it."""
    return {_label(name): value for name, value in values.items()}


def current(kept: Mapping[str, Kept]) -> dict[str, Kept]:
    """What a cache has of metrics by name: of the versions of now alone."""
    return {name: value for label, value in kept.items() if _label(name := label.partition("#")[0]) == label}
