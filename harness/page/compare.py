"""Two policies side by side: on which programs one is better, and by how much."""

import shlex
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from harness.base.formats import ABSENT, interval, plain, quantity, ratio, sentence
from harness.base.views import command_options
from harness.page import address, site
from harness.page.asked import ask
from harness.page.charts import CONFIG, comparison_figure
from harness.page.palette import palette
from harness.page.sql import show_sql
from harness.page.table import number_format, show_table, unit_of
from harness.policy.tracks import facts_of
from harness.problems.registry import benchmarks_of_track
from harness.rank.campaigns import campaigns
from harness.rank.compare import Comparison, Summary
from harness.rank.contest import NEVER, percent
from harness.rank.notes import SEEN, how_compared
from harness.rank.question import Question, benchmarks_called
from harness.rank.words import campaign_lines, cycle_lines, verdict_mark

__all__ = ["render"]


def render() -> None:
    """Show the page."""
    st.header("Compare", anchor=False)
    with site.opened_index() as index:
        pages, question = ask(index)
        ranked = pages.policies(index, question)
        left, right = st.container(horizontal=True, width=660).columns(2)
        other = next((name for name in ranked if name != question.reference), ranked[0])
        a = address.choose(left, "Policy A", "a", ranked, default=other)
        rest = next((name for name in ranked if name != other), other)
        reference = question.reference if question.reference in ranked else rest
        b = address.choose(right, "Policy B", "b", ranked, default=reference)
        sort = benchmarks_of_track(question.track)[1]
        found = sort.versus(index, question, a, b)
        timed = campaign_lines(campaigns(index, question, (a, b)), (row.pairs for row in found.rows))
    rows = found.rows
    options = command_options(pages.view_of(question), without=("reference",))
    st.markdown(plain(pages.describe(question)))
    _summary(found.summary, question, a, b)
    st.caption("  \n".join(map(plain, timed)))
    if any(row.ratio is not None for row in rows):
        st.plotly_chart(
            comparison_figure(rows, a, b, palette()),
            config=CONFIG,
            key="chart",
            alt=f"Ratio of each program, {a} to {b}",
        )
    _table(rows, question, a, b)
    show_sql(
        sort.versus_sql(question, a, b),
        command=f"harness compare {shlex.join((a, b))} {options}",
        remark=how_compared(question),
    )


def _summary(found: Summary, question: Question, a: str, b: str) -> None:
    st.markdown(f"**{plain(found.conclusion)}**")
    if found.in_class:
        st.markdown(f"{sentence(found.in_class)}.")
    mean, wins, losses, ties, open_, both = st.columns(6)
    mean.metric(
        "geometric mean",
        ratio(found.mean),
        help=f"Of {plain(b)} / {plain(a)} over the programs that both completed: above 1, {plain(a)} is better.",
    )
    wins.metric(f"{plain(a)} is better", found.wins)
    losses.metric(f"{plain(b)} is better", found.losses)
    ties.metric("equal", found.ties, help="The same, or shown to be equivalent.")
    open_.metric("not told apart", found.unresolved)
    both.metric("completed by both", f"{found.completed}/{found.programs}")
    if found.mean is not None:
        exact = found.these_low == found.these_high
        what = benchmarks_called(question)
        these = "exact for these" if exact else f"{interval(found.these_low, found.these_high)} for these"
        st.markdown(f"95 % interval: {interval(found.low, found.high)} for {what} like these; {these}.")
    if found.strict is not None:
        failed = "; ".join(f"{policy} did not complete {', '.join(names)}" for policy, names in found.failed.items())
        st.markdown(plain(f"Strict {ratio(found.strict)}: {failed}. The interval for {what} like these is of that."))
    for line in cycle_lines(found.modelled, a, b):
        st.markdown(f"{sentence(line)}.")


def _table(rows: Sequence[Comparison], question: Question, a: str, b: str) -> None:
    frame = pd.DataFrame(
        {
            "benchmark": [row.benchmark for row in rows],
            "a": [row.a for row in rows],
            "b": [row.b for row in rows],
            "difference": [None if row.a is None or row.b is None else row.a - row.b for row in rows],
            "ratio": [row.ratio for row in rows],
            "interval": [interval(row.low, row.high) for row in rows],
            "verdict": [verdict_mark(row.verdict) or ABSENT for row in rows],
            "pairs": [row.pairs for row in rows],
            "mde": [percent(row.mde) or ABSENT for row in rows],
            "outcome_a": [row.outcome_a for row in rows],
            "outcome_b": [row.outcome_b for row in rows],
            "remark": [_remark(row) for row in rows],
        }
    ).astype({"pairs": "Int64"})
    as_text = not facts_of(question.track).compiled
    frame = frame.drop(columns=_saying_nothing(rows, without_difference=question.quantity.paired or as_text))
    if as_text:  # as text: a table's numbers end at 2^53
        frame = frame.assign(**{side: [quantity(getattr(row, side)) for row in rows] for side in ("a", "b")})
        frame = frame.assign(ratio=[ratio(row.ratio) for row in rows])
    config = st.column_config
    unit_ = unit_of(question)
    number = number_format(question.metric)

    def side(label: str, policy: str) -> Any:
        if as_text:
            return config.TextColumn(label, width=150, alignment="right", help=policy)
        return config.NumberColumn(label, format=number, help=policy)

    show_table(
        frame,
        "comparison",
        {
            "benchmark": config.TextColumn("benchmark", width=105),
            "a": side(f"A ({unit_})", a),
            "b": side(f"B ({unit_})", b),
            "difference": config.NumberColumn(f"A − B ({unit_})", format=number),
            "ratio": config.TextColumn("B / A", width=90, alignment="right", help="Above 1, A is better.")
            if as_text
            else config.NumberColumn("B / A", format="%.4f", width=90, help="Above 1, A is better."),
            "interval": config.TextColumn("95 % interval", width=125, alignment="right", help="Of the ratio."),
            "verdict": config.TextColumn("verdict on A", width=115),
            "pairs": config.NumberColumn("pairs", width=55),
            "mde": config.TextColumn("MDE", width=65, alignment="right", help=SEEN),
            "outcome_a": config.TextColumn("outcome of A", width=105),
            "outcome_b": config.TextColumn("outcome of B", width=105),
            "remark": config.TextColumn("remark"),
        },
    )


def _remark(row: Comparison) -> str:
    """In short: what to do about it is said once, above."""
    if row.same_object:
        return "same object"
    return NEVER if row.never_together else row.remark


def _saying_nothing(rows: Sequence[Comparison], *, without_difference: bool) -> list[str]:
    """The columns that are the same in every row, or of no use: medians of times are not subtracted."""
    found = ["difference"] if without_difference else []
    found += ["interval", "mde"] if all(row.low is None for row in rows) else []
    found += ["pairs"] if all(row.pairs is None for row in rows) else []
    found += ["outcome_a", "outcome_b"] if all(row.outcome_a == row.outcome_b == "ok" for row in rows) else []
    found += ["remark"] if not any(row.remark or row.same_object for row in rows) else []
    return found
