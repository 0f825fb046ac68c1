"""From a ``search.py`` to the list that it found on one module."""

import time
from collections.abc import Mapping

from harness.apply import compile_plan, require_repeatable
from harness.apply.decisions import Decided, Decisions
from harness.base.digest import digest_of
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule, facts_of
from harness.policy.policy import Policy
from harness.problems.passes.actions import ActionTable, action_table
from harness.problems.passes.listed import decisions_of, plan_of_list
from harness.problems.passes.search.job import host_digest, search_job
from harness.problems.passes.search.relay import Check, run_search
from harness.problems.passes.session import Session, SessionLost, session_digest
from harness.problems.passes.session.session import PROGRAM
from harness.problems.programs.session.submission import FORM, SEARCH, budget_of, check_search, search_file
from harness.problems.programs.take import Made, require_right
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_digest

__all__ = ["Searches", "searched_table"]


class Searches:
    """See ``harness.problems.passes.way.Way``."""

    form = FORM

    def check(self, policy: Policy, where: str) -> None:
        """A search of actions that there are."""
        check_search(policy, where, "actions")
        searched_table(policy)

    def notes(self, policy: Policy) -> list[str]:
        """None."""
        return []

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """What it finds. Raises CellError as ``run_search``; ``compile-error`` where the module cannot be opened."""
        table = searched_table(policy)
        pipelines = table.pipelines(facts_of(frozen.bitcode, bench))
        budget = budget_of(policy)
        check = Check(
            behaves=lambda actions: _behaves(decisions_of(actions, pipelines, frozen), frozen, bench),
            repeats=lambda actions: _repeats(decisions_of(actions, pipelines, frozen), frozen, bench),
        )
        job = search_job(search_file(policy, bench), seed, table.actions, budget)
        started = time.monotonic()
        try:
            found = run_search(
                job,
                policy.manifest.files[SEARCH],
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
