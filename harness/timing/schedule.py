"""Who is timed when: pure, without a clock.

A block times every object of one program once, in turns and in one layout. Rounds go over the programs in
random order, a block each, so that a disturbance of a minute falls on all of them a little. A program is
done when its pairs are precise enough; everything is when the budget is spent.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from harness.base.digest import digest_of
from harness.statistics.paired import FLOOR, MIN_PAIRS, SEQUENTIAL, paired_effect

__all__ = [
    *(
        "Plan",
        "Turns",
        "is_precise",
        "layout_of",
        "padding_of",
        "passes_for",
        "rounds",
        "shortage",
        "shuffled",
        "takes_moved",
    ),
    "turns",
]

Turns = Callable[[Sequence[int]], list[tuple[int, float]]]

_SHORTEST = 0.02
"""Seconds of CPU time in a block: shorter programs are run several times."""
_MOST_PASSES = 50
_PADDING = 4096
_MOVED_EACH = 3
_BESIDES = 1.15
"""What a block takes, of the CPU time of what is timed in it: programs are started, and references moved."""
_SHARE = 0.1
"""A large effect need be known only to this share of itself."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is timed."""

    budget: float
    """Seconds, for all programs together."""
    precision: float = FLOOR
    """Half-width of an interval, as a log-ratio, at which a program is timed no further."""
    least: int = MIN_PAIRS
    """Blocks of a program, whatever they show; fewer only when the budget is spent."""
    most: int = 30
    """Blocks of a program."""
    slice: float = 0.005
    """Seconds of a turn, on average."""


def passes_for(seconds: float) -> int:
    """How often a program of so many seconds is run in a block."""
    return min(_MOST_PASSES, max(1, math.ceil(_SHORTEST / seconds))) if seconds > 0 else 1


def layout_of(campaign: str, benchmark: str, number: int, *which: str) -> int:
    """The layout of a program's block: another in each, and the same when the campaign is read again.

    ``which``: another of that block.
    """
    return int(digest_of(["layout", campaign, benchmark, number, *which])[:7], 16)


def takes_moved(number: int) -> bool:
    """Whether a program's block of this number times the reference in another layout too."""
    return number % _MOVED_EACH == 0


def padding_of(layout: int) -> int:
    """Bytes that the environment is longer by: it shifts the stack."""
    return layout % _PADDING


def shuffled(names: Iterable[str], seed: int) -> list[str]:
    """The names in an order that follows from the seed."""
    found = sorted(names)
    Random(seed).shuffle(found)
    return found


def turns(seed: int, mean: float) -> Turns:
    """Rounds of turns: everyone once, in an order and for a time (half to one and a half of ``mean``) drawn anew."""
    random = Random(seed)

    def next_turns(alive: Sequence[int]) -> list[tuple[int, float]]:
        order = list(alive)
        random.shuffle(order)
        return [(number, mean * random.uniform(0.5, 1.5)) for number in order]

    return next_turns


def shortage(expected: Mapping[str, float], plan: Plan) -> str:
    """What is to be said before anything is timed where the budget is too small for what counts; else empty.

    ``expected``: seconds of a block of each program.
    """
    each = _BESIDES * sum(expected.values())
    if plan.least * each <= plan.budget:
        return ""
    pairs, enough = math.floor(plan.budget / each), math.ceil(plan.least * each / len(expected))
    return (
        f"about {pairs} pairs of each program: fewer than {plan.least} count as not measured; "
        f"--budget {enough} would be enough"
    )


def is_precise(pairs: Mapping[str, Sequence[float]], plan: Plan) -> bool:
    """Whether a program's pairs suffice: log-ratios of each object to the reference, one a block.

    Asks for widths only, never for signs: when to stop must not depend on who wins.
    """
    for values in pairs.values():
        if len(values) < plan.least:
            return False
        effect = paired_effect(np.array(values), confidence=SEQUENTIAL)
        if effect.half_width > max(plan.precision, _SHARE * abs(effect.estimate)):
            return False
    return True


def rounds(
    expected: Mapping[str, float],
    done: Mapping[str, int],
    plan: Plan,
    seed: int,
    is_done: Callable[[str], bool],
    spent: Callable[[], float],
) -> Iterator[tuple[str, int]]:
    """The blocks to take, one after the other: a program and the number of its block.

    ``expected``: seconds of a block of each program. ``done``: blocks that it has already. ``is_done`` is asked
    before each block of a program that has the least it needs; ``spent``: seconds since the campaign began. A block
    that would not end within the budget is not begun.
    """
    random = Random(seed)
    number = dict(done)
    left = list(expected)
    while left:
        random.shuffle(left)
        for name in list(left):
            at = number.get(name, 0)
            enough = at >= plan.most or (at >= plan.least and is_done(name))
            if enough or spent() + expected[name] > plan.budget:
                left.remove(name)
                continue
            number[name] = at + 1
            yield name, at
