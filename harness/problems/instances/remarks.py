"""What stands under standings of solvers in words: machines, runs, and what was public."""

from collections.abc import Iterator, Sequence
from statistics import median

from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.machines import machine_lines
from harness.problems.instances.sides import by_policy
from harness.rank.words import PUBLISHED, share

__all__ = ["remarks_on"]


def remarks_on(
    figures: Sequence[SolverFigure],
    public: Sequence[str],
) -> Iterator[str]:
    """One line each. ``public``: instances of the contest that its teams had while they wrote their solvers."""
    mine = [figure for figure in figures if figure.policy_class != PUBLISHED]
    yield from machine_lines(figures)
    if public:
        yield f"not counted by the contest, since its teams had them: {', '.join(public)}"
    yield from _gaps(figures)
    yield from _runs(mine)


def _gaps(figures: Sequence[SolverFigure]) -> Iterator[str]:
    """Of how many instances gaps are, where not all of them have a bound."""
    every = {figure.benchmark for figure in figures}
    bounded = {figure.benchmark for figure in figures if figure.gap is not None}
    without = {figure.benchmark for figure in figures if figure.solved and figure.gap is None}
    if bounded and without:
        yield f"gap: of the {len(bounded)} of {len(every)} instances that have a proven lower bound"


def _runs(mine: Sequence[SolverFigure]) -> Iterator[str]:
    """What several runs of a solver differ by; or that there are none."""
    if mine and all(figure.repeats < 2 for figure in mine):
        yield "one run an instance: how much another run would differ is in none of these figures"
    for policy, own in by_policy(mine).items():
        repeated = [figure for figure in own if figure.repeats > 1]
        if not repeated:
            continue
        counts = sorted({figure.repeats for figure in repeated})
        runs = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        differing = [(figure.spread, figure.benchmark) for figure in repeated if figure.spread is not None]
        said = "none of which two were feasible"
        if differing:
            most, where = max(differing)
            typical = share(median(spread for spread, _ in differing))
            said = f"whose costs differ by {typical} (median), at most {share(most)} ({where})"
        failed = sum(figure.failures for figure in repeated)
        some = f"; {failed} of {sum(figure.repeats for figure in repeated)} failed" if failed else ""
        yield f"{policy}: the median of {runs} runs on {len(repeated)} of {len(own)} instances, {said}{some}"
