"""What the register allocator could not keep in registers: memory operands of spill slots."""

from collections.abc import Callable, Sequence
from functools import partial

from harness.base.vocabulary import SPEED
from harness.basic_blocks import Block
from harness.measure.evidence import Need
from harness.measure.missing import NotMeasurableError
from harness.measure.registry import Breakdown, Subject, metric

_operands = partial(metric, unit="operands", deterministic=True, tracks=[SPEED], can_be_zero=True)
_IN_CODE = [Need.CODE]
_AS_EXECUTED = [Need.RUNS, Need.CODE]


@_operands("spills", needs=_IN_CODE)
def spills(subject: Subject) -> Breakdown:
    """Stores to spill slots in the finished code."""
    return _sum(subject, lambda block: block.spills, _once(subject))


@_operands("reloads", needs=_IN_CODE)
def reloads(subject: Subject) -> Breakdown:
    """Loads from spill slots in the finished code."""
    return _sum(subject, lambda block: block.reloads, _once(subject))


@_operands("spills.static", needs=_IN_CODE, whole=False)
def spills_static(subject: Subject) -> Breakdown:
    """Stores to spill slots per call of each function, by LLVM's expected block frequencies; their sum."""
    return _sum(subject, lambda block: block.spills, _expected(subject))


@_operands("reloads.static", needs=_IN_CODE, whole=False)
def reloads_static(subject: Subject) -> Breakdown:
    """Loads from spill slots per call of each function, by LLVM's expected block frequencies; their sum."""
    return _sum(subject, lambda block: block.reloads, _expected(subject))


@_operands("spills.executed", needs=_AS_EXECUTED)
def spills_executed(subject: Subject) -> Breakdown:
    """Stores to spill slots, each as often as its block was executed."""
    return _sum(subject, lambda block: block.spills, subject.evidence.profile.executions.tolist())


@_operands("reloads.executed", needs=_AS_EXECUTED)
def reloads_executed(subject: Subject) -> Breakdown:
    """Loads from spill slots, each as often as its block was executed."""
    return _sum(subject, lambda block: block.reloads, subject.evidence.profile.executions.tolist())


def _once(subject: Subject) -> list[int]:
    return [1] * len(subject.evidence.blocks.blocks)


def _expected(subject: Subject) -> list[float]:
    return [block.frequency for block in subject.evidence.blocks.blocks]


def _sum(subject: Subject, operands: Callable[[Block], int], weights: Sequence[float]) -> Breakdown:
    code = subject.evidence.blocks
    if code.spills_unknown:
        raise NotMeasurableError(code.spills_unknown)
    functions: dict[str, float] = {}
    for block, weight in zip(code.blocks, weights, strict=True):
        if count := operands(block) * weight:
            functions[block.function] = functions.get(block.function, 0) + count
    # Rounded, so that it does not depend on the last digits of a sum's order.
    return Breakdown(round(sum(functions.values()), 6), {name: round(sum_, 6) for name, sum_ in functions.items()})
