"""From answers to Plotly figures. Pure: data and colours in, a figure out.

Single programs are bars of the log-ratio times 100: twice as good and half as good are equally far from 0,
and small values are about per cent. Their labels are the ratios.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from harness.base.formats import interval, quantity, ratio
from harness.page.palette import Palette
from harness.rank import Comparison, ProgramFigure, Standing
from harness.rank.words import rank_range

__all__ = ["CONFIG", "ROW", "comparison_figure", "lay_out", "programs_figure", "standings_figure"]

CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "chart"},
}
"""For ``st.plotly_chart``: the camera saves a vector image, fit for a paper."""

ROW = 25
"""Height of one policy or program, in pixels."""
_GAP = 34
"""Height between two classes, for the title of the second."""
_FRAME = 96
"""Height of all else: axis, legend, margins."""
_GRID = "rgba(128, 128, 128, 0.2)"
"""Seen on light and on dark."""
_SYMBOLS = {"submission": "circle", "baseline": "diamond", "not ranked": "circle-open"}
_OPEN = ("unresolved", None)
"""Verdicts that decide nothing; None: times of a marked campaign."""
_LETTER = 0.011
"""Width of a letter of the labels beside the bars, as a share of the axis."""


@dataclass(frozen=True)
class _Bar:
    program: str
    ratio: float
    label: str
    hover: str
    low: float | None = None
    high: float | None = None


def standings_figure(table: Sequence[Standing], baselines: frozenset[str], colours: Palette) -> go.Figure:
    """Strict with its interval, one dot a policy, the best on top; classes stand apart."""
    classes = list(dict.fromkeys(row.policy_class for row in table))
    members = [[row for row in table if row.policy_class == name] for name in classes]
    gaps = len(classes) - 1
    figure = make_subplots(
        rows=len(classes),
        shared_xaxes=True,
        vertical_spacing=_GAP / (_GAP * gaps + ROW * len(table)),
        row_heights=[len(group) for group in members],
        subplot_titles=[f"class {name}" for name in classes] if gaps else None,
    )
    figure.update_annotations(x=0, xanchor="left", font={"size": 13})
    for place, group in enumerate(members, start=1):
        figure.add_trace(_thick(group, colours.line), row=place, col=1)
        kinds = (("submission", colours.submission), ("baseline", colours.baseline), ("not ranked", colours.failed))
        for name, colour in kinds:
            rows = [row for row in group if _kind(row, baselines) == name]
            if rows:
                first = not any(trace.name == name for trace in figure.data)
                figure.add_trace(_dots(rows, name, colour, show_legend=first), row=place, col=1)
        best_on_top = [row.policy for row in reversed(group)]
        figure.update_yaxes(categoryorder="array", categoryarray=best_on_top, row=place, col=1)
    figure.update_xaxes(tickformat=".2~f")
    figure.update_xaxes(title_text=f"strict: geometric mean of {table[0].reference} / policy", row=len(classes), col=1)
    figure.add_vline(x=1, line={"color": colours.line, "width": 1.5, "dash": "dash"}, layer="below")
    lay_out(figure, ROW * len(table) + _GAP * gaps)
    if gaps:  # the legend stands above the first class's title
        figure.update_layout(margin={"t": 56}, height=figure.layout.height + 24, legend={"y": 1, "yref": "container"})
        figure.update_layout(legend={"x": 0, "xref": "container"})
        figure.update_layout(legend={"yanchor": "top"})
    return figure


def _thick(rows: Sequence[Standing], colour: str) -> go.Scatter:
    """What measurement and seeds leave open, one line a policy; nothing where they leave nothing open."""
    x: list[float | None] = []
    y: list[str | None] = []
    for row in rows:
        if row.these_low is not None and row.these_high is not None and row.these_low < row.these_high:
            x += [row.these_low, row.these_high, None]
            y += [row.policy, row.policy, None]
    return go.Scatter(x=x, y=y, mode="lines", line={"color": colour, "width": 5}, hoverinfo="skip", showlegend=False)


def _kind(row: Standing, baselines: frozenset[str]) -> str:
    return "not ranked" if row.rank is None else "baseline" if row.policy in baselines else "submission"


def _dots(rows: Sequence[Standing], name: str, colour: str, *, show_legend: bool) -> go.Scatter:
    up = [None if row.high is None or row.strict is None else row.high - row.strict for row in rows]
    down = [None if row.low is None or row.strict is None else row.strict - row.low for row in rows]
    return go.Scatter(
        name=name,
        legendgroup=name,
        showlegend=show_legend,
        x=[row.strict for row in rows],
        y=[row.policy for row in rows],
        mode="markers",
        marker={"color": colour, "size": 10, "symbol": _SYMBOLS[name], "line": {"width": 2, "color": colour}},
        error_x={"type": "data", "array": up, "arrayminus": down, "thickness": 1.5, "width": 4, "color": colour},
        text=[_standing_hover(row) for row in rows],
        hovertemplate="%{text}<extra></extra>",
    )


def _standing_hover(row: Standing) -> str:
    rank = rank_range(row)
    lines = [
        f"<b>{row.policy}</b> ({row.policy_class}, {f'rank {rank}' if rank else 'not ranked'})",
        f"strict {ratio(row.strict)}",
        f"for programs like these [{interval(row.low, row.high)}]",
        f"for these programs [{interval(row.these_low, row.these_high)}]",
        f"matched {ratio(row.matched)}, coverage {row.completed}/{row.benchmarks}",
        f"better on {row.wins}, equal or equivalent on {row.ties}, not resolved on {row.unresolved}, worse, failed "
        f"or not run on {row.losses}",
        *([row.verdict] if row.verdict else []),
        *row.reasons,
    ]
    return "<br>".join(lines)


def programs_figure(table: Sequence[ProgramFigure], reference: str, policy: str, colours: Palette) -> go.Figure:
    """One bar a program, what it counts as in strict; failed ones hatched, with their outcome.

    A program without a value of the reference has no bar: it does not count.
    """

    def bars(wanted: Callable[[ProgramFigure], bool]) -> list[_Bar]:
        return [
            _Bar(
                row.benchmark,
                row.counted,
                row.outcome if row.ratio is None else _label(row.ratio, row.same_object),
                f"<b>{row.benchmark}</b> ({row.split}, {row.origin}): {row.outcome}<br>"
                f"{reference} {quantity(row.reference)}<br>{policy} {quantity(row.policy)}<br>"
                f"ratio {ratio(row.ratio)}{_open(row.low, row.high)}, counted as {ratio(row.counted)}",
                row.low,
                row.high,
            )
            for row in table
            if row.counted is not None and wanted(row)
        ]

    figure = go.Figure()
    _add(figure, f"better than {reference}", colours.better, bars(lambda row: row.verdict == "better"))
    _add(figure, f"worse than {reference}", colours.worse, bars(lambda row: row.verdict == "worse"))
    _add(figure, f"equal to {reference}", colours.line, bars(lambda row: row.verdict in ("equal", "equivalent")))
    _add(figure, "not told apart", colours.open, bars(lambda row: row.ratio is not None and row.verdict in _OPEN))
    _add(
        figure,
        "failed, counted as the worst of reference, slowest baseline and the policy's own worst",
        colours.failed,
        bars(lambda row: row.ratio is None),
        "/",
    )
    _lay_out_bars(figure, [row.benchmark for row in table if row.counted is not None], reference, policy, colours)
    return figure


def comparison_figure(table: Sequence[Comparison], a: str, b: str, colours: Palette) -> go.Figure:
    """One bar a program that both completed: to the right where A is better, to the left where B is."""

    def bars(*verdicts: str | None) -> list[_Bar]:
        return [
            _Bar(
                row.benchmark,
                row.ratio,
                _label(row.ratio, row.same_object),
                f"<b>{row.benchmark}</b><br>{a} {quantity(row.a)}<br>{b} {quantity(row.b)}<br>"
                f"{b} / {a} {ratio(row.ratio)}{_open(row.low, row.high)}",
                row.low,
                row.high,
            )
            for row in table
            if row.ratio is not None and row.verdict in verdicts
        ]

    figure = go.Figure()
    _add(figure, f"{a} is better", colours.better, bars("better"))
    _add(figure, f"{b} is better", colours.worse, bars("worse"))
    _add(figure, "equal", colours.line, bars("equal", "equivalent"))
    _add(figure, "not told apart", colours.open, bars(*_OPEN))
    _lay_out_bars(figure, [row.benchmark for row in table if row.ratio is not None], b, a, colours)
    return figure


def _open(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{interval(low, high)}]"


def _label(value: float, same_object: bool) -> str:
    return "same object" if same_object else ratio(value)


def _add(figure: go.Figure, name: str, colour: str, bars: Sequence[_Bar], pattern: str = "") -> None:
    """Bars of one colour; of no bars, not even a line in the legend."""
    if not bars:
        return
    figure.add_bar(
        name=name,
        orientation="h",
        y=[bar.program for bar in bars],
        x=[100 * math.log(bar.ratio) for bar in bars],
        error_x=_errors(bars),
        marker={"color": colour, "pattern": {"shape": pattern, "fillmode": "replace"}, "line": {"width": 0}},
        legendgroup=name,
        customdata=[bar.hover for bar in bars],
        hovertemplate="%{customdata}<extra></extra>",
    )
    # Labels stand beyond the interval, which a bar's own text would be written over.
    right = [bar.ratio >= 1 for bar in bars]
    ends = [(bar.high if up else bar.low) or bar.ratio for bar, up in zip(bars, right, strict=True)]
    figure.add_scatter(
        mode="text",
        y=[bar.program for bar in bars],
        x=[100 * math.log(end) for end in ends],
        text=[f" {bar.label} " for bar in bars],
        textposition=["middle right" if up else "middle left" for up in right],
        textfont={"size": 11},
        cliponaxis=False,
        hoverinfo="skip",
        legendgroup=name,
        showlegend=False,
    )


def _errors(bars: Sequence[_Bar]) -> dict[str, Any] | None:
    """The intervals, where some bar has one."""
    if all(bar.low is None or bar.high is None for bar in bars):
        return None
    up = [100 * math.log(bar.high / bar.ratio) if bar.high is not None else None for bar in bars]
    down = [100 * math.log(bar.ratio / bar.low) if bar.low is not None else None for bar in bars]
    return {"type": "data", "array": up, "arrayminus": down, "thickness": 1.2, "width": 3}


def _lay_out_bars(figure: go.Figure, programs: Sequence[str], over: str, under: str, colours: Palette) -> None:
    """Programs from top to bottom as given; room for the labels beside the bars."""
    low, high = 0.0, 0.0
    for trace in figure.data:
        ups, downs = trace.error_x.array, trace.error_x.arrayminus
        for place, end in enumerate(trace.x):
            low = min(low, end - (downs[place] or 0 if downs is not None else 0))
            high = max(high, end + (ups[place] or 0 if ups is not None else 0))
    letters = max((len(label) for trace in figure.data for label in trace.text or ()), default=0)
    room = _LETTER * letters * max(high - low, 0.1)
    figure.update_layout(barmode="overlay", bargap=0.35)
    figure.update_yaxes(categoryorder="array", categoryarray=list(reversed(programs)))
    figure.update_xaxes(
        range=[low - room if low < 0 else -room / 4, high + room],
        title_text=f"100 · ln({over} / {under}), near 0 about per cent<br>right of 0, {under} is better",
        zeroline=False,
    )
    figure.add_vline(x=0, line={"color": colours.line, "width": 1})
    lay_out(figure, ROW * len(programs))


def lay_out(figure: go.Figure, height: int) -> None:
    """What all charts have in common; ``height`` is that of the rows, in pixels."""
    figure.update_layout(
        height=_FRAME + max(height, 2 * ROW),
        margin={"l": 8, "r": 16, "t": 32, "b": 40},
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "title": {"text": ""}},
        hoverlabel={"align": "left"},
        showlegend=True,
    )
    figure.update_xaxes(showgrid=True, gridcolor=_GRID)
    figure.update_yaxes(title_text="", automargin=True, showgrid=False)
