"""What a ``search.py`` is given: LLVM 22 with the program in memory, one line or many, until the budget is spent.

It runs in the sandbox, beside the policy and what it imports; nothing else of the harness is there.
"""

import struct
from collections.abc import Sequence

from harness.problems.passes.session import wire
from harness.problems.programs.session.client import Budgeted, BudgetSpent, SessionLost
from harness.problems.programs.session.wire import request

__all__ = ["BudgetSpent", "Line", "Session", "SessionLost"]


class Session(Budgeted):
    """The program, and what can be done to it. Its methods raise BudgetSpent; and SessionLost, after which every line
    is gone, and ``line`` begins anew.
    """

    def __init__(self, read: int, write: int, actions: Sequence[str], seconds: float, trials: int) -> None:
        """Descriptors of the harness; the names of the actions; CPU seconds to use, and trials to have at least."""
        super().__init__(read, write, seconds, trials)
        self.actions = tuple(actions)
        """Names of the passes, by the numbers that everything else takes."""

    def line(self) -> "Line":
        """The program as it is before any pass, as a new line."""
        return Line(self, _number(self.ask(request(wire.Kind.OPEN, 0))), ())

    def propose(self, actions: Sequence[int]) -> None:
        """The best list so far: it counts if ``search`` does not come to its end."""
        self.ask(wire.actions_request(wire.Kind.PROPOSE, actions))


class Line:
    """One version of the program on its way through passes."""

    def __init__(self, session: Session, number: int, actions: tuple[int, ...]) -> None:
        """``number``: the session's."""
        self._session = session
        self._number = number
        self.actions = actions
        """What was run on it, oldest first."""

    def apply(self, *actions: int) -> int:
        """Run passes; the number of IR instructions after the last."""
        return self._apply(actions, wire.Count.LAST)[1][-1]

    def run(self, *actions: int) -> None:
        """Run passes, and count nothing."""
        self._apply(actions, wire.Count.NEVER)

    def steps(self, *actions: int) -> list[tuple[bool, int]]:
        """Run passes; of each, whether it changed anything, and the number of IR instructions after it."""
        changed, counts = self._apply(actions, wire.Count.EACH)
        return list(zip(map(bool, changed), counts, strict=True))

    def fork(self) -> "Line":
        """A copy. Passes may go on otherwise from a copy than from the original: the list is what counts."""
        return Line(self._session, _number(self._ask(wire.Kind.FORK)), self.actions)

    def reset(self) -> None:
        """The program as it is before any pass."""
        self._ask(wire.Kind.RESET)
        self.actions = ()

    def drop(self) -> None:
        """Give the line's memory back."""
        self._ask(wire.Kind.DROP)

    def count(self) -> int:
        """IR instructions: the metric ir.instructions."""
        self._session.trials += 1
        return _number(self._see(wire.What.COUNT))

    def size(self) -> int:
        """Bytes loaded of the object: the metric size.alloc."""
        self._session.trials += 1
        return _number(self._see(wire.What.OBJECT)[:8])

    def autophase(self) -> tuple[int, ...]:
        """The 56 features of docs/observations.md."""
        return struct.unpack("<56q", self._see(wire.What.AUTOPHASE))

    def ir2vec(self) -> tuple[float, ...]:
        """LLVM's symbolic embedding of docs/observations.md."""
        rest = self._see(wire.What.IR2VEC)
        return struct.unpack(f"<{len(rest) // 8}d", rest)

    def text(self) -> str:
        """The program as LLVM's text."""
        return self._see(wire.What.TEXT).decode("utf-8", "replace")

    def is_right(self) -> bool:
        """Whether the program, made of the list by the tools that will be measured, gives the right outputs, and is the
        same in every process.
        """
        return bool(_number(self._session.ask(wire.actions_request(wire.Kind.CHECK, self.actions))))

    def _apply(self, actions: Sequence[int], count: wire.Count) -> tuple[bytes, tuple[int, ...]]:
        counted = len(actions) if count & wire.Count.EACH else int(bool(count))
        self._session.looks += counted
        rest = self._session.ask(wire.steps_request(self._number, actions, count))
        self.actions += tuple(actions)
        self._session.trials += counted
        return wire.steps_of(rest, len(actions))

    def _see(self, what: wire.What) -> bytes:
        self._session.looks += 1
        return self._session.ask(request(wire.Kind.OBSERVE, self._number, bytes([what])))

    def _ask(self, kind: wire.Kind) -> bytes:
        return self._session.ask(request(kind, self._number))


def _number(rest: bytes) -> int:
    return int.from_bytes(rest, "little")
