"""Between a search and its session: what it may ask, what that counts, and what came of it."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from harness.base.documents import parse_json
from harness.base.errors import UsageError
from harness.problems.inlining.best import read_sites, written
from harness.problems.inlining.search.compiling import SECONDS, TRYING_SECONDS, Compiled, Compiling
from harness.problems.inlining.search.wire import METRICS, Kind
from harness.problems.inlining.sites import Site
from harness.problems.programs.session.relay import HEAD, Budget, Relay
from harness.problems.programs.session.wire import Reply, Status
from harness.problems.programs.session.worker import SessionLost
from harness.sandbox import Job
from harness.sandbox.run import Sandbox

__all__ = ["Budget", "Found", "run_search"]

_LONGEST_REQUEST = 1 << 23
_MOST_SITES = 200_000
"""Of one request."""
_LAST = 1.0
"""CPU seconds that a request may take, at least, when it is the budget that ends it."""
_MOST_LEAST = 1_000_000
"""Bytes."""


Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a search."""

    sites: tuple[Site, ...]
    trials: int
    """Compilations."""
    cpu: float
    """CPU seconds of LLVM and of the search."""


def run_search(job: Job, name: str, open_session: Callable[[], Compiling], budget: Budget, sandbox: Sandbox) -> Found:
    """Let it search. ``name``: of the submission's file.

    Raises CellError: ``policy-error`` for a search that ends without decisions, ``policy-timeout`` for a late one.
    """
    relay = _Relay(open_session, budget)
    finished = relay.run(job, sandbox)
    sites = relay.result if relay.result is not None else relay.proposed
    if sites is None:
        raise relay.empty_handed(name, "decision", finished)
    return Found(sites, relay.trials, relay.cpu + finished.total_cpu)


class _Relay(Relay[Compiling]):
    """One search."""

    longest_request = _LONGEST_REQUEST

    def __init__(self, open_session: Callable[[], Compiling], budget: Budget) -> None:
        super().__init__(open_session, budget)
        self.proposed: tuple[Site, ...] | None = None
        self.result: tuple[Site, ...] | None = None
        self.trials = 0

    @property
    def is_done(self) -> bool:
        """Whether it has returned decisions."""
        return self.result is not None

    @property
    def is_spent(self) -> bool:
        """Whether it has had its seconds and the trials that it has at least."""
        return self.cpu >= self.budget.seconds and self.trials >= self.budget.trials

    def answer(self, content: bytes) -> Reply:
        """As ``wire.py`` says."""
        number, _ = HEAD.unpack_from(content)
        kind = Kind(number)
        is_trial = kind in (Kind.COMPILE, Kind.TRY)
        if is_trial and self.is_spent:
            return self.spent_reply()
        rest = content[HEAD.size :]
        if kind is Kind.TRY:
            tried = self._read(rest, _tried)
            return self._compiled(lambda session: session.by_trial(**tried, most=self._left(TRYING_SECONDS)))
        sites = self._read(rest, _sites)
        if kind is Kind.COMPILE:
            return self._compiled(lambda session: session.under(sites, most=self._left(SECONDS)))
        self.proposed = sites
        if kind is Kind.RESULT:
            self.result = sites
        return Reply(Status.GOOD, self.cpu, b"")

    def _read(self, content: bytes, understand: Callable[[Any], Read]) -> Read:
        began = time.monotonic()
        try:
            return understand(parse_json(content, "the request", containers=_MOST_SITES))
        except UsageError as error:
            raise ValueError(str(error)) from None
        finally:
            self.spent += time.monotonic() - began

    def _compiled(self, ask: Callable[[Compiling], Compiled]) -> Reply:
        self.trials += 1
        session = self.session()
        try:
            done = ask(session)
            return Reply(Status.GOOD, self.cpu, _said(done))
        except SessionLost as lost:
            return self.lost(lost)

    def _left(self, most: float) -> float:
        """CPU seconds that the next compilation may take: what is left of the budget; ``most``, for trials that it has
        however long they take.
        """
        least = most if self.trials <= self.budget.trials else _LAST
        return min(most, max(self.budget.seconds - self.cpu, least))


def _sites(document: Any) -> tuple[Site, ...]:
    try:
        return read_sites(document)
    except (KeyError, TypeError, ValueError):
        raise ValueError(
            'decisions are {"functions": [NAME, ...], "sites": [[CALLER, CALLEE, ORDINAL, INLINE], ...]}, '
            "none of them twice"
        ) from None


def _tried(document: Any) -> dict[str, Any]:
    try:
        metric, least, only_calls = document["metric"], document["least"], document["only_calls"]
    except (KeyError, TypeError):
        raise ValueError("trials are of a metric, with least and only_calls") from None
    if metric not in METRICS:
        raise ValueError(f"metric must be {' or '.join(METRICS)}")
    if type(least) is not int or abs(least) > _MOST_LEAST or type(only_calls) is not bool:
        raise ValueError(f"least must be a whole number, {_MOST_LEAST:,} at most, and only_calls True or False")
    return {"by_text": metric == METRICS[1], "least": least, "only_calls": only_calls}


def _said(done: Compiled) -> bytes:
    chosen = written(tuple(site for site in done.sites if site.chosen))
    told = {"bytes": [done.alloc, done.text], "code": done.code, "unwind": done.unwind, **chosen}
    return json.dumps(told).encode()
