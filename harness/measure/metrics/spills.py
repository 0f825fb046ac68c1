"""What the register allocator could not keep in registers: memory operands of spill slots."""

from collections.abc import Callable, Sequence

from harness.blocks import Block
from harness.measure.evidence import Need, NotMeasurableError
from harness.measure.registry import Breakdown, Subject, metric
from harness.vocabulary import Track

_SPEED = (Track.SPEED,)


@metric("spills", unit="operands", deterministic=True, needs=[Need.CODE], tracks=_SPEED, can_be_zero=True)
def spills(subject: Subject) -> Breakdown:
    """Stores to spill slots in the finished code."""
    return _sum(subject, lambda block: block.spills, _once(subject))


@metric("reloads", unit="operands", deterministic=True, needs=[Need.CODE], tracks=_SPEED, can_be_zero=True)
def reloads(subject: Subject) -> Breakdown:
    """Loads from spill slots in the finished code."""
    return _sum(subject, lambda block: block.reloads, _once(subject))


@metric(
    "spills.executed",
    unit="operands",
    deterministic=True,
    needs=[Need.RUNS, Need.CODE],
    tracks=_SPEED,
    can_be_zero=True,
)
def spills_executed(subject: Subject) -> Breakdown:
    """Stores to spill slots, each as often as its block was executed."""
    return _sum(subject, lambda block: block.spills, subject.evidence.profile.executions.tolist())


@metric(
    "reloads.executed",
    unit="operands",
    deterministic=True,
    needs=[Need.RUNS, Need.CODE],
    tracks=_SPEED,
    can_be_zero=True,
)
def reloads_executed(subject: Subject) -> Breakdown:
    """Loads from spill slots, each as often as its block was executed."""
    return _sum(subject, lambda block: block.reloads, subject.evidence.profile.executions.tolist())


def _once(subject: Subject) -> list[int]:
    return [1] * len(subject.evidence.blocks.blocks)


def _sum(subject: Subject, operands: Callable[[Block], int], weights: Sequence[int]) -> Breakdown:
    code = subject.evidence.blocks
    if code.spills_unknown:
        raise NotMeasurableError(code.spills_unknown)
    functions: dict[str, int] = {}
    for block, weight in zip(code.blocks, weights, strict=True):
        if count := operands(block) * weight:
            functions[block.function] = functions.get(block.function, 0) + count
    return Breakdown(sum(functions.values()), functions)
