"""What a solver's attempt is worth: a feasible assignment and its exact cost, or why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.base.errors import CellError, UnsoundError
from harness.base.vocabulary import Outcome
from harness.problems.instances.domain import Domain, Solution
from harness.problems.instances.solve import Attempt
from harness.sandbox import GIB, grace

__all__ = ["Improvement", "counted", "history", "judge"]


@dataclass(frozen=True, slots=True)
class Improvement:
    """A feasible answer on the way that was better than all before it."""

    seconds: float
    cost: int


def judge(domain: Domain[Any], attempt: Attempt, instance: Any, bound: int | None, where: str) -> Solution:
    """The attempt's last assignment, if it may be. ``bound``: a proven lower bound of the cost.

    Raises CellError: ``policy-error`` for a solver that crashed, printed too much or nothing of the right form,
    ``policy-timeout`` for one that had printed nothing at its limit, or ran on for longer than its grace (the next run
    tries again), ``infeasible`` for an assignment that may not be.
    Raises UnsoundError for a cost below the bound: then the evaluator is wrong, and nothing that it says counts.
    """
    finished, answers = attempt.finished, attempt.answers
    if attempt.printed_too_much:
        raise CellError(Outcome.POLICY_ERROR, f"the solver printed more than {answers.read // GIB} GiB")
    if not finished.ok and not finished.out_of_time:
        raise CellError(Outcome.POLICY_ERROR, f"the solver failed: {finished.reason_line()}", finished.transient)
    if answers.fault is not None:
        raise CellError(Outcome.POLICY_ERROR, answers.fault)
    late = finished.wall - finished.limits.wall
    if late > grace(finished.limits.wall):
        limit = f"its limit of {finished.limits.wall:g} s"
        why = f"the solver ran {late:.1f} s longer than {limit}: the machine was too busy"
        raise CellError(Outcome.POLICY_TIMEOUT, why, transient=True)
    if answers.last is None:
        if finished.out_of_time:
            why = f"the solver had printed no assignment: {finished.ending}"
            raise CellError(Outcome.POLICY_TIMEOUT, why, transient=True)
        raise CellError(Outcome.POLICY_ERROR, "the solver ended without printing an assignment")
    assignment = answers.last.assignment
    if why_not := domain.verify(instance, assignment):
        raise CellError(Outcome.INFEASIBLE, why_not)
    cost = domain.cost(instance, assignment)
    _require_possible(cost, bound, where)
    return Solution(instance, assignment, cost, answers.last.seconds)


def history(
    domain: Domain[Any], attempt: Attempt, instance: Any, bound: int | None, where: str
) -> tuple[Improvement, ...]:
    """Cost over time: each feasible answer that beat those before. Raises UnsoundError as ``judge`` does."""
    found: list[Improvement] = []
    for answer in attempt.answers:
        if domain.verify(instance, answer.assignment) is None:
            cost = domain.cost(instance, answer.assignment)
            _require_possible(cost, bound, where)
            if not found or cost < found[-1].cost:
                found.append(Improvement(answer.seconds, cost))
    return tuple(found)


def counted(solution: Solution, improvements: Sequence[Improvement]) -> tuple[Solution, tuple[Improvement, ...]]:
    """The solution, as found when its cost was first printed; and cost over time, which ends with it.

    A solver may print something worse than it had: the last counts, and what was better on the way did not.
    """
    seconds = next((one.seconds for one in improvements if one.cost == solution.cost), solution.seconds)
    before = tuple(one for one in improvements if one.cost > solution.cost)
    return replace(solution, seconds=seconds), (*before, Improvement(seconds, solution.cost))


def _require_possible(cost: int, bound: int | None, where: str) -> None:
    if bound is not None and cost < bound:
        raise UnsoundError(
            f"an assignment costs {cost:,}, less than the proven lower bound of {bound:,}: the evaluator is wrong",
            where=where,
            hint="report this, with the decisions; nothing of this run is recorded",
        )
