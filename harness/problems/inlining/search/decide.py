"""From a ``search.py`` to the decisions that it found on one module."""

import time
from pathlib import Path

from harness.apply.decisions import Decided
from harness.base.digest import digest_bytes
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import SIZE, Outcome
from harness.freeze import FrozenModule
from harness.policy.form import Form
from harness.policy.policy import Policy
from harness.policy.python_check import check_python
from harness.problems.inlining.guided import guided
from harness.problems.inlining.search.compiling import PROGRAM, Compiling
from harness.problems.inlining.search.job import host_digest, search_job
from harness.problems.inlining.search.relay import Budget, run_search
from harness.problems.programs.session.worker import SessionLost
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_digest

__all__ = ["SEARCH", "Searches"]

SEARCH = "search"
_MOST_TRIALS = 1000
"""That a search may ask for beyond its seconds."""
_PATIENCE = 60.0
"""Seconds that a search may think between two requests."""


class Searches:
    """How the problem's policies of this form are checked and asked."""

    form = Form(SEARCH, "search.py", pure=False, by_chance=True, in_steps=True, fields=frozenset({"seeds", "values"}))

    def check(self, policy: Policy, where: str) -> None:
        """A budget, one file that defines ``search``, and values that mean something."""
        if policy.manifest.track != SIZE:
            raise UsageError('track: a search compiles as -Oz does: track = "size"', where=where)
        if policy.manifest.budget is None:
            raise UsageError("budget: a search has so many CPU seconds for each program and seed", where=where)
        if policy.manifest.files.keys() != {SEARCH}:
            raise UsageError("files: a policy of form 'search' has one file, search = \"search.py\"", where=where)
        name, content = policy.file(SEARCH)
        check_python(content, name, "search", "session, seed, seconds")
        for name in policy.manifest.values.keys() - {"trials"}:
            raise UsageError(f"values.{name}: a search has trials", where=where)
        _least_trials(policy, where)

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """What it finds. Raises CellError as ``run_search``; ``compile-error`` where the module cannot be opened, or
        not be compiled by clang under what was found.
        """
        assert policy.manifest.budget is not None
        budget = Budget(policy.manifest.budget, _least_trials(policy, policy.name), _PATIENCE)
        name, content = policy.manifest.files[SEARCH], policy.contents[SEARCH]

        def make(entry: Path) -> None:
            (entry / "search.py").write_bytes(content)

        kept = bench.store.folder(bench.area("policies"), digest_bytes(content), make)
        job = search_job(kept / "search.py", seed, budget)
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


def _least_trials(policy: Policy, where: str) -> int:
    trials = policy.manifest.values.get("trials", 0)
    if not isinstance(trials, int) or not 0 <= trials <= _MOST_TRIALS:
        raise UsageError(f"values.trials: must be a whole number up to {_MOST_TRIALS}, not {trials!r}", where=where)
    return trials
