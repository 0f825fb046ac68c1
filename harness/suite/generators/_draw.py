"""Draws that all generators share, made of ``Random.random`` alone (see the package's docstring)."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import TypeVar

from harness.base.errors import UsageError

__all__ = ["Zipf", "at_least", "below", "between", "one_of", "pick", "shuffle"]

T = TypeVar("T")


def below(random: Random, limit: int) -> int:
    """An integer of 0 … limit-1; ``limit`` stays far below 2**53."""
    return int(random.random() * limit)


def between(random: Random, low: int, high: int) -> int:
    """An integer of low … high, both included."""
    return low + int(random.random() * (high - low + 1))


def pick(random: Random, items: Sequence[T]) -> T:
    """One of the items, all equally likely."""
    return items[int(random.random() * len(items))]


def shuffle(random: Random, items: list[T]) -> None:
    """Bring the items into random order, in place (Fisher and Yates)."""
    for last in range(len(items) - 1, 0, -1):
        other = below(random, last + 1)
        items[last], items[other] = items[other], items[last]


class Zipf:
    """Draws ranks 0 … count-1, rank r with a weight of 1 / (r + offset)."""

    def __init__(self, count: int, offset: float) -> None:
        self._bounds = list(accumulate(1.0 / (rank + offset) for rank in range(count)))
        self._last = count - 1

    def draw(self, random: Random) -> int:
        """One rank."""
        return min(bisect_right(self._bounds, random.random() * self._bounds[-1]), self._last)


def one_of(what: str, value: T, allowed: Sequence[T]) -> None:
    """Raise UsageError unless ``value`` is one of the ``allowed``."""
    if value not in allowed:
        raise UsageError(f"{what} = {value!r}: must be one of {', '.join(repr(a) for a in allowed)}")


def at_least(what: str, value: int, minimum: int) -> None:
    """Raise UsageError when ``value`` is below ``minimum``."""
    if value < minimum:
        raise UsageError(f"{what} = {value}: must be at least {minimum}")
