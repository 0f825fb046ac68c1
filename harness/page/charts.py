"""From answers to Plotly figures. Pure: data and colours in, a figure out.

Single programs are bars of the log-ratio times 100: twice as good and half as good are equally far from 0,
and small values are about per cent. Their labels are the ratios.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from harness.page.formats import interval, quantity, ratio
from harness.page.palette import Palette
from harness.rank import Comparison, ProgramFigure, Standing

__all__ = ["CONFIG", "comparison_figure", "programs_figure", "standings_figure"]

CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "chart"},
}
"""For ``st.plotly_chart``: the camera saves a vector image, fit for a paper."""

_ROW = 25
"""Height of one policy or program, in pixels."""
_GAP = 34
"""Height between two classes, for the title of the second."""
_FRAME = 96
"""Height of all else: axis, legend, margins."""
_GRID = "rgba(128, 128, 128, 0.2)"
"""Seen on light and on dark."""
_LETTER = 0.011
"""Width of a letter of the labels beside the bars, as a share of the axis."""


@dataclass(frozen=True)
class _Bar:
    program: str
    ratio: float
    label: str
    hover: str


def standings_figure(table: Sequence[Standing], baselines: frozenset[str], colours: Palette) -> go.Figure:
    """Strict with its interval, one dot a policy, the best on top; classes stand apart."""
    classes = list(dict.fromkeys(row.policy_class for row in table))
    members = [[row for row in table if row.policy_class == name] for name in classes]
    gaps = len(classes) - 1
    figure = make_subplots(
        rows=len(classes),
        shared_xaxes=True,
        vertical_spacing=_GAP / (_GAP * gaps + _ROW * len(table)),
        row_heights=[len(group) for group in members],
        subplot_titles=[f"class {name}" for name in classes] if gaps else None,
    )
    figure.update_annotations(x=0, xanchor="left", font={"size": 13})
    for place, group in enumerate(members, start=1):
        for name, colour in (("submission", colours.submission), ("baseline", colours.baseline)):
            rows = [row for row in group if (row.policy in baselines) == (name == "baseline")]
            if rows:
                first = not any(trace.name == name for trace in figure.data)
                figure.add_trace(_dots(rows, name, colour, show_legend=first), row=place, col=1)
        best_on_top = [row.policy for row in reversed(group)]
        figure.update_yaxes(categoryorder="array", categoryarray=best_on_top, row=place, col=1)
    figure.update_xaxes(tickformat=".2~f")
    figure.update_xaxes(title_text=f"strict: geometric mean of {table[0].reference} / policy", row=len(classes), col=1)
    figure.add_vline(x=1, line={"color": colours.line, "width": 1.5, "dash": "dash"}, layer="below")
    _lay_out(figure, _ROW * len(table) + _GAP * gaps)
    if gaps:  # the legend stands above the first class's title
        figure.update_layout(margin={"t": 56}, height=figure.layout.height + 24, legend={"y": 1, "yref": "container"})
        figure.update_layout(legend={"yanchor": "top"})
    return figure


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
        marker={"color": colour, "size": 10, "symbol": "circle" if name == "submission" else "diamond"},
        error_x={"type": "data", "array": up, "arrayminus": down, "thickness": 1.5, "width": 4, "color": colour},
        text=[_standing_hover(row) for row in rows],
        hovertemplate="%{text}<extra></extra>",
    )


def _standing_hover(row: Standing) -> str:
    rank = f"rank {row.rank}" if row.rank is not None else "not ranked"
    return (
        f"<b>{row.policy}</b> ({row.policy_class}, {rank})<br>"
        f"strict {ratio(row.strict)}  [{interval(row.low, row.high)}]<br>"
        f"matched {ratio(row.matched)}<br>coverage {row.completed}/{row.benchmarks}"
    )


def programs_figure(table: Sequence[ProgramFigure], reference: str, policy: str, colours: Palette) -> go.Figure:
    """One bar a program, what it counts as in strict; failed ones hatched, with their outcome.

    A program without a value of the reference has no bar: it does not count.
    """

    def bars(wanted: Callable[[float | None], bool]) -> list[_Bar]:
        return [
            _Bar(
                row.benchmark,
                row.counted,
                row.outcome if row.ratio is None else _label(row.ratio, row.same_object),
                f"<b>{row.benchmark}</b> ({row.split}, {row.origin}): {row.outcome}<br>"
                f"{reference} {quantity(row.reference)}<br>{policy} {quantity(row.policy)}<br>"
                f"ratio {ratio(row.ratio)}, counted as {ratio(row.counted)}",
            )
            for row in table
            if row.counted is not None and wanted(row.ratio)
        ]

    figure = go.Figure()
    _add(figure, f"better than {reference}", colours.better, bars(lambda r: r is not None and r > 1))
    _add(figure, f"worse than {reference}", colours.worse, bars(lambda r: r is not None and r < 1))
    _add(figure, f"equal to {reference}", colours.line, bars(lambda r: r == 1))
    _add(
        figure,
        "failed, counted as the worse of reference and slowest baseline",
        colours.failed,
        bars(lambda r: r is None),
        "/",
    )
    _lay_out_bars(figure, [row.benchmark for row in table if row.counted is not None], reference, policy, colours)
    return figure


def comparison_figure(table: Sequence[Comparison], a: str, b: str, colours: Palette) -> go.Figure:
    """One bar a program that both completed: to the right where A is better, to the left where B is."""

    def bars(wanted: Callable[[float], bool]) -> list[_Bar]:
        return [
            _Bar(
                row.benchmark,
                row.ratio,
                _label(row.ratio, row.same_object),
                f"<b>{row.benchmark}</b><br>{a} {quantity(row.a)}<br>{b} {quantity(row.b)}<br>"
                f"{b} / {a} {ratio(row.ratio)}",
            )
            for row in table
            if row.ratio is not None and wanted(row.ratio)
        ]

    figure = go.Figure()
    _add(figure, f"{a} is better", colours.better, bars(lambda r: r > 1))
    _add(figure, f"{b} is better", colours.worse, bars(lambda r: r < 1))
    _add(figure, "equal", colours.line, bars(lambda r: r == 1))
    _lay_out_bars(figure, [row.benchmark for row in table if row.ratio is not None], b, a, colours)
    return figure


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
        marker={"color": colour, "pattern": {"shape": pattern, "fillmode": "replace"}, "line": {"width": 0}},
        text=[bar.label for bar in bars],
        textposition="outside",
        cliponaxis=False,
        customdata=[bar.hover for bar in bars],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _lay_out_bars(figure: go.Figure, programs: Sequence[str], over: str, under: str, colours: Palette) -> None:
    """Programs from top to bottom as given; room for the labels beside the bars."""
    ends = [0.0, *(end for trace in figure.data for end in trace.x)]
    low, high = min(ends), max(ends)
    letters = max((len(label) for trace in figure.data for label in trace.text), default=0)
    room = _LETTER * letters * max(high - low, 0.1)
    figure.update_layout(barmode="overlay", bargap=0.35)
    figure.update_yaxes(categoryorder="array", categoryarray=list(reversed(programs)))
    figure.update_xaxes(
        range=[low - room if low < 0 else -room / 4, high + room],
        title_text=f"100 · ln({over} / {under}), about per cent: right of 0, {under} is better",
        zeroline=False,
    )
    figure.add_vline(x=0, line={"color": colours.line, "width": 1})
    _lay_out(figure, _ROW * len(programs))


def _lay_out(figure: go.Figure, height: int) -> None:
    """What all charts have in common; ``height`` is that of the rows, in pixels."""
    figure.update_layout(
        height=_FRAME + max(height, 2 * _ROW),
        margin={"l": 8, "r": 16, "t": 32, "b": 40},
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "title": {"text": ""}},
        hoverlabel={"align": "left"},
        showlegend=True,
    )
    figure.update_xaxes(showgrid=True, gridcolor=_GRID)
    figure.update_yaxes(title_text="", automargin=True, showgrid=False)
