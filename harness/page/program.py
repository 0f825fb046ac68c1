"""The programs behind one standing: what a policy gave on each, and what each counts as."""

import shlex
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from harness.base.errors import UsageError
from harness.base.formats import ABSENT, interval, plain, ratio, short
from harness.base.views import command_options
from harness.page import address, site
from harness.page.asked import ask
from harness.page.charts import CONFIG, programs_figure
from harness.page.learnt import show_training
from harness.page.palette import palette
from harness.page.render import show
from harness.page.sql import show_sql
from harness.page.table import number_format, printed, room_for, show_table, unit_of
from harness.page.text import show_text
from harness.policy.load import find_policy
from harness.rank.contest import percent
from harness.rank.notes import DECIDED, JUDGED, SEEN, SHARED, how_computed
from harness.rank.programs import ProgramFigure, programs, programs_sql
from harness.rank.question import Question
from harness.rank.standings import Standing, standings
from harness.rank.words import decided, dependence_lines, rank_range, reason_lines, verdict_mark

__all__ = ["render"]


def render() -> None:
    """Show the page."""
    heading = st.empty()
    with site.opened_index() as index:
        pages, question = ask(index)
        if own := pages.views.get("program"):
            heading.header(own.title, anchor=False)
            show(own, index, question)
            return
        heading.header("Programs", anchor=False)
        table = standings(index, question)
        policy = address.choose(st.container(width=320), "Policy", "policy", [row.policy for row in table])
        rows = programs(index, question, policy)
    st.markdown(f"{plain(pages.describe(question))} against {plain(question.reference)}")
    _figures(next(row for row in table if row.policy == policy))
    _failures(rows)
    st.plotly_chart(
        programs_figure(rows, question.reference, policy, palette()),
        config=CONFIG,
        key="chart",
        alt=f"Ratio of each program under {policy}",
    )
    _table(rows, question, policy)
    if policy != question.reference:
        site.link("compare", f"Compare {policy} with {question.reference}", a=policy, b=question.reference)
    _about(policy)
    show_sql(
        programs_sql(question, policy),
        command=f"harness compare {shlex.join((policy, question.reference))} "
        f"{command_options(pages.view_of(question), without=['reference'])}",
        remark=how_computed(question),
    )


def _figures(row: Standing) -> None:
    """The standing that the programs make."""
    rank, strict, matched, coverage, ended, seen = st.columns(6)
    rank.metric("rank", rank_range(row) or ABSENT, help=f"Within class {row.policy_class}. {SHARED}")
    strict.metric("strict", ratio(row.strict))
    matched.metric("matched", ratio(row.matched))
    coverage.metric("coverage", f"{row.completed}/{row.benchmarks}")
    ended.metric("W/T/?/L", decided(row) or ABSENT, help=DECIDED)
    seen.metric("MDE", percent(row.mde) or ABSENT, help=SEEN)
    exact = row.these_low == row.these_high
    these = "exact for these" if exact else f"{interval(row.these_low, row.these_high)} for these"
    st.markdown(f"95 % interval of strict: {interval(row.low, row.high)} for programs like these; {these}.")
    if row.verdict is not None:
        word = plain(verdict_mark(row.verdict, row.depends_on) or ABSENT)
        st.markdown(f"Against {plain(row.reference)}: **{word}**. {JUDGED}")
    for line in dependence_lines([row]) + reason_lines([row]):
        st.markdown(f"- {plain(line)}")


def _failures(rows: Sequence[ProgramFigure]) -> None:
    failed = [row for row in rows if row.outcome != "ok"]
    if failed:
        st.markdown(f"**Not ok: {len(failed)} of {len(rows)} programs**")
        show_text(("benchmark", "outcome", "detail"), [(row.benchmark, row.outcome, row.detail) for row in failed])


def _table(rows: Sequence[ProgramFigure], question: Question, policy: str) -> None:
    frame = pd.DataFrame(
        {
            "benchmark": [row.benchmark for row in rows],
            "split": [row.split for row in rows],
            "origin": [row.origin for row in rows],
            "outcome": [row.outcome for row in rows],
            "reference": [row.reference for row in rows],
            "policy": [row.policy for row in rows],
            "ratio": [row.ratio for row in rows],
            "interval": [interval(row.low, row.high) for row in rows],
            "verdict": [verdict_mark(row.verdict) or ABSENT for row in rows],
            "pairs": [row.pairs for row in rows],
            "counted": [row.counted for row in rows],
            "object": [short(row.object_digest) for row in rows],
            "same": [_same(row) for row in rows],
        }
    ).astype({"pairs": "Int64"})
    exact = all(row.low is None for row in rows)
    frame = frame.drop(columns=[*(["interval"] if exact else []), *([] if question.quantity.paired else ["pairs"])])
    config = st.column_config
    unit_ = unit_of(question)
    number = number_format(question.metric)
    values = [printed(value, question.metric) for row in rows for value in (row.reference, row.policy)]
    wide = room_for(values, 85 if question.quantity.paired else 105)
    over = f"{question.reference} / {policy}"

    def side(name: str) -> Any:
        heading = f"{name} ({unit_})"
        return config.NumberColumn(heading, format=number, width=wide, help=f"{question.metric} under {heading}")

    show_table(
        frame,
        "programs",
        {
            "benchmark": config.TextColumn("benchmark", width=105),
            "split": config.TextColumn("split", width=46),
            "origin": config.TextColumn("origin", width=62),
            "outcome": config.TextColumn("outcome", width=88),
            "reference": side(question.reference),
            "policy": side(policy),
            "ratio": config.NumberColumn(over, format="%.4f", width=95, help=f"{over}: above 1, {policy} is better."),
            "interval": config.TextColumn("95 % interval", width=125, alignment="right", help="Of the ratio."),
            "verdict": config.TextColumn("verdict", width=115 if question.quantity.paired else 80),
            "pairs": config.NumberColumn("pairs", width=55),
            "counted": config.NumberColumn("counted as", format="%.4f", width=78, help="What enters strict."),
            "object": config.TextColumn("object", width=100, help="First digits of the object's SHA-256."),
            "same": config.TextColumn(f"vs {question.reference}", width=70, help="Is it the reference's object?"),
        },
    )


def _same(row: ProgramFigure) -> str:
    if row.object_digest is None:
        return ABSENT
    return "same" if row.same_object else "differs"


def _about(name: str) -> None:
    """What the policy's manifest says, where the baselines or submissions have it. All of it is shown as it is."""
    try:
        policy = find_policy(name)
    except UsageError:
        return
    if policy is None:
        return
    manifest = policy.manifest
    how = f"problem {manifest.problem} · form {manifest.form} · class {manifest.policy_class}"
    st.markdown(f"**About {plain(manifest.name)}** · {how}")
    st.text(manifest.description)
    said = f"by {', '.join(manifest.authors)} · licence {manifest.licence} · version {manifest.version}"
    said += f" · {policy.size:,} bytes of files" if policy.size else ""
    st.caption(plain(said))
    show_training(policy)
