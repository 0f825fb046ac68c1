"""What a solver prints, as it comes: lines ``[0, 2, 1, …]``, each a whole assignment, the later the better.

The contest takes the last one. Solvers that improve what they have print again and again, and are stopped at the limit:
a line that is not finished then does not count. Lines that do not begin with ``[`` are remarks. While the solver runs
its lines are only kept, each with its moment; reading them would take time from it.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from harness.base.reading import MIB
from harness.problems.instances.domain import Integers

__all__ = ["Answer", "Answers"]

_BYTES_A_PLACE = 24
"""At most: sixty-four bits in decimal, a comma, spaces. A longer line is nothing that could be read."""
_MOST_ANSWERS = 1_000
_MOST_PLACES = 32_000_000
"""In all answers together: to judge so many takes ten seconds."""
_MOST_HELD = 512 * MIB
"""Bytes of lines. Of more answers than one of these three allows every second is forgotten, but for the last."""


@dataclass(frozen=True, eq=False, slots=True)
class Answer:
    """An assignment of the right form, feasible or not."""

    seconds: float
    """When its line was complete, from the solver's start."""
    assignment: Integers
    """[places]"""


@dataclass
class Answers:
    """Reads a solver's output in pieces, in bounded memory whatever it prints."""

    size: int
    """How many places the instance has."""
    places: str
    choices: str
    """What these, and the numbers chosen for them, are called."""
    back: Callable[[Integers], Integers] | None = None
    """What turns an assignment to a renumbered copy into one to the instance."""
    read: int = 0
    """Bytes so far."""
    _lines: list[tuple[float, bytes | None]] = field(default_factory=list)
    """When each was complete; None for one that is too long."""
    _held: int = 0
    _line: bytearray = field(default_factory=bytearray)
    _too_long: bool = False

    def __iter__(self) -> Iterator[Answer]:
        """Those of the right form, in the order of their coming."""
        for seconds, line in self._lines:
            if not isinstance(found := self._assignment(line), str):
                yield Answer(seconds, found)

    @property
    def last(self) -> Answer | None:
        """The one that counts; None where the last is malformed or nothing came."""
        if not self._lines:
            return None
        seconds, line = self._lines[-1]
        found = self._assignment(line)
        return None if isinstance(found, str) else Answer(seconds, found)

    @property
    def fault(self) -> str | None:
        """What is wrong with the last line that begins as an assignment; None: nothing."""
        found = self._assignment(self._lines[-1][1]) if self._lines else None
        return f"the last assignment printed is malformed: {found}" if isinstance(found, str) else None

    def feed(self, piece: bytes, seconds: float) -> None:
        """Bytes that were read ``seconds`` after the solver's start."""
        self.read += len(piece)
        *complete, rest = piece.split(b"\n")
        for end in complete:
            self._append(end)
            self._finish_line(seconds)
        self._append(rest)

    def close(self, seconds: float) -> None:
        """The solver has ended by itself: what it printed last is a line, with or without an end."""
        self._finish_line(seconds)

    def _append(self, piece: bytes) -> None:
        if len(self._line) + len(piece) > _BYTES_A_PLACE * (self.size + 8):
            self._too_long = True
            piece = piece[:1] if not self._line else b""
        self._line += piece

    def _finish_line(self, seconds: float) -> None:
        line = bytes(self._line).strip()
        found = None if self._too_long else line
        self._line.clear()
        self._too_long = False
        if not line.startswith(b"[") or (self._lines and found is not None and self._lines[-1][1] == found):
            return  # a remark; or what was printed before, which is no news
        self._lines.append((seconds, found))
        self._held += len(found or b"")
        most = min(_MOST_ANSWERS, max(2, _MOST_PLACES // max(self.size, 1)))
        if len(self._lines) > most or self._held > _MOST_HELD:
            self._lines = [*self._lines[:-1:2], self._lines[-1]]
            self._held = sum(len(kept or b"") for _, kept in self._lines)

    def _assignment(self, line: bytes | None) -> Integers | str:
        """The line's vector, or what is wrong with it."""
        if line is None:
            return f"it is too long for {self.size:,} {self.places}"
        try:
            given = json.loads(line)
        except (ValueError, RecursionError):
            return "it is no list of integers"
        if not isinstance(given, list) or not all(type(value) is int for value in given):
            return "it is no list of integers"
        if len(given) != self.size:
            return f"it has {len(given):,} {self.choices} for {self.size:,} {self.places}"
        try:
            found = np.array(given, np.int64)
        except OverflowError:
            return "a number in it exceeds 64 bits"
        return found if self.back is None else self.back(found)
