"""Between a search in its sandbox and the session in another: every request is looked at, counted and answered.

The search is not trusted. It has so many CPU seconds of LLVM. Whatever it does, it ends: with what it returns, with
what it proposed last, or with an outcome.
"""

import struct
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from harness.base.errors import CellError
from harness.base.process import last_words
from harness.base.vocabulary import Outcome
from harness.problems.programs.session.wire import SIZE, Reply, Status, reply_with
from harness.problems.programs.session.worker import SessionLost
from harness.sandbox import Finished, Job, Reason
from harness.sandbox.dialogue import Dialogue, Gone, Late
from harness.sandbox.run import Sandbox

__all__ = ["HEAD", "Asked", "Budget", "Relay"]

HEAD = struct.Struct("<BI")
"""What a request begins with: what is wanted, and a line."""
_GRACE = 5.0
"""Seconds that a search has to say what it found when its budget is spent."""
_MOST_LOST = 50
"""Sessions that a search may lose: after so many what it asks is at fault."""


class Asked(Protocol):
    """What answers: a session."""

    @property
    def cpu(self) -> float:
        """CPU seconds that it has used."""

    def close(self) -> None:
        """End it."""


Session = TypeVar("Session", bound=Asked)


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
        """Wall seconds between all requests together, and for those that are answered without LLVM: while it works,
        none of them go by.
        """
        return 10 * self.seconds + self.trials + self.patience


class Relay(ABC, Generic[Session]):
    """One search, and its session, opened when it is first needed and after it was lost. What may be asked, and
    what comes of it, is said by who inherits.
    """

    longest_request = 1 << 20
    """Bytes."""

    def __init__(self, open_session: Callable[[], Session], budget: Budget) -> None:
        self.budget = budget
        self._open_session = open_session
        self._session: Session | None = None
        self._lost = 0
        self.spent = 0.0
        """Seconds of sessions that have ended, and of what else the search pays for."""
        self.late = ""
        """What it did not do in time."""
        self.fault = ""

    @property
    def cpu(self) -> float:
        """CPU seconds that it has used."""
        return self.spent + self._worked

    @property
    def _worked(self) -> float:
        """CPU seconds that LLVM has used in this session."""
        return self._session.cpu if self._session is not None else 0.0

    @property
    @abstractmethod
    def is_spent(self) -> bool:
        """Whether it has had its budget."""

    @property
    @abstractmethod
    def is_done(self) -> bool:
        """Whether it has said what it found."""

    @abstractmethod
    def answer(self, content: bytes) -> Reply:
        """The answer to a request. Sets ``fault`` where that was the last one. Raises ValueError and struct.error for a
        request that means nothing.
        """

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self.spent += self._session.cpu
            self._session.close()
            self._session = None

    def session(self) -> Session:
        """The session. Raises what opening one raises."""
        if self._session is None:
            self._session = self._open_session()
        return self._session

    def lost(self, lost: SessionLost) -> Reply:
        """End the session that was lost, and say so: to the search, or with ``fault``."""
        self.close()
        if lost.why is None and self.is_spent:
            return self.spent_reply()
        self._lost += 1
        if self._lost > _MOST_LOST:
            self.fault = f"it has lost {self._lost} sessions, the last one {lost.message}"
        return Reply(Status.LOST, self.cpu, lost.message.encode())

    def run(self, job: Job, sandbox: Sandbox) -> Finished:
        """Let it search, and end the session; how it ended."""
        dialogue = Dialogue(job, sandbox)
        try:
            return self._serve(dialogue)
        finally:
            self.close()
            with suppress(Exception):
                dialogue.end()

    def empty_handed(self, name: str, what: str, finished: Finished) -> CellError:
        """Why it ended without anything. ``name``: of the submission's file; ``what``: it should have found: a list.

        ``policy-timeout`` for a search that is late, ``policy-error`` for all others.
        """
        words = last_words(finished.stderr)
        if self.late or finished.out_of_time:
            why = finished.ending if finished.out_of_time else self.late
            return CellError(Outcome.POLICY_TIMEOUT, f"{name}: {why}, and no {what}{words}", transient=True)
        if self.fault:
            return CellError(Outcome.POLICY_ERROR, f"{name}: {self.fault}{words}")
        if finished.reason is Reason.EXIT and finished.value == 0:
            return CellError(Outcome.POLICY_ERROR, f"{name} ended without a {what}{words}")
        return CellError(Outcome.POLICY_ERROR, f"{name}: {finished.ending}{words}", finished.transient)

    def spent_reply(self) -> Reply:
        """That nothing more can be tried."""
        return Reply(Status.SPENT, self.cpu, f"{self.budget.seconds:g} CPU seconds are spent".encode())

    def _serve(self, dialogue: Dialogue) -> Finished:
        """Answer until the search has a result or is gone, late or at fault; how it ended."""
        thought = 0.0
        spent_at: float | None = None
        try:
            while not self.is_done and not self.fault:
                now = time.monotonic()
                if self.is_spent and spent_at is None:
                    spent_at = now
                left = self.budget.thinking - thought if spent_at is None else spent_at + _GRACE - now
                if left <= 0:
                    raise Late
                content = self._request(dialogue, min(left, self.budget.patience))
                asked, worked = time.monotonic(), self._worked
                reply = self._answer(content)
                # What is answered without LLVM is no trial: its time ends too.
                thought += (time.monotonic() if self._worked == worked else asked) - now
                dialogue.write(reply_with(reply), self.budget.patience)
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
        until = time.monotonic() + patience
        (size,) = SIZE.unpack(dialogue.read(SIZE.size, patience))
        if not HEAD.size <= size <= self.longest_request:
            self.fault = "it sends what is no request"
            raise Gone
        return dialogue.read(size, max(until - time.monotonic(), 0.0))

    def _answer(self, content: bytes) -> Reply:
        try:
            return self.answer(content)
        except (ValueError, struct.error) as error:
            return Reply(Status.BAD, self.cpu, str(error).encode())
