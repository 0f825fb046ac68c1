"""The one look of every table that is only read: no index, rows of one height, a dash for what is absent."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from harness.base.formats import ABSENT
from harness.base.vocabulary import Target
from harness.measure import find_metric
from harness.rank.question import Question

__all__ = ["ROW_HEIGHT", "number_format", "printed", "room_for", "show_table", "unit_of"]

ROW_HEIGHT = 30
"""In pixels."""
_BESIDE, _DIGIT = 16, 7
_OTHERS = {",": 4, ".": 4, " ": 4, "%": 12}
"""In pixels: what a cell has beside its text, a digit, and what is not as wide as one."""


def show_table(frame: pd.DataFrame, key: str, columns: Mapping[str, Any]) -> None:
    """Show a frame; ``columns`` says how each of its columns is headed and printed."""
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        row_height=ROW_HEIGHT,
        placeholder=ABSENT,
        key=key,
        column_config=dict(columns),
    )


def printed(value: float | None, metric: str) -> str:
    """As ``number_format`` has a value in a table, or a little longer."""
    if value is None:
        return ABSENT
    return f"{value:.4f}" if find_metric(metric).unit == "s" else f"{value:,.1f}"


def room_for(texts: Iterable[object], least: int) -> int:
    """The width, in pixels, of a column of numbers that is at least ``least``, so that each is read whole.

    What is too long for a cell that is aligned to the right is cut on the left, where a number has its first digits:
    another number would be read.
    """
    return max([least, *(_BESIDE + sum(_OTHERS.get(letter, _DIGIT) for letter in str(text)) for text in texts)])


def unit_of(question: Question) -> str:
    """Of the question's metric on its target."""
    return find_metric(question.metric).unit_on(Target(question.target))


def number_format(metric: str) -> str:
    """Of the metric's values in a table: seconds with four decimals, what is no whole number with one."""
    known = find_metric(metric)
    return "%.4f" if known.unit == "s" else "%,d" if known.whole else "%,.1f"
