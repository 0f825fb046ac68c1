"""The registry of metrics: every module of ``harness/measure/metrics`` registers its own."""

import difflib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from harness.errors import UsageError
from harness.vocabulary import Target

__all__ = ["Metric", "Subject", "all_metrics", "choose_metrics", "metric"]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a metric may look at: one verified cell."""

    object: Path
    """The program's one object file."""
    target: Target
    ir_instructions: int
    """After the optimise step."""
    compile_cpu: float
    """CPU seconds of both compile steps."""


Measure = Callable[[Subject], int | float]


@dataclass(frozen=True, slots=True)
class Metric:
    """One quantity, and how it is taken."""

    name: str
    unit: str
    deterministic: bool
    """It must repeat exactly; otherwise it is a time."""
    description: str
    measure: Measure


_REGISTRY: dict[str, Metric] = {}


def metric(name: str, *, unit: str, deterministic: bool) -> Callable[[Measure], Measure]:
    """Register the decorated function as a metric; its docstring's first line describes it."""

    def register(function: Measure) -> Measure:
        description = (function.__doc__ or "").strip().splitlines()[0]
        _REGISTRY[name] = Metric(name, unit, deterministic, description, function)
        return function

    return register


@lru_cache(maxsize=1)
def all_metrics() -> dict[str, Metric]:
    """All metrics by name, sorted."""
    package = import_module("harness.measure.metrics")
    for module in pkgutil.iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
    return dict(sorted(_REGISTRY.items()))


def choose_metrics(names: Iterable[str]) -> list[Metric]:
    """The metrics of these names, or all when none is named. Raises UsageError for an unknown one."""
    known = all_metrics()
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
            raise UsageError(f"unknown metric {name!r}", hint=hint)
    return [known[name] for name in wanted] or list(known.values())
