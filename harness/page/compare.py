"""Two policies side by side: on which programs one is better, and by how much."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from harness.page import address, site
from harness.page.asked import ask, command_options, describe, unit
from harness.page.charts import CONFIG, comparison_figure
from harness.page.formats import ratio
from harness.page.palette import palette
from harness.page.sql import show_sql
from harness.page.table import number_format, show_table
from harness.rank.compare import Comparison, compare, compare_sql, summarise
from harness.rank.standings import Question, standings

__all__ = ["render"]


def render() -> None:
    """Show the page."""
    st.header("Compare", anchor=False)
    with site.opened_index() as index:
        question = ask(index)
        ranked = [row.policy for row in standings(index, question)]
        left, right = st.container(horizontal=True, width=660).columns(2)
        other = next((name for name in ranked if name != question.reference), ranked[0])
        a = address.choose(left, "Policy A", "a", ranked, default=other)
        b = address.choose(right, "Policy B", "b", ranked, default=question.reference)
        rows = compare(index, question, a, b)
    st.markdown(describe(question))
    _summary(rows, a, b)
    if any(row.ratio is not None for row in rows):
        st.plotly_chart(
            comparison_figure(rows, a, b, palette()),
            config=CONFIG,
            key="chart",
            alt=f"Ratio of each program, {a} to {b}",
        )
    _table(rows, question, a, b)
    show_sql(
        compare_sql(question, a, b),
        command=f"harness compare {a} {b} {command_options(question, without=('reference',))}",
    )


def _summary(rows: Sequence[Comparison], a: str, b: str) -> None:
    found = summarise(rows)
    mean, wins, losses, ties, both = st.columns(5)
    mean.metric(
        "geometric mean",
        ratio(found.mean),
        help=f"Of {b} / {a} over the programs that both completed: above 1, {a} is better.",
    )
    wins.metric(f"{a} is better", found.wins)
    losses.metric(f"{b} is better", found.losses)
    ties.metric("equal", found.ties)
    both.metric("completed by both", f"{found.wins + found.losses + found.ties}/{found.programs}")


def _table(rows: Sequence[Comparison], question: Question, a: str, b: str) -> None:
    frame = pd.DataFrame(
        {
            "benchmark": [row.benchmark for row in rows],
            "a": [row.a for row in rows],
            "b": [row.b for row in rows],
            "difference": [None if row.a is None or row.b is None else row.a - row.b for row in rows],
            "ratio": [row.ratio for row in rows],
            "outcome_a": [row.outcome_a for row in rows],
            "outcome_b": [row.outcome_b for row in rows],
            "remark": ["same object" if row.same_object else "" for row in rows],
        }
    )
    config = st.column_config
    unit_ = unit(question.metric, question.target)
    number = number_format(question.metric)
    show_table(
        frame,
        "comparison",
        {
            "benchmark": config.TextColumn("benchmark", width=120),
            "a": config.NumberColumn(f"{a} ({unit_})", format=number),
            "b": config.NumberColumn(f"{b} ({unit_})", format=number),
            "difference": config.NumberColumn(f"{a} − {b} ({unit_})", format=number),
            "ratio": config.NumberColumn(f"{b} / {a}", format="%.4f"),
            "outcome_a": config.TextColumn(f"outcome of {a}"),
            "outcome_b": config.TextColumn(f"outcome of {b}"),
            "remark": config.TextColumn("objects", width=110),
        },
    )
