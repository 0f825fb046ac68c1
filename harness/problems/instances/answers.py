"""What a solver prints, as it comes: lines ``[0, 2, 1, …]``, each a whole assignment, the later the better.

The contest takes the last one. Solvers that improve what they have print again and again, and are stopped at the limit:
a line that is not finished then does not count. Lines that do not begin with ``[`` are remarks.
"""

import json
from dataclasses import dataclass, field

import numpy as np

from harness.problems.instances.domain import Integers

__all__ = ["Answer", "Answers"]

_BYTES_A_PLACE = 24
"""At most: sixty-four bits in decimal, a comma, spaces. A longer line is nothing that could be read."""
_APART = 0.5
"""Seconds. Of answers that come faster one after the other, the last is kept."""


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
    kept: list[Answer] = field(default_factory=list)
    """In the order of their coming."""
    fault: str | None = None
    """What is wrong with the last line that begins as an assignment; None: nothing."""
    read: int = 0
    """Bytes so far."""
    _line: bytearray = field(default_factory=bytearray)
    _too_long: bool = False

    @property
    def last(self) -> Answer | None:
        """The one that counts; None where the last is malformed or nothing came."""
        return self.kept[-1] if self.kept and self.fault is None else None

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
        line, too_long = bytes(self._line).strip(), self._too_long
        self._line.clear()
        self._too_long = False
        if not line.startswith(b"["):
            return
        found = f"it is too long for {self.size:,} {self.places}" if too_long else self._assignment(line)
        if isinstance(found, str):
            self.fault = f"the last assignment printed is malformed: {found}"
            return
        self.fault = None
        if len(self.kept) > 1 and self.kept[-1].seconds - self.kept[-2].seconds < _APART:
            self.kept.pop()
        self.kept.append(Answer(seconds, found))

    def _assignment(self, line: bytes) -> Integers | str:
        """The line's vector, or what is wrong with it."""
        try:
            given = json.loads(line)
        except (ValueError, RecursionError):
            return "it is no list of integers"
        if not isinstance(given, list) or not all(type(value) is int for value in given):
            return "it is no list of integers"
        if len(given) != self.size:
            return f"it has {len(given):,} {self.choices} for {self.size:,} {self.places}"
        try:
            return np.array(given, np.int64)
        except OverflowError:
            return "a number in it exceeds 64 bits"
