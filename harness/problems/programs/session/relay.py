"""Between a search in its sandbox and the session in another: every request is looked at, counted and answered.

The search is not trusted. It has so many CPU seconds of LLVM. Whatever it does, it ends: with what it returns, with
what it proposed last, or with an outcome.
"""

import struct
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass

from harness.base.errors import CellError
from harness.base.process import last_words
from harness.base.vocabulary import Outcome
from harness.problems.programs.session.wire import SIZE, Reply, Status, reply_with
from harness.sandbox import Finished, Job, Reason
from harness.sandbox.dialogue import Dialogue, Gone, Late
from harness.sandbox.run import Sandbox

__all__ = ["HEAD", "Budget", "Relay"]

HEAD = struct.Struct("<BI")
"""What a request begins with: what is wanted, and a line."""
_GRACE = 5.0
"""Seconds that a search has to say what it found when its budget is spent."""


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
        return 10 * self.seconds + self.trials + self.patience


class Relay(ABC):
    """One search. What it may ask, and what comes of it, is said by who inherits."""

    longest_request = 1 << 20
    """Bytes."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.late = ""
        """What it did not do in time."""
        self.fault = ""

    @property
    @abstractmethod
    def cpu(self) -> float:
        """CPU seconds of LLVM."""

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

    @abstractmethod
    def close(self) -> None:
        """End the session."""

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
        if not HEAD.size <= size <= self.longest_request:
            self.fault = "it sends what is no request"
            raise Gone
        return dialogue.read(size, self.budget.patience)

    def _answer(self, content: bytes) -> Reply:
        try:
            return self.answer(content)
        except (ValueError, struct.error) as error:
            return Reply(Status.BAD, self.cpu, str(error).encode())
