"""What a ``search.py`` is given: LLVM 22 with the program in memory, compiled under whatever it wants to try, until the
budget is spent.

It runs in the sandbox, beside the policy and what it imports; nothing else of the harness is there.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.problems.inlining.search.wire import METRICS, Kind
from harness.problems.programs.session.client import Budgeted, BudgetSpent, SessionLost
from harness.problems.programs.session.wire import request

__all__ = ["BudgetSpent", "Compiled", "Session", "SessionLost", "Site"]


class Site(NamedTuple):
    """A call site, and whether it is inlined. The first three are its identity."""

    caller: str
    callee: str
    ordinal: int
    """How often the inliner had asked about calls of ``callee`` in ``caller`` before."""
    inline: bool


@dataclass(frozen=True)
class Compiled:
    """What became of the program."""

    bytes: dict[str, int]
    """Of the object, by metric: ``size.alloc`` and ``size.text``."""
    code: dict[str, int]
    """Bytes of each function that is still there."""
    unwind: dict[str, int]
    """Bytes that each of them has of the unwind table."""
    sites: tuple[Site, ...]
    """All that was decided by choice, in the inliner's order."""


class Session(Budgeted):
    """The program, and what it can be compiled under. Its methods raise BudgetSpent; and SessionLost where LLVM crashes
    on it, or takes a minute of CPU time or all memory.
    """

    def compile(self, sites: Iterable[Site] = ()) -> Compiled:
        """The program under these decisions. LLVM's own heuristic decides all others as it meets them."""
        return self._compiled(Kind.COMPILE, document_of(sites))

    def by_trial(self, metric: str = METRICS[0], *, least: int = 1, only_calls: bool = True) -> Compiled:
        """The program with every function decided by trial: inlined where that saves so many bytes of its callers and
        itself. ``only_calls``: also a function that is called once; else LLVM's heuristic decides that.

        It takes up to thirty times as long as compiling the program once.
        """
        return self._compiled(Kind.TRY, {"metric": metric, "least": least, "only_calls": only_calls})

    def propose(self, sites: Iterable[Site]) -> None:
        """The best decisions so far: they count if ``search`` does not come to its end."""
        self.say(Kind.PROPOSE, document_of(sites))

    def say(self, kind: Kind, document: dict[str, Any]) -> bytes:
        """The answer."""
        return self.ask(request(kind, 0, json.dumps(document).encode()))

    def _compiled(self, kind: Kind, document: dict[str, Any]) -> Compiled:
        self.looks += 1
        told = json.loads(self.say(kind, document))
        self.trials += 1
        names = told["functions"]
        sites = tuple(Site(names[row[0]], names[row[1]], row[2], bool(row[3])) for row in told["sites"])
        return Compiled(dict(zip(METRICS, told["bytes"], strict=True)), told["code"], told["unwind"], sites)


def document_of(sites: Iterable[Site]) -> dict[str, Any]:
    """Decisions as they are said."""
    numbers: dict[str, int] = {}
    rows = [
        [numbers.setdefault(site[0], len(numbers)), numbers.setdefault(site[1], len(numbers)), site[2], int(site[3])]
        for site in sites
    ]
    return {"functions": list(numbers), "sites": rows}
