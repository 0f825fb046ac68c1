"""Between a search and the session of passes: what it may ask, and what that counts.

It may ask for nothing that a session does not give. It ends with the list that it returns, with the last one that it
proposed, or with an outcome.
"""

from collections.abc import Callable
from dataclasses import dataclass

from harness.base.process import counted
from harness.problems.passes.session.session import Session
from harness.problems.passes.session.wire import Count, Kind, What, actions_of
from harness.problems.programs.session.relay import HEAD, Budget, Relay
from harness.problems.programs.session.wire import Reply, Status
from harness.problems.programs.session.worker import SessionLost
from harness.sandbox import Job
from harness.sandbox.run import Sandbox

__all__ = ["Budget", "Check", "Found", "run_search"]

_MOST_ACTIONS = 10_000
"""Of one request, and of a list."""
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
    finished = relay.run(job, sandbox)
    actions = relay.result if relay.result is not None else relay.proposed
    if actions is None:
        raise relay.empty_handed(name, "list", finished)
    return Found(actions, relay.trials, relay.steps, relay.cpu + finished.total_cpu)


class _Relay(Relay[Session]):
    """One search."""

    def __init__(self, open_session: Callable[[], Session], known: int, check: Check, budget: Budget) -> None:
        """``known``: actions that a session has."""
        super().__init__(open_session, budget)
        self._known, self._check = known, check
        self.proposed: tuple[int, ...] | None = None
        self.result: tuple[int, ...] | None = None
        self.trials = 0
        self.steps = 0
        self._looks = 0
        """At modules, whether at their cost or at what tells it: features, text; and what is taken for looks."""
        self._between = 0
        """Requests since the last look, made when the seconds were spent."""
        self._checks = 0
        """Those of them that were checks."""

    @property
    def is_done(self) -> bool:
        """Whether it has returned a list."""
        return self.result is not None

    @property
    def is_spent(self) -> bool:
        """Whether it has had its seconds and the trials that it has at least."""
        return self._without_seconds and self._looks >= self.budget.trials

    @property
    def _without_seconds(self) -> bool:
        return self.cpu >= self.budget.seconds

    def answer(self, content: bytes) -> Reply:
        """As ``session/wire.py`` says."""
        number, line = HEAD.unpack_from(content)
        rest = content[HEAD.size :]
        kind = Kind(number)
        if kind in (Kind.PROPOSE, Kind.RESULT, Kind.CHECK):
            return self._about_list(kind, self._list(rest))
        if kind not in _FORWARDED:
            raise ValueError("a search cannot ask for that")
        if self.is_spent:
            return self.spent_reply()
        return self._forward(kind, line, rest)

    def _list(self, rest: bytes) -> tuple[int, ...]:
        actions = actions_of(rest)
        if len(actions) > _MOST_ACTIONS or any(action >= self._known for action in actions):
            raise ValueError(f"a list has at most {_MOST_ACTIONS} actions, numbered below {self._known}")
        return actions

    def _about_list(self, kind: Kind, actions: tuple[int, ...]) -> Reply:
        if kind is Kind.CHECK:
            if self.is_spent:
                return self.spent_reply()
            self._without_look(len(actions), is_check=True)
            with counted() as used:
                right = self._check.behaves(actions)
            self.spent += used.cpu
            right = right and self._check.repeats(actions)  # the harness's doubt, at the harness's cost
            return Reply(Status.GOOD, self.cpu, bytes([right]))
        self.proposed = actions
        if kind is Kind.RESULT:
            self.result = actions
        return Reply(Status.GOOD, self.cpu, b"")

    def _forward(self, kind: Kind, line: int, rest: bytes) -> Reply:
        session = self.session()
        left = self._left(session)
        steps = self._accounted(kind, rest)
        try:
            return session.forward(kind, line, rest, steps, left)
        except SessionLost as lost:
            return self.lost(lost)

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
