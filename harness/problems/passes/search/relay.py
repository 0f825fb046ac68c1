"""Between a search in its sandbox and the session in another: every request is looked at, counted and answered.

The search is not trusted. It has so many CPU seconds of LLVM, and it may ask for nothing that a session does not give.
Whatever it does, it ends: with the list that it returns, with the last one that it proposed, or with an outcome.
"""

import struct
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from harness.base.errors import CellError
from harness.base.process import counted, last_words
from harness.base.vocabulary import Outcome
from harness.problems.passes.session.session import Session
from harness.problems.passes.session.wire import (
    SIZE,
    Count,
    Kind,
    Reply,
    Status,
    What,
    actions_of,
    reply_with,
)
from harness.problems.passes.session.worker import SessionLost
from harness.sandbox import Finished, Job, Reason
from harness.sandbox.dialogue import Dialogue, Gone, Late
from harness.sandbox.run import Sandbox

__all__ = ["Budget", "Check", "Found", "run_search"]

_HEAD = struct.Struct("<BI")
_LONGEST_REQUEST = 1 << 20
_MOST_ACTIONS = 10_000
"""Of one request, and of a list."""
_MOST_LOST = 50
"""Sessions that a search may lose: after so many its actions are at fault."""
_GRACE = 5.0
"""Seconds that a search has to say what it found when its budget is spent."""
_LAST = 1.0
"""CPU seconds that a request may take, at least, when it is the budget that ends it."""
_BETWEEN = 8
"""Requests that look at nothing which a search may make between two looks when its seconds are spent: to begin a line,
to run a list, to do both again after a lost session, and to have one list checked.
"""
_PASSES = 100
"""Passes that count as one more of these requests: a list of a search has fewer."""
_CHECKS = 1
"""Checks among them."""
_FORWARDED = frozenset({Kind.APPLY, Kind.OBSERVE, Kind.FORK, Kind.RESET, Kind.DROP, Kind.OPEN})


@dataclass(frozen=True, slots=True)
class Budget:
    """What a search may use."""

    seconds: float
    """CPU seconds of LLVM: of passes, of code that is generated to be measured, and of checks."""
    trials: int
    """Modules that it may look at, however long that takes: large programs are not compiled often otherwise."""
    patience: float
    """Wall seconds between two requests."""

    @property
    def wall(self) -> float:
        """Seconds after which a search is ended, whatever it has used."""
        return 10 * self.seconds + self.patience * (1 + self.trials)

    @property
    def thinking(self) -> float:
        """Wall seconds between all requests together: while LLVM works, none of them go by."""
        return 10 * self.seconds + self.patience


@dataclass(frozen=True, slots=True)
class Check:
    """What a search may ask of a list."""

    behaves: Callable[[tuple[int, ...]], bool]
    """Whether it gives a program with the right outputs."""
    repeats: Callable[[tuple[int, ...]], bool]
    """Whether it gives the same program again."""


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a search."""

    actions: tuple[int, ...]
    trials: int
    """Modules whose cost it looked at: counted, or generated."""
    steps: int
    """Passes that it ran."""
    cpu: float
    """CPU seconds of LLVM and of the search."""


def run_search(
    job: Job, name: str, open_session: Callable[[], Session], known: int, check: Check, budget: Budget,
    sandbox: Sandbox,
) -> Found:  # fmt: skip
    """Let it search. ``name``: of the submission's file; ``known``: how many actions there are; ``check``: of a
    list.

    Raises CellError: ``policy-error`` for a search that ends without a list, ``policy-timeout`` for one that is late.
    """
    relay = _Relay(open_session, known, check, budget)
    dialogue = Dialogue(job, sandbox)
    try:
        finished = relay.serve(dialogue)
    finally:
        relay.close()
        with suppress(Exception):
            dialogue.end()
    actions = relay.result if relay.result is not None else relay.proposed
    if actions is None:
        raise _without_list(name, finished, relay)
    return Found(actions, relay.trials, relay.steps, relay.cpu + finished.total_cpu)


def _without_list(name: str, finished: Finished, relay: "_Relay") -> CellError:
    words = last_words(finished.stderr)
    if relay.late or finished.out_of_time:
        why = finished.ending if finished.out_of_time else relay.late
        return CellError(Outcome.POLICY_TIMEOUT, f"{name}: {why}, and no list{words}", transient=True)
    if relay.fault:
        return CellError(Outcome.POLICY_ERROR, f"{name}: {relay.fault}{words}")
    if finished.reason is Reason.EXIT and finished.value == 0:
        return CellError(Outcome.POLICY_ERROR, f"{name} ended without a list{words}")
    return CellError(Outcome.POLICY_ERROR, f"{name}: {finished.ending}{words}", finished.transient)


@dataclass
class _Relay:
    """One search."""

    open_session: Callable[[], Session]
    known: int
    """Actions that a session has."""
    check: Check
    budget: Budget
    proposed: tuple[int, ...] | None = None
    result: tuple[int, ...] | None = None
    trials: int = 0
    steps: int = 0
    late: str = ""
    """What it did not do in time."""
    fault: str = ""
    _session: Session | None = None
    _looks: int = 0
    """At modules, whether at their cost or at what tells it: features, text; and what is taken for looks."""
    _between: int = 0
    """Requests since the last look, made when the seconds were spent."""
    _checks: int = 0
    """Those of them that were checks."""
    _spent: float = 0.0
    """Seconds of sessions that were lost, and of checks."""
    _lost: int = 0

    @property
    def cpu(self) -> float:
        """CPU seconds of LLVM."""
        return self._spent + (self._session.cpu if self._session is not None else 0.0)

    @property
    def is_spent(self) -> bool:
        """Whether it has had its seconds and the trials that it has at least."""
        return self._without_seconds and self._looks >= self.budget.trials

    @property
    def _without_seconds(self) -> bool:
        return self.cpu >= self.budget.seconds

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self._spent += self._session.cpu
            self._session.close()
            self._session = None

    def serve(self, dialogue: Dialogue) -> Finished:
        """Answer until the search has a result or is gone, late or at fault; how it ended."""
        thought = 0.0
        spent_at: float | None = None
        try:
            while self.result is None and not self.fault:
                now = time.monotonic()
                if self.is_spent and spent_at is None:
                    spent_at = now
                left = self.budget.thinking - thought if spent_at is None else spent_at + _GRACE - now
                if left <= 0:
                    raise Late
                content = self._request(dialogue, min(left, self.budget.patience))
                thought += time.monotonic() - now
                dialogue.write(reply_with(self._answer(content)), self.budget.patience)
        except Late:
            if spent_at is not None:
                self.late = f"it did not end within {_GRACE:g} s after its budget was spent"
            elif self.budget.thinking - thought < self.budget.patience:
                self.late = f"it thought for {self.budget.thinking:g} s in all, and did not spend its budget"
            else:
                self.late = f"nothing was heard of it for {self.budget.patience:g} s"
        except Gone:
            pass
        return dialogue.end()

    def _request(self, dialogue: Dialogue, patience: float) -> bytes:
        (size,) = SIZE.unpack(dialogue.read(SIZE.size, patience))
        if not _HEAD.size <= size <= _LONGEST_REQUEST:
            self.fault = "it sends what is no request"
            raise Gone
        return dialogue.read(size, self.budget.patience)

    def _answer(self, content: bytes) -> Reply:
        number, line = _HEAD.unpack_from(content)
        rest = content[_HEAD.size :]
        try:
            kind = Kind(number)
            if kind in (Kind.PROPOSE, Kind.RESULT, Kind.CHECK):
                return self._about_list(kind, self._list(rest))
            if kind not in _FORWARDED:
                raise ValueError("a search cannot ask for that")
            if self.is_spent:
                return self._spent_reply()
            return self._forward(kind, line, rest)
        except (ValueError, struct.error) as error:
            return Reply(Status.BAD, self.cpu, str(error).encode())

    def _list(self, rest: bytes) -> tuple[int, ...]:
        actions = actions_of(rest)
        if len(actions) > _MOST_ACTIONS or any(action >= self.known for action in actions):
            raise ValueError(f"a list has at most {_MOST_ACTIONS} actions, numbered below {self.known}")
        return actions

    def _about_list(self, kind: Kind, actions: tuple[int, ...]) -> Reply:
        if kind is Kind.CHECK:
            if self.is_spent:
                return self._spent_reply()
            self._without_look(len(actions), is_check=True)
            with counted() as used:
                right = self.check.behaves(actions)
            self._spent += used.cpu
            right = right and self.check.repeats(actions)  # the harness's doubt, at the harness's cost
            return Reply(Status.GOOD, self.cpu, bytes([right]))
        self.proposed = actions
        if kind is Kind.RESULT:
            self.result = actions
        return Reply(Status.GOOD, self.cpu, b"")

    def _forward(self, kind: Kind, line: int, rest: bytes) -> Reply:
        session = self._opened()
        left = self._left(session)
        steps = self._accounted(kind, rest)
        try:
            return session.forward(kind, line, rest, steps, left)
        except SessionLost as lost:
            self.close()
            if lost.why is None and self.is_spent:
                return self._spent_reply()
            self._lost += 1
            if self._lost > _MOST_LOST:
                self.fault = f"it has lost {self._lost} sessions, the last one {lost.message}"
            return Reply(Status.LOST, self.cpu, lost.message.encode())

    def _left(self, session: Session) -> float:
        """CPU seconds that the next request may take: what is left of the budget; as much as a step, for trials that
        it has however long they take.
        """
        least = session.limits.seconds if self._looks < self.budget.trials else _LAST
        return max(self.budget.seconds - self.cpu, least)

    def _accounted(self, kind: Kind, rest: bytes) -> int:
        """The steps of a request. Raises ValueError for one that has too many."""
        if kind is Kind.APPLY:
            flags, steps = Count(rest[0] & 3) if rest else Count.NEVER, max(len(rest) - 1, 0) // 2
            if steps > _MOST_ACTIONS:
                raise ValueError(f"more than {_MOST_ACTIONS} actions at once")
            self.steps += steps
            counted = steps if flags & Count.EACH else int(bool(flags & Count.LAST))
            self.trials += counted
            if counted:
                self._looked(counted)
            else:
                self._without_look(steps)
            return steps
        if kind is Kind.OBSERVE:
            self._looked(1)
            self.trials += rest in (bytes([What.COUNT]), bytes([What.OBJECT]))
        elif kind is not Kind.DROP:
            self._without_look()
        return 1

    def _looked(self, looks: int) -> None:
        self._looks += looks
        self._between = self._checks = 0

    def _without_look(self, passes: int = 0, *, is_check: bool = False) -> None:
        """Once the seconds are spent a request counts as a look if there were too many since the last one: a search
        that never looks would have LLVM, and checks, for as long as it likes.
        """
        if not self._without_seconds:
            return
        self._between += 1 + passes // _PASSES
        self._checks += is_check
        if self._between > _BETWEEN or self._checks > _CHECKS:
            self._looks += 1

    def _opened(self) -> Session:
        if self._session is None:
            self._session = self.open_session()
        return self._session

    def _spent_reply(self) -> Reply:
        return Reply(Status.SPENT, self.cpu, f"{self.budget.seconds:g} CPU seconds are spent".encode())
