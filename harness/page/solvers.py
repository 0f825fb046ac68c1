"""Solvers of sharding instances: their standings, and one solver's instances with cost and memory over time."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from harness.base.errors import HarnessError
from harness.base.paths import BASELINES
from harness.page import address, site
from harness.page.asked import command_options, describe, view_of
from harness.page.charts import CONFIG
from harness.page.formats import ABSENT, interval, plain, short
from harness.page.notes import SHARED, rules_broken
from harness.page.palette import palette
from harness.page.solver_charts import costs_figure, memory_figure, scores_figure, shares_figure
from harness.page.sql import show_sql
from harness.page.table import show_table
from harness.page.text import show_text
from harness.policy.load import MANIFEST
from harness.problems.instances.entries import SolverFigure, cost_over_time, history_sql, solver_sql
from harness.problems.instances.standings import SolverStanding, SolverTable, solver_standings
from harness.problems.sharding.domain import Sharding
from harness.problems.sharding.profile import MemoryOverTime, memory_over_time
from harness.rank.question import Question
from harness.rank.words import multiple, rank_range, reason_lines, share

if TYPE_CHECKING:
    import duckdb

__all__ = ["show_instances", "show_standings"]

_SHOW, _HIDE = "shown", "left out"


def show_standings(index: "duckdb.DuckDBPyConnection", question: Question) -> None:
    """The standings of solvers."""
    published = address.choose(st.sidebar, "Published rows", "published", [_SHOW, _HIDE], explain=_PUBLISHED) == _SHOW
    found = solver_standings(Sharding(), index, question, published=published)
    table = found.standings
    count = table[0].instances
    st.markdown(f"{plain(describe(question))} · {count} instance{'s' if count != 1 else ''}")
    for line in rules_broken(index, question):
        st.warning(line)
    _standings(table)
    with st.container(horizontal=True):
        for row in table:
            if not row.published:
                site.link("program", f"Instances of {row.policy}", policy=row.policy)
    lines = [*found.remarks, *reason_lines(table)]
    st.markdown("\n".join(f"- {plain(line)}" for line in lines))
    st.plotly_chart(
        scores_figure(table, _baselines(), palette()), config=CONFIG, key="chart", alt="Score of each solver"
    )
    _explain()
    st.caption(f"[permalink]({address.link(view_of(question))})")
    show_sql(
        solver_sql(Sharding(), question),
        command=f"harness leaderboard {command_options(question)}",
        remark="With `--sql` that command prints this query. The score is the sum of `best / cost` over the rows that "
        "are `ok`; published rows are no part of it.",
    )


_PUBLISHED = "Costs that others have published: reached on machines of theirs, and not ranked."


def _standings(table: Sequence[SolverStanding]) -> None:
    frame = pd.DataFrame(
        {
            "rank": [rank_range(row) or ABSENT for row in table],
            "policy": [row.policy for row in table],
            "class": [row.policy_class for row in table],
            "score": [row.score for row in table],
            "interval": [interval(row.low, row.high) for row in table],
            "ratio": [ABSENT if row.ratio is None else multiple(row.ratio) for row in table],
            "gap": [ABSENT if row.gap is None else share(row.gap) for row in table],
            "feasible": [f"{row.solved}/{row.instances}" for row in table],
            "optimal": [row.optimal for row in table],
            "beaten": [row.beaten for row in table],
        }
    )
    config = st.column_config
    show_table(
        frame,
        "standings",
        {
            "rank": config.TextColumn("rank", width=55, alignment="right", help=SHARED),
            "policy": config.TextColumn("solver", width=130),
            "class": config.TextColumn("class", width=80),
            "score": config.NumberColumn("score", format="%.4f", width=80, help="Sum of best known / cost."),
            "interval": config.TextColumn("95 % interval", width=140, alignment="right", help="Of the score."),
            "ratio": config.TextColumn("cost / best", width=90, alignment="right", help="Geometric mean."),
            "gap": config.TextColumn("gap to bound", width=100, alignment="right", help="Geometric mean."),
            "feasible": config.TextColumn("feasible", width=70, alignment="right", help="In instances."),
            "optimal": config.NumberColumn("optimal", width=65, help="Instances where its cost is proven lowest."),
            "beaten": config.NumberColumn("below best", width=80, help="Instances where it beats the best known."),
        },
    )


def _explain() -> None:
    st.markdown(
        "**score**: the contest's. The sum over instances of best cost known / cost; an instance without a feasible "
        "assignment gives 0. Ranks go by it; solvers that the instances cannot tell apart share them.  \n"
        "**95 % interval** of the score, for instances like these. **cost / best**: 1 is as good as the best known, "
        "less is better. **gap to bound**: how far costs are above the proven lower bound. Both are geometric means "
        "over the instances that were solved.  \n"
        "**published**: what others have reached, on machines of theirs; such rows have no rank."
    )


def show_instances(index: "duckdb.DuckDBPyConnection", question: Question) -> None:
    """One solver's instances, and all solvers on one of them."""
    found = solver_standings(Sharding(), index, question, published=False)
    policy = address.choose(st.container(width=320), "Solver", "policy", [row.policy for row in found.standings])
    mine = [figure for figure in found.figures if figure.policy == policy]
    st.markdown(plain(describe(question)))
    _summary(next(row for row in found.standings if row.policy == policy))
    if failed := [figure for figure in mine if not figure.solved]:
        st.markdown(f"**Not solved: {len(failed)} of {len(mine)} instances**")
        show_text(("instance", "outcome", "detail"), [(one.benchmark, one.outcome, one.detail) for one in failed])
    st.plotly_chart(shares_figure(mine, palette()), config=CONFIG, key="chart", alt=f"Share of each instance: {policy}")
    _instances(mine)
    st.subheader("One instance", anchor=False)
    name = address.choose(st.container(width=320), "Instance", "instance", [figure.benchmark for figure in mine])
    _one_instance(index, question, found, next(figure for figure in mine if figure.benchmark == name))
    show_sql(
        solver_sql(Sharding(), question, policy), command=f"harness leaderboard {command_options(question)} --json"
    )


def _summary(row: SolverStanding) -> None:
    rank, score, ratio, gap, feasible, optimal = st.columns(6)
    rank.metric("rank", rank_range(row) or ABSENT, help=SHARED)
    score.metric("score", f"{row.score:.4f}", help=f"Of {row.instances} instances.")
    ratio.metric("cost / best", ABSENT if row.ratio is None else multiple(row.ratio))
    gap.metric("gap to bound", ABSENT if row.gap is None else share(row.gap))
    feasible.metric("feasible", f"{row.solved}/{row.instances}")
    optimal.metric("proven optimal", row.optimal)
    for line in reason_lines([row]):
        st.markdown(f"- {plain(line)}")


def _instances(rows: Sequence[SolverFigure]) -> None:
    frame = pd.DataFrame(
        {
            "instance": [row.benchmark for row in rows],
            "split": [row.split for row in rows],
            "limit": [row.limit for row in rows],
            "outcome": [row.outcome for row in rows],
            # As text: a number of a table is a double, which loses the last digits of large costs.
            "cost": [_whole(row.cost) for row in rows],
            "best": [_whole(row.best) for row in rows],
            "share": [row.share for row in rows],
            "gap": [ABSENT if row.gap is None else share(row.gap) for row in rows],
            "seconds": [row.seconds for row in rows],
            "peak": [_whole(row.further["peak"]) for row in rows],
            "decisions": [short(row.decisions_digest) for row in rows],
        }
    )
    config = st.column_config
    show_table(
        frame,
        "instances",
        {
            "instance": config.TextColumn("instance", width=62),
            "split": config.TextColumn("split", width=50),
            "limit": config.NumberColumn("limit (s)", format="%g", width=60),
            "outcome": config.TextColumn("outcome", width=90),
            "cost": config.TextColumn("cost", width=135, alignment="right"),
            "best": config.TextColumn("best known", width=120, alignment="right"),
            "share": config.NumberColumn("best / cost", format="%.4f", width=85),
            "gap": config.TextColumn("gap to bound", width=95, alignment="right"),
            "seconds": config.NumberColumn("found at (s)", format="%.1f", width=85),
            "peak": config.TextColumn("peak (bytes)", width=115, alignment="right"),
            "decisions": config.TextColumn("assignment", width=108, help="First digits of the decisions' SHA-256."),
        },
    )


def _whole(number: int | None) -> str:
    return ABSENT if number is None else f"{number:,}"


def _one_instance(
    index: "duckdb.DuckDBPyConnection", question: Question, found: SolverTable, figure: SolverFigure
) -> None:
    there = [one for one in found.figures if one.benchmark == figure.benchmark]
    histories = {one.policy: cost_over_time(index, one) for one in there}
    if any(histories.values()):
        st.markdown("**Cost over time**, of every solver")
        chart = costs_figure(histories, figure, palette())
        st.plotly_chart(chart, config=CONFIG, key="costs", alt=f"Cost over time on {figure.benchmark}")
    if figure.solved and figure.run and figure.cell:
        st.markdown(f"**Memory** of {plain(figure.policy)}'s solution")
        _memory(index, question, figure)
        with st.expander("Judge it again"):
            row = f"{figure.run}/{figure.benchmark}/{question.target}/{figure.policy}"
            st.code(f"harness repro {shlex.quote(row)}", language="bash")
            st.code(history_sql(figure.run, figure.cell, figure.policy), language="sql")


def _memory(index: "duckdb.DuckDBPyConnection", question: Question, figure: SolverFigure) -> None:
    profile: MemoryOverTime
    try:
        profile = memory_over_time(index, question.suite, figure)
    except HarnessError as error:  # the assignment or the instance is not on this machine
        st.info(plain(f"not shown: {error.message}"))
        return
    chart = memory_figure(profile, figure.policy, palette())
    st.plotly_chart(chart, config=CONFIG, key="memory", alt=f"Memory over time on {figure.benchmark}")


def _baselines() -> frozenset[str]:
    return frozenset(path.parent.name for path in BASELINES.glob(f"*/{MANIFEST}"))
