"""Blocks and readings made by tests: of a quiet machine, but for what is said."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.base.vocabulary import Target
from harness.record.rows import CONTROL, Block, Conditions, Sample
from harness.timing.conditions import Reading

__all__ = ["REFERENCE", "block", "blocks", "quiet", "reading"]

REFERENCE = "r" * 64
OTHER = "o" * 64

_QUIET = Reading(
    monotonic=1000.0,
    asleep=5.0,
    clock=1.7e9,
    core_busy=300.0,
    core_steal=10.0,
    busy=700.0,
    waiting=50.0,
    load=0.5,
    frequency=3000.0,
    throttled=7,
)


def reading(**later: Any) -> Reading:
    """The machine's counters, so much later than at first; ``load`` and ``frequency`` as they are."""
    fixed = {name: later.pop(name) for name in ("load", "frequency") if name in later}
    moved: dict[str, Any] = {name: getattr(_QUIET, name) + value for name, value in later.items()}
    return replace(_QUIET, **moved, **fixed)


def quiet(**fields: Any) -> Conditions:
    """A block's conditions; nothing disturbed it."""
    plain: dict[str, Any] = {
        "seconds": 0.4,
        "waited": 0.01,
        "others": 0.0,
        "busy": 0.1,
        "steal": 0.0,
        "pressure": 0.0,
        "load": 1.0,
        "frequency": 3000.0,
        "throttled": 0,
        "idle": 0.01,
        "suspended": 0.0,
    }
    return Conditions(**{**plain, **fields})


def block(number: int, reference: float = 0.1, copy: float = 0.1, name: str = "p", **fields: Any) -> Block:
    """With the times of the reference and of its copy; ``fields``: of its conditions."""
    times = {REFERENCE: reference, CONTROL: copy, OTHER: 0.12}
    return Block(
        campaign="c",
        benchmark=name,
        target=Target.X86_64,
        workload="w",
        inputs="1" * 64,
        number=number,
        layout=number + 1,
        passes=1,
        samples=tuple(
            Sample(object=digest, cpu=cpu, wall=cpu * 1.01, preemptions=0, first=at)
            for at, (digest, cpu) in enumerate(times.items())
        ),
        conditions=quiet(**fields),
    )


def blocks(count: int = 20, copies: Sequence[float] = (0.1004, 0.0996), **fields: Any) -> list[Block]:
    """Alike, but for the copy's time, which takes these values in turn."""
    return [block(number, copy=copies[number % len(copies)], **fields) for number in range(count)]
