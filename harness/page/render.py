"""Draws what a problem says that a page shows: one function for each sort of part. It decides nothing."""

import math
from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from harness.base.views import (
    Bars,
    Choose,
    Figures,
    Folded,
    Grid,
    GridColumn,
    Heading,
    Level,
    Links,
    Query,
    Series,
    Steps,
    Text,
    TextTable,
)
from harness.page import address, site
from harness.page.charts import CONFIG, ROW, lay_out
from harness.page.palette import Palette, palette
from harness.page.sql import show_sql
from harness.page.table import room_for, show_table
from harness.page.text import show_text
from harness.problems.protocol import View
from harness.rank.question import Question

if TYPE_CHECKING:
    import duckdb

__all__ = ["chooser", "show"]

_HEIGHT = 260
_DIFFERENT = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
"""Of several series in one chart (Okabe and Ito)."""


def chooser(beside: DeltaGenerator) -> Choose:
    """Draws selectors ``beside`` the page, or where the page's next part would stand."""

    def choose(label: str, name: str, options: Sequence[str], *, aside: bool = True, **how: Any) -> str:
        return address.choose(beside if aside else st.container(width=320), label, name, options, **how)

    return choose


def show(view: View, index: "duckdb.DuckDBPyConnection", question: Question) -> None:
    """Draw its parts in their order."""
    for part in view.parts(index, question, chooser(st.sidebar)):
        _show(part)


@singledispatch
def _show(part: Any) -> None:
    raise TypeError(f"no page can draw {type(part).__name__}")


@_show.register
def _(part: Heading) -> None:
    st.subheader(part.text, anchor=False)


@_show.register
def _(part: Text) -> None:
    getattr(st, part.style)(part.markdown)


@_show.register
def _(part: Figures) -> None:
    for place, figure in zip(st.columns(len(part.figures)), part.figures, strict=True):
        place.metric(figure.label, figure.value, help=figure.explain)


@_show.register
def _(part: Grid) -> None:
    frame = pd.DataFrame({column.heading: list(column.values) for column in part.columns})
    show_table(frame, part.key, {column.heading: _column(column) for column in part.columns})


def _column(column: GridColumn) -> Any:
    config = st.column_config
    if column.number:
        texts = [column.number % value for value in column.values if value is not None]
        width = room_for(texts, column.width)
        return config.NumberColumn(column.heading, format=column.number, width=width, help=column.explain)
    side: Literal["right"] | None = "right" if column.right else None
    width = room_for(column.values, column.width) if column.right else column.width
    return config.TextColumn(column.heading, width=width, alignment=side, help=column.explain)


@_show.register
def _(part: TextTable) -> None:
    show_text(part.heading, part.rows)


@_show.register
def _(part: Links) -> None:
    with st.container(horizontal=True):
        for link in part.links:
            site.link(link.page, link.label, **link.parameters)


@_show.register
def _(part: Query) -> None:
    show_sql(part.sql, command=part.command, remark=part.remark)


@_show.register
def _(part: Folded) -> None:
    with st.expander(part.label):
        for code in part.parts:
            st.code(code.text, language=code.language)


@_show.register
def _(part: Bars) -> None:
    figure, colours = go.Figure(), palette()
    for place, series in _drawn(part.series):
        figure.add_bar(
            name=series.name,
            orientation="h",
            x=series.x,
            y=series.y,
            error_x=_intervals(series),
            text=series.labels or None,
            textposition="outside" if series.labels else None,
            cliponaxis=False if series.labels else None,
            marker={
                "color": _colour(series, place, colours),
                "pattern": {"shape": "" if series.filled else "/", "fillmode": "replace"},
            },
            customdata=series.hover,
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_layout(barmode="overlay", bargap=0.35)
    figure.update_yaxes(categoryorder="array", categoryarray=part.names[::-1])
    for level in part.levels:
        figure.add_vline(x=level.at, line=_line(level, colours))
    figure.update_xaxes(title_text=part.values.title, rangemode="tozero")
    if part.values.end is not None:
        figure.update_xaxes(range=[0, part.values.end])
    lay_out(figure, ROW * len(part.names))
    st.plotly_chart(figure, config=CONFIG, key=part.key, alt=part.alt)


def _intervals(series: Series) -> dict[str, Any] | None:
    if all(high is None for high in series.high):
        return None
    up = [None if high is None else high - float(x) for high, x in zip(series.high, series.x, strict=True)]
    down = [None if low is None else float(x) - low for low, x in zip(series.low, series.x, strict=True)]
    return {"type": "data", "array": up, "arrayminus": down, "thickness": 1.5, "width": 4}


@_show.register
def _(part: Steps) -> None:
    figure, colours = go.Figure(), palette()
    for place, series in _drawn(part.series):
        figure.add_scatter(
            name=series.name,
            x=series.x,
            y=series.y,
            mode="lines" if series.filled else "lines+markers",
            line={"shape": "hv", "width": 1.5 if series.filled else 2, "color": _colour(series, place, colours)},
            marker={"size": 5},
            fill="tozeroy" if series.filled else None,
            text=series.hover,
            hovertemplate="%{text}<extra></extra>",
        )
    for level in part.levels:
        figure.add_hline(y=level.at, line=_line(level, colours))
        figure.add_annotation(  # of a label, plotly takes the logarithm
            text=level.label,
            x=1,
            xref="paper",
            xanchor="right",
            y=math.log10(level.at) if part.y.logarithmic else level.at,
            yanchor="bottom" if level.above else "top",
            showarrow=False,
        )
    lay_out(figure, _HEIGHT)
    figure.update_xaxes(title_text=part.x.title)
    figure.update_yaxes(title_text=part.y.title, rangemode="tozero", showgrid=True)
    if part.x.logarithmic:
        figure.update_xaxes(type="log", dtick=1)
    if part.y.logarithmic:
        figure.update_yaxes(type="log", nticks=6, tickformat="~g")
    st.plotly_chart(figure, config=CONFIG, key=part.key, alt=part.alt)


def _drawn(every: Sequence[Series]) -> list[tuple[int, Series]]:
    """With their places, those that have something to show: a place keeps its colour."""
    return [(place, series) for place, series in enumerate(every) if series.x]


def _colour(series: Series, place: int, colours: Palette) -> str:
    return _DIFFERENT[place % len(_DIFFERENT)] if series.colour is None else getattr(colours, series.colour)


def _line(level: Level, colours: Palette) -> dict[str, Any]:
    return {"color": getattr(colours, level.colour), "width": level.width, "dash": level.dash}
