"""Charts of solvers: scores, shares of single instances, cost over time."""

from collections.abc import Callable, Mapping, Sequence

from harness.base.formats import ratio
from harness.base.views import Axis, Bars, Colour, Level, Series, Steps
from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.standings import SolverStanding, SolverTable
from harness.rank.words import multiple, rank_range, share

__all__ = ["costs_chart", "scores_chart", "shares_chart"]


def scores_chart(found: SolverTable, baselines: frozenset[str]) -> Bars:
    """The contest's score of each, the best on top, with its interval; without a contest, best known / cost.

    What others have published stands apart by colour.
    """
    kinds: tuple[tuple[str, Colour, Callable[[SolverStanding], bool]], ...] = (
        ("submission", "submission", lambda row: not row.published and row.policy not in baselines),
        ("baseline", "baseline", lambda row: not row.published and row.policy in baselines),
        ("published, of other machines", "open", lambda row: row.published),
    )
    table, count = found.standings, found.contest_instances
    title = f"contest score, of {count} withheld instances" if count else "best known / cost, geometric mean"
    return Bars(
        "chart",
        "Score of each solver",
        tuple(row.policy for row in table),
        tuple(_scores(name, colour, [r for r in table if wanted(r)], bool(count)) for name, colour, wanted in kinds),
        Axis(title),
        (Level(count or 1, width=1.5),),
    )


def _scores(name: str, colour: Colour, rows: Sequence[SolverStanding], contest: bool) -> Series:
    return Series(
        name,
        x=tuple(row.contest_score or 0.0 if contest else 1 / row.ratio if row.ratio else 0.0 for row in rows),
        y=tuple(row.policy for row in rows),
        hover=tuple(_standing_hover(row) for row in rows),
        colour=colour,
        low=tuple(row.contest_low if contest else _inverse(row.high) for row in rows),
        high=tuple(row.contest_high if contest else _inverse(row.low) for row in rows),
    )


def _inverse(value: float | None) -> float | None:
    return None if value is None else 1 / value


def _standing_hover(row: SolverStanding) -> str:
    ratio_ = "" if row.ratio is None else f"<br>cost / best known {multiple(row.ratio)}"
    gap = "" if row.gap is None else f"<br>above the lower bound {share(row.gap)}"
    rank = f", rank {rank_range(row)}" if row.rank else ""
    score = "" if row.contest_score is None else f"<br>score {ratio(row.contest_score)} of {row.contest_instances}"
    return (
        f"<b>{row.policy}</b> ({row.policy_class}{rank}){score}{ratio_}{gap}<br>"
        f"feasible {row.solved}/{row.instances}, proven optimal {row.optimal}, below the best known {row.beaten}"
    )


def shares_chart(rows: Sequence[SolverFigure], policy: str) -> Bars:
    """Best known / cost of each instance. One without a solution has its outcome instead."""
    kinds: tuple[tuple[str, Colour, Callable[[SolverFigure], bool]], ...] = (
        ("proven optimal", "line", lambda row: row.optimal),
        ("below the best known", "better", lambda row: not row.optimal and row.share > 1),
        ("not below it", "baseline", lambda row: row.solved and not row.optimal and row.share <= 1),
        ("no solution", "failed", lambda row: not row.solved),
    )
    return Bars(
        "chart",
        f"Share of each instance: {policy}",
        tuple(row.benchmark for row in rows),
        tuple(_shares(name, colour, [row for row in rows if wanted(row)]) for name, colour, wanted in kinds),
        Axis("best known / cost", end=1.12 * max([1.0, *(r.share for r in rows)])),
        (Level(1, width=1),),
    )


def _shares(name: str, colour: Colour, rows: Sequence[SolverFigure]) -> Series:
    return Series(
        name,
        x=tuple(row.share for row in rows),
        y=tuple(row.benchmark for row in rows),
        hover=tuple(_figure_hover(row) for row in rows),
        colour=colour,
        labels=tuple(ratio(row.share) if row.solved else row.outcome for row in rows),
        filled=any(row.solved for row in rows),
    )


def _figure_hover(row: SolverFigure) -> str:
    if not row.solved:
        return f"<b>{row.benchmark}</b>: {row.outcome}"
    return f"<b>{row.benchmark}</b><br>cost {row.cost:,}<br>best known {row.best or 0:,}<br>at {row.seconds or 0:.1f} s"


def costs_chart(histories: Mapping[str, Sequence[tuple[float, int]]], instance: SolverFigure) -> Steps:
    """Cost over time of each solver on one instance, as a multiple of the best cost known; both axes logarithmic."""
    best = instance.best or 1
    levels = [Level(1.0, "best known")]
    if instance.bound and instance.bound < best:
        levels.append(Level(instance.bound / best, "proven lower bound", dash="dot", above=False))
    return Steps(
        "costs",
        f"Cost over time on {instance.benchmark}",
        tuple(_costs(policy, points, instance.limit, best) for policy, points in sorted(histories.items())),
        Axis(f"seconds, of {instance.limit:g}", logarithmic=True),
        Axis("cost / best known", logarithmic=True),
        tuple(levels),
    )


def _costs(policy: str, points: Sequence[tuple[float, int]], limit: float, best: int) -> Series:
    reached = [*points, *((limit, cost) for _, cost in points[-1:])]
    return Series(
        policy,
        x=tuple(max(seconds, 0.01) for seconds, _ in reached),
        y=tuple(cost / best for _, cost in reached),
        hover=tuple(
            f"<b>{policy}</b><br>{cost:,} at {seconds:.2f} s<br>{ratio(cost / best)} of the best known"
            for seconds, cost in reached
        ),
        filled=False,
    )
