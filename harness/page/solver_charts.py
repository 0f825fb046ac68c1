"""Solvers as Plotly figures: scores, shares of single instances, cost and memory over time. Pure, as ``charts``."""

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from harness.page.charts import lay_out
from harness.page.formats import quantity, ratio
from harness.page.palette import Palette
from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.standings import SolverStanding
from harness.problems.sharding.profile import MemoryOverTime
from harness.rank.words import multiple, rank_range, share

__all__ = ["costs_figure", "memory_figure", "scores_figure", "shares_figure"]

_ROW = 25
_HEIGHT = 260
_LINES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
"""Of several solvers in one chart (Okabe and Ito)."""
_MIB = 1 << 20


def scores_figure(table: Sequence[SolverStanding], baselines: frozenset[str], colours: Palette) -> go.Figure:
    """The score of each, the best on top, with its interval; what others have published stands apart by colour."""
    figure = go.Figure()
    kinds = (
        ("submission", colours.submission, lambda row: not row.published and row.policy not in baselines),
        ("baseline", colours.baseline, lambda row: not row.published and row.policy in baselines),
        ("published, of other machines", colours.open, lambda row: row.published),
    )
    for name, colour, wanted in kinds:
        rows = [row for row in table if wanted(row)]
        if not rows:
            continue
        up = [None if row.high is None else row.high - row.score for row in rows]
        down = [None if row.low is None else row.score - row.low for row in rows]
        bars = {"type": "data", "array": up, "arrayminus": down, "thickness": 1.5, "width": 4}
        figure.add_bar(
            name=name,
            orientation="h",
            y=[row.policy for row in rows],
            x=[row.score for row in rows],
            error_x=bars if any(row.high is not None for row in rows) else None,
            marker={"color": colour},
            customdata=[_standing_hover(row) for row in rows],
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_layout(barmode="overlay", bargap=0.35)
    figure.update_yaxes(categoryorder="array", categoryarray=[row.policy for row in reversed(table)])
    count = table[0].instances
    figure.add_vline(x=count, line={"color": colours.line, "width": 1.5, "dash": "dash"})
    figure.update_xaxes(title_text=f"score: sum over {count} instances of best known / cost", rangemode="tozero")
    lay_out(figure, _ROW * len(table))
    return figure


def _standing_hover(row: SolverStanding) -> str:
    ratio_ = "" if row.ratio is None else f"<br>cost / best known {multiple(row.ratio)}"
    gap = "" if row.gap is None else f"<br>above the lower bound {share(row.gap)}"
    rank = f", rank {rank_range(row)}" if row.rank else ""
    return (
        f"<b>{row.policy}</b> ({row.policy_class}{rank})<br>score {ratio(row.score)}{ratio_}{gap}<br>"
        f"feasible {row.solved}/{row.instances}, proven optimal {row.optimal}, below the best known {row.beaten}"
    )


def shares_figure(rows: Sequence[SolverFigure], colours: Palette) -> go.Figure:
    """Best known / cost of each instance: what it adds to the score. One without a solution has its outcome instead."""
    figure = go.Figure()
    kinds = (
        ("proven optimal", colours.line, lambda row: row.optimal),
        ("below the best known", colours.better, lambda row: not row.optimal and row.share > 1),
        ("not below it", colours.baseline, lambda row: row.solved and not row.optimal and row.share <= 1),
        ("no solution: counts 0", colours.failed, lambda row: not row.solved),
    )
    for name, colour, wanted in kinds:
        mine = [row for row in rows if wanted(row)]
        if not mine:
            continue
        row_solved = mine[0].solved
        figure.add_bar(
            name=name,
            orientation="h",
            y=[row.benchmark for row in mine],
            x=[row.share for row in mine],
            text=[ratio(row.share) if row.solved else row.outcome for row in mine],
            textposition="outside",
            cliponaxis=False,
            marker={"color": colour, "pattern": {"shape": "" if row_solved else "/", "fillmode": "replace"}},
            customdata=[_figure_hover(row) for row in mine],
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_layout(barmode="overlay", bargap=0.35)
    figure.update_yaxes(categoryorder="array", categoryarray=[row.benchmark for row in reversed(rows)])
    figure.add_vline(x=1, line={"color": colours.line, "width": 1, "dash": "dash"})
    highest = max([1.0, *(row.share for row in rows)])
    figure.update_xaxes(title_text="best known / cost: what the instance adds to the score", range=[0, 1.12 * highest])
    lay_out(figure, _ROW * len(rows))
    return figure


def _figure_hover(row: SolverFigure) -> str:
    if not row.solved:
        return f"<b>{row.benchmark}</b>: {row.outcome}"
    return f"<b>{row.benchmark}</b><br>cost {row.cost:,}<br>best known {row.best or 0:,}<br>at {row.seconds or 0:.1f} s"


def costs_figure(
    histories: Mapping[str, Sequence[tuple[float, int]]], instance: SolverFigure, colours: Palette
) -> go.Figure:
    """Cost over time of each solver on one instance, as a multiple of the best cost known; both axes logarithmic."""
    figure = go.Figure()
    best = instance.best or 1
    for place, (policy, points) in enumerate(sorted(histories.items())):
        if not points:
            continue
        moments = [max(seconds, 0.01) for seconds, _ in points]
        figure.add_scatter(
            name=policy,
            x=[*moments, instance.limit],
            y=[cost / best for _, cost in (*points, points[-1])],
            mode="lines+markers",
            line={"shape": "hv", "width": 2, "color": _LINES[place % len(_LINES)]},
            marker={"size": 5},
            text=[f"{cost:,} at {seconds:.2f} s" for seconds, cost in (*points, (instance.limit, points[-1][1]))],
            hovertemplate=f"<b>{policy}</b><br>%{{text}}<br>%{{y:.4f}} of the best known<extra></extra>",
        )
    _level(figure, 1.0, "best known", "dash", "bottom", colours)
    if instance.bound and instance.bound < best:
        _level(figure, instance.bound / best, "proven lower bound", "dot", "top", colours)
    lay_out(figure, _HEIGHT)
    figure.update_xaxes(type="log", title_text=f"seconds, of {instance.limit:g}", dtick=1)
    figure.update_yaxes(type="log", title_text="cost / best known", showgrid=True, nticks=6, tickformat="~g")
    return figure


def _level(figure: go.Figure, value: float, label: str, dash: str, anchor: str, colours: Palette) -> None:
    """A labelled line across a chart whose y axis is logarithmic: of a label, plotly takes the logarithm."""
    figure.add_hline(y=value, line={"color": colours.line, "width": 1.2, "dash": dash})
    figure.add_annotation(
        text=label, x=1, xref="paper", xanchor="right", y=math.log10(value), yanchor=anchor, showarrow=False
    )


def memory_figure(found: MemoryOverTime, policy: str, colours: Palette) -> go.Figure:
    """Memory that a solution uses, over the instance's time."""
    figure = go.Figure()
    figure.add_scatter(
        name=policy,
        x=list(found.times),
        y=[usage / _MIB for usage in found.usage],
        mode="lines",
        line={"shape": "hv", "width": 1.5, "color": colours.submission},
        fill="tozeroy",
        text=[f"{quantity(usage)} bytes" for usage in found.usage],
        hovertemplate="at %{x:,}: %{text}<extra></extra>",
    )
    if found.limit is not None:
        figure.add_hline(y=found.limit / _MIB, line={"color": colours.worse, "width": 1.5}, annotation_text="limit")
    lay_out(figure, _HEIGHT)
    figure.update_xaxes(title_text="time of the instance")
    figure.update_yaxes(title_text="MiB in use", rangemode="tozero", showgrid=True)
    return figure
