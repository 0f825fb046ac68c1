"""From a ``search.py`` to the list that it found on one module."""

import time
from collections.abc import Mapping
from pathlib import Path

from harness.apply import compile_plan, require_repeatable
from harness.apply.decisions import Decided, Decisions
from harness.base.digest import digest_bytes, digest_of
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule, facts_of
from harness.policy.form import Form
from harness.policy.policy import Policy
from harness.policy.python_check import check_python
from harness.problems.passes.actions import ActionTable, action_table
from harness.problems.passes.listed import decisions_of, plan_of_list
from harness.problems.passes.search.job import host_digest, search_job
from harness.problems.passes.search.relay import Budget, Check, run_search
from harness.problems.passes.session import Session, SessionLost, session_digest
from harness.problems.passes.session.session import PROGRAM
from harness.problems.programs.take import Made, require_right
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_digest

__all__ = ["Searches", "searched_table"]

ROLE = "search"
_MOST_TRIALS = 1000
"""That a search may ask for beyond its seconds."""
_PATIENCE = 60.0
"""Seconds that a search may think between two requests."""


class Searches:
    """See ``harness.problems.passes.way.Way``."""

    form = Form(ROLE, "search.py", pure=False, by_chance=True, in_steps=True, fields=frozenset({"seeds", "values"}))

    def check(self, policy: Policy, where: str) -> None:
        """A budget, one file that defines ``search``, and values that mean something."""
        if policy.manifest.budget is None:
            raise UsageError("budget: a search has so many CPU seconds for each program and seed", where=where)
        searched_table(policy)
        if policy.manifest.files.keys() != {ROLE}:
            raise UsageError("files: a policy of form 'search' has one file, search = \"search.py\"", where=where)
        name, content = policy.file(ROLE)
        check_python(content, name, "search", "session, seed, seconds")
        for name in policy.manifest.values.keys() - {"actions", "trials"}:
            raise UsageError(f"values.{name}: a search has actions and trials", where=where)
        _least_trials(policy, where)

    def notes(self, policy: Policy) -> list[str]:
        """None."""
        return []

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """What it finds. Raises CellError as ``run_search``; ``compile-error`` where the module cannot be opened."""
        table = searched_table(policy)
        pipelines = table.pipelines(facts_of(frozen.bitcode, bench))
        assert policy.manifest.budget is not None
        budget = Budget(policy.manifest.budget, _least_trials(policy, policy.name), _PATIENCE)
        name, content = policy.manifest.files[ROLE], policy.contents[ROLE]

        def make(entry: Path) -> None:
            (entry / "search.py").write_bytes(content)

        check = Check(
            behaves=lambda actions: _behaves(decisions_of(actions, pipelines, frozen), frozen, bench),
            repeats=lambda actions: _repeats(decisions_of(actions, pipelines, frozen), frozen, bench),
        )
        kept = bench.store.folder(bench.area("policies"), digest_bytes(content), make)
        job = search_job(kept / "search.py", seed, table.actions, budget)
        started = time.monotonic()
        try:
            found = run_search(
                job,
                name,
                lambda: Session(frozen.bitcode, pipelines, bench, level=frozen.level),
                len(pipelines),
                check,
                budget,
                bench.sandbox,
            )
        except SessionLost as lost:
            raise CellError(Outcome.COMPILE_ERROR, lost.message, transient=True) from None
        wall = time.monotonic() - started
        return Decided(decisions_of(found.actions, pipelines, frozen), found.cpu, wall, found.trials, found.steps)

    def parts(self, policy: Policy) -> list[str]:
        """Its table of actions, the session, and what runs around the search."""
        return [searched_table(policy).digest, session_digest(), host_digest()]

    def spaces(self, policy: Policy) -> Mapping[str, str]:
        """Its table of actions; and the session, which computes whatever it asks to see."""
        table = searched_table(policy)
        return {f"actions.{table.name}": table.digest, "observations": digest_of([native_digest(PROGRAM)])}


def _least_trials(policy: Policy, where: str) -> int:
    trials = policy.manifest.values.get("trials", 0)
    if not isinstance(trials, int) or not 0 <= trials <= _MOST_TRIALS:
        raise UsageError(f"values.trials: must be a whole number up to {_MOST_TRIALS}, not {trials!r}", where=where)
    return trials


def searched_table(policy: Policy) -> ActionTable:
    """Raises UsageError for the name of a table that there is none of."""
    return action_table(str(policy.manifest.values.get("actions", "autophase42")))


def _behaves(decisions: Decisions, frozen: FrozenModule, bench: Bench) -> bool:
    """Whether the program of these decisions, made as it will be measured, gives the right outputs.

    A program that does not end is tried once more: it may have been the machine that was slow, and a search must not
    find something else for that.
    """
    assert frozen.program is not None, "searches are asked about programs of suites"
    plan = plan_of_list(decisions, frozen.target)
    for is_last in (False, True):
        try:
            compiled = compile_plan(frozen, plan, bench)
            require_right(Made(frozen.program, frozen.target, frozen, plan, compiled), bench)
        except CellError as error:
            if error.transient and not is_last:
                continue
            return False
        return True
    raise AssertionError("the second attempt has an answer")


def _repeats(decisions: Decisions, frozen: FrozenModule, bench: Bench) -> bool:
    """Whether the object of these decisions is the same in other processes."""
    try:
        require_repeatable(frozen, plan_of_list(decisions, frozen.target), bench)
    except CellError:
        return False
    return True
