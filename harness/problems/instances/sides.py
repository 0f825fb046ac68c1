"""Solvers as ``harness.rank`` compares policies: log-ratios of costs, instance by instance.

A ratio is against the best cost that the suite knows; where it knows none, against the plain assignment's. An instance
without a solution counts as the worst of best, plain assignment, and the solver's own worst one, so that to fail never
helps, and no other solver has a say in what it counts as.
"""

from collections import defaultdict
from collections.abc import Iterable

from harness.problems.instances.entries import SolverFigure
from harness.rank.contest import Result, known, lost, result
from harness.rank.sides import Side, counted

__all__ = ["by_policy", "reference_cost", "sides_of_solvers"]


def by_policy(figures: Iterable[SolverFigure]) -> dict[str, list[SolverFigure]]:
    """Policy → its figures, by instance."""
    found: dict[str, list[SolverFigure]] = defaultdict(list)
    for figure in sorted(figures, key=lambda one: one.benchmark):
        found[figure.policy].append(figure)
    return dict(found)


def reference_cost(figure: SolverFigure) -> int:
    """What costs of the instance are divided by; a cost of 0 counts as 1."""
    costs = (figure.known, figure.plain, figure.best)
    return max(next((cost for cost in costs if cost is not None), 1), 1)


def sides_of_solvers(figures: Iterable[SolverFigure]) -> list[Side]:
    """Every solver on its instances."""
    sides = []
    for policy, mine in by_policy(figures).items():
        results = {figure.benchmark: _result(figure, figure.cost if figure.solved else None) for figure in mine}
        plain = {figure.benchmark: _result(figure, figure.plain) for figure in mine if figure.plain is not None}
        sides.append(
            Side(
                policy,
                mine[0].policy_class,
                results,
                counted(results, plain),
                tuple(results),
                {figure.benchmark: (figure.decisions_digest,) for figure in mine},
                otherwise=0,
            )
        )
    return sides


def _result(figure: SolverFigure, cost: int | None) -> Result:
    if cost is None:
        return result([lost(figure.detail or figure.outcome)])
    return result([known(reference_cost(figure) / max(cost, 1))])
