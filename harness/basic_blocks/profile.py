"""How often each block ran: the counts of one or several runs laid over the code."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.basic_blocks.code import Code
from harness.basic_blocks.counts import Counts

if TYPE_CHECKING:
    from harness.basic_blocks.counts import Integers

__all__ = ["OUTSIDE", "Profile", "executions_at", "profile"]

OUTSIDE = "(libc and start-up)"
"""Stands for the functions of the linked program that are not the object's."""


@dataclass(frozen=True)
class Profile:
    """All runs together."""

    executions: "Integers"
    """Of each block of the code, in its order."""
    in_blocks: int
    """Instructions of all blocks, each as often as it was executed."""
    padding: int
    """Executed padding instructions between blocks."""
    by_function: dict[str, dict[str, int]]
    """``instructions``, ``loads``, ``stores`` → function → count; libc and start-up under ``OUTSIDE``."""

    @property
    def inside(self) -> int:
        """Instructions of the object that were executed: ``in_blocks`` and ``padding`` together."""
        return sum(n for name, n in self.by_function["instructions"].items() if name != OUTSIDE)

    @property
    def outside(self) -> int:
        """Instructions of libc and start-up that were executed."""
        return self.by_function["instructions"].get(OUTSIDE, 0)


def profile(code: Code, runs: Sequence[Counts]) -> Profile:
    """Lay the runs over the code."""
    import numpy

    starts = numpy.array([block.address for block in code.blocks], numpy.int64)
    ends = numpy.array([block.address + block.size + block.padding for block in code.blocks], numpy.int64)
    tails = numpy.array([block.address + block.size for block in code.blocks], numpy.int64)
    nops = numpy.array([block.nops for block in code.blocks], numpy.int64)
    numbers = {name: number for number, name in enumerate(code.functions)}
    owners = numpy.array([numbers[block.function] for block in code.blocks], numpy.int64)
    outside = len(numbers)
    executions = numpy.zeros(len(starts), numpy.int64)
    sums = {kind: numpy.zeros(outside + 1, numpy.int64) for kind in ("instructions", "loads", "stores")}
    parts = [(block.address + offset, count) for block in code.blocks for offset, count in block.segments]
    segments = numpy.array(parts, numpy.int64).reshape(-1, 2)
    padding = in_blocks = 0
    for run in runs:
        executions += executions_at(run, starts)
        owner = numpy.full(len(run.address), outside, numpy.int64)
        if len(starts):
            place = numpy.searchsorted(starts, run.address, side="right") - 1
            held = (place >= 0) & (run.address < ends[place])
            owner[held] = owners[place[held]]
            in_blocks += int((segments[:, 1] * executions_at(run, segments[:, 0])).sum())
            padding += int((nops * executions_at(run, tails))[nops > 0].sum())
        numpy.add.at(sums["instructions"], owner, run.instructions * run.executions)
        numpy.add.at(sums["loads"], owner, run.loads)
        numpy.add.at(sums["stores"], owner, run.stores)
    names = [*code.functions, OUTSIDE]
    by_function = {
        kind: {name: int(value) for name, value in zip(names, values, strict=True) if value}
        for kind, values in sums.items()
    }
    return Profile(executions, in_blocks, padding, by_function)


def executions_at(run: Counts, addresses: "Integers") -> "Integers":
    """How often the instruction at each address was executed: the executions of the TBs that hold it."""
    import numpy

    by_end = numpy.argsort(run.address + run.size, kind="stable")
    ends = (run.address + run.size)[by_end]
    begun = numpy.concatenate(([0], numpy.cumsum(run.executions)))
    ended = numpy.concatenate(([0], numpy.cumsum(run.executions[by_end])))
    at = begun[numpy.searchsorted(run.address, addresses, side="right")]
    past = ended[numpy.searchsorted(ends, addresses, side="right")]
    result: Integers = at - past
    return result
