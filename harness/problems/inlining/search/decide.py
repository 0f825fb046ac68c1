"""From a ``search.py`` to the decisions that it found on one module."""

import time

from harness.apply.decisions import Decided
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import SIZE, Outcome
from harness.freeze import FrozenModule
from harness.policy.policy import Policy
from harness.problems.inlining.guided import guided
from harness.problems.inlining.search.compiling import PROGRAM, Compiling
from harness.problems.inlining.search.job import host_digest, search_job
from harness.problems.inlining.search.relay import run_search
from harness.problems.programs.session.submission import FORM, SEARCH, budget_of, check_search, search_file
from harness.problems.programs.session.worker import SessionLost
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_digest

__all__ = ["SEARCH", "Searches"]


class Searches:
    """How the problem's policies of this form are checked and asked."""

    form = FORM

    def check(self, policy: Policy, where: str) -> None:
        """A search for size, with a budget."""
        if policy.manifest.track != SIZE:
            raise UsageError('track: a search compiles as -Oz does: track = "size"', where=where)
        check_search(policy, where)

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """What it finds. Raises CellError as ``run_search``; ``compile-error`` where the module cannot be opened, or
        not be compiled by clang under what was found.
        """
        budget = budget_of(policy)
        job = search_job(search_file(policy, bench), seed, budget)
        name = policy.manifest.files[SEARCH]
        started = time.monotonic()
        try:
            found = run_search(job, name, lambda: Compiling(frozen, bench), budget, bench.sandbox)
        except SessionLost as lost:
            raise CellError(Outcome.COMPILE_ERROR, lost.message, transient=True) from None
        wall = time.monotonic() - started
        return Decided(guided(frozen, found.sites, bench).decisions, found.cpu, wall, found.trials, steps=0)

    def parts(self) -> list[str]:
        """The session, and what runs around the search."""
        return [native_digest(PROGRAM), host_digest()]
