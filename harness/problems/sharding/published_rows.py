"""Others' published costs as figures beside those measured here: labelled, and never ranked."""

from collections.abc import Iterable

from harness.base.vocabulary import Outcome
from harness.problems.sharding.entries import SolverFigure
from harness.problems.sharding.published import published_costs
from harness.problems.sharding.suite import load_sharding_suite, sharding_names
from harness.rank.words import PUBLISHED

__all__ = ["published_figures"]


def published_figures(suite: str, measured: Iterable[SolverFigure]) -> list[SolverFigure]:
    """Those of the instances that were measured; none for a suite that does not come with the harness.

    An instance counts only if it is the very one: its digest is compared.
    """
    if suite not in sharding_names():
        return []
    there = {(figure.benchmark, figure.digest): figure for figure in measured}
    found = []
    for one in published_costs(load_sharding_suite(suite)):
        if figure := there.get((one.instance, one.digest)):
            found.append(_figure(one.who, one.cost, figure))
    return found


def _figure(who: str, cost: int | None, measured: SolverFigure) -> SolverFigure:
    return SolverFigure(
        policy=who,
        policy_class=PUBLISHED,
        benchmark=measured.benchmark,
        split=measured.split,
        origin=measured.origin,
        digest=measured.digest,
        limit=measured.limit,
        best=measured.best,
        bound=measured.bound,
        outcome=(Outcome.OK if cost is not None else Outcome.INFEASIBLE).value,
        detail="" if cost is not None else "nothing published",
        cost=cost,
        seconds=None,
        peak=None,
        cpu=None,
        cell=None,
        run=None,
        decisions_digest=None,
    )
