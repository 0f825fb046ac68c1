"""The one look of every table that is only read: no index, rows of one height, a dash for what is absent."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from harness.measure import find_metric
from harness.page.formats import ABSENT, ROW_HEIGHT

__all__ = ["number_format", "show_table"]


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


def number_format(metric: str) -> str:
    """Of the metric's values in a table: seconds with four decimals, all else with thousands separators."""
    known = find_metric(metric)
    return "%.4f" if known.unit == "s" else "%,.1f" if known.modelled else "%,d"
