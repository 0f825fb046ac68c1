"""The one look of every table that is only read: no index, rows of one height, a dash for what is absent."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from harness.base.formats import ABSENT
from harness.base.vocabulary import Target
from harness.measure import find_metric
from harness.rank.question import Question

__all__ = ["ROW_HEIGHT", "number_format", "show_table", "unit_of"]

ROW_HEIGHT = 30
"""In pixels."""


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


def unit_of(question: Question) -> str:
    """Of the question's metric on its target."""
    return find_metric(question.metric).unit_on(Target(question.target))


def number_format(metric: str) -> str:
    """Of the metric's values in a table: seconds with four decimals, what is no whole number with one."""
    known = find_metric(metric)
    return "%.4f" if known.unit == "s" else "%,d" if known.whole else "%,.1f"
