"""Delta debugging: from items that together pass a test to few that do. Pure; a test is whatever the caller says.

The method is that of Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002), with one
change for items that come sorted: a short beginning of the list is looked for first, and then ever smaller pieces are
left out, from the end on. The test need not be monotone: only what passed is ever kept.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Found", "Test", "beginning", "fewest"]

Item = TypeVar("Item", bound=Hashable)
Test = Callable[[Sequence[frozenset[Item]]], Sequence[bool]]
"""Whether each of some sets passes. They may be looked at together."""


@dataclass(frozen=True)
class Found(Generic[Item]):
    """What the search came to."""

    items: tuple[Item, ...]
    """They pass, in the order given."""
    complete: bool
    """The search came to its end: for ``fewest``, without any one of them they do not pass."""
    tests: int
    """How many sets were tested."""


def beginning(items: Sequence[Item], test: "Test[Item]", *, most: int) -> Found[Item]:
    """A short beginning of ``items`` that passes: its length is doubled until it does, then halved in between.

    ``items``: distinct, the most promising first; all together they pass, which is not tested. ``most``: how many
    sets may be tested.
    """
    search = _Search(items, test, most, 1)
    return search.result(search.shorten)


def fewest(items: Sequence[Item], test: "Test[Item]", *, most: int, batch: int = 1) -> Found[Item]:
    """A subset of ``items`` that passes, and of which none can be left out (1-minimal).

    As ``beginning``. ``batch``: how many sets are tested at a time; the answer depends on it only where ``most``
    ends the search.
    """
    search = _Search(items, test, most, batch)
    return search.result(search.thin_out)


class _ExhaustedError(Exception):
    """There are no tests left."""


class _Search(Generic[Item]):
    """``kept`` is always a set that passes."""

    def __init__(self, items: Sequence[Item], test: "Test[Item]", most: int, batch: int) -> None:
        self.kept = list(items)
        self.tests = 0
        self._test, self._most, self._batch = test, most, batch
        self._known: dict[frozenset[Item], bool] = {frozenset(items): True}

    def result(self, work: Callable[[], None]) -> Found[Item]:
        """What it comes to."""
        try:
            work()
        except _ExhaustedError:
            return Found(tuple(self.kept), False, self.tests)
        return Found(tuple(self.kept), True, self.tests)

    def shorten(self) -> None:
        """See ``beginning``."""
        lengths = [1 << power for power in range(len(self.kept).bit_length()) if 1 << power < len(self.kept)]
        low = 0
        for length in lengths:
            if self._first([self.kept[:length]]) == 0:
                self.kept = self.kept[:length]
                break
            low = length
        while len(self.kept) - low > 1:
            middle = (low + len(self.kept)) // 2
            if self._first([self.kept[:middle]]) == 0:
                self.kept = self.kept[:middle]
            else:
                low = middle

    def thin_out(self) -> None:
        """See ``fewest``: halves, quarters, … and at last single items are left out, until none can be."""
        size = max(1, len(self.kept) // 2)
        while True:
            before = len(self.kept)
            self._leave_out(size)
            if size == 1 and len(self.kept) == before:
                return
            size = max(1, size // 2)

    def _leave_out(self, size: int) -> None:
        end = len(self.kept)
        while end > 0:
            ends = range(end, 0, -size)[: self._batch]
            found = self._first([self.kept[: max(0, e - size)] + self.kept[e:] for e in ends])
            if found is None:
                end = ends[-1] - size
            else:
                end = max(0, ends[found] - size)
                self.kept = self.kept[:end] + self.kept[ends[found] :]

    def _first(self, candidates: Sequence[Sequence[Item]]) -> int | None:
        """Place of the first candidate that passes. Raises _ExhaustedError where there is no telling."""
        sets = [frozenset(candidate) for candidate in candidates]
        asked = list(dict.fromkeys(one for one in sets if one not in self._known))[: self._most - self.tests]
        if asked:
            self.tests += len(asked)
            self._known.update(zip(asked, self._test(asked), strict=True))
        for place, one in enumerate(sets):
            if one not in self._known:
                raise _ExhaustedError
            if self._known[one]:
                return place
        return None
