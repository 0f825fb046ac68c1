"""The standings: the table, its chart, what the figures mean, and where they come from."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from harness.base.formats import ABSENT, interval, plain, sentence, short
from harness.base.views import command_options, permalink
from harness.measure import find_metric
from harness.page import site
from harness.page.asked import ask
from harness.page.charts import CONFIG, standings_figure
from harness.page.palette import palette
from harness.page.render import show
from harness.page.sql import show_sql
from harness.page.table import ROW_HEIGHT, room_for
from harness.policy.load import baseline_names
from harness.problems.protocol import Pages
from harness.rank.campaigns import TimedCampaign, campaigns
from harness.rank.contest import percent
from harness.rank.doubts import doubts
from harness.rank.elsewhere import elsewhere
from harness.rank.notes import DECIDED, JUDGED, OF_CEILING, SEEN, SHARED, UNCHECKED, how_computed, rules_broken
from harness.rank.question import Question, fingerprints, floor
from harness.rank.runs import runs_used
from harness.rank.standings import Standing, standings, standings_sql
from harness.rank.words import (
    changed_lines,
    counted,
    decided,
    dependence_lines,
    left_out_lines,
    marked_lines,
    model_lines,
    rank_range,
    reason_lines,
    timed_lines,
    unused_lines,
    verdict_mark,
)

__all__ = ["render"]

_NARROWEST, _WIDEST, _BESIDE, _LETTER = 96, 200, 14, 6
"""Of the policies' column, in pixels: least and most, beside the text, and a letter."""
_RUNS = 4
"""As many of the runs behind a table are named."""


def render() -> None:
    """Show the page."""
    st.header("Standings", anchor=False)
    with site.opened_index() as index:
        pages, question = ask(index)
        for line in doubts(index, [question]):
            st.warning(sentence(line))
        if own := pages.views.get("standings"):
            show(own, index, question)
            return
        table = standings(index, question)
        timed = campaigns(index, question)
        used = runs_used(index, question)
        broken = rules_broken(index, question)
        version = dict(fingerprints(index))[question.llvm]
    st.markdown(f"{plain(pages.describe(question))} against {plain(question.reference)} · {counted(table[0])}")
    for line in broken:
        st.warning(line)
    chosen = _table(pages, question, table)
    _links(table, chosen)
    _remarks(timed, table)
    st.plotly_chart(
        standings_figure([row for row in table if row.completed], baseline_names(), palette()),
        config=CONFIG,
        key="chart",
        alt="Strict of each policy",
    )
    _elsewhere(question)
    _explain(question, table)
    _origin(pages, question, version, used)
    show_sql(
        standings_sql(question),
        command=f"harness leaderboard {command_options(pages.view_of(question))}",
        remark=f"With `--sql` that command prints this query. {how_computed(question)}",
    )


def _table(pages: Pages, question: Question, table: Sequence[Standing]) -> list[str]:
    """The table; returns the policies that the reader has selected."""
    frame = pd.DataFrame(
        {
            "rank": [rank_range(row) or ABSENT for row in table],
            "policy": [row.policy for row in table],
            "class": [row.policy_class for row in table],
            "verdict": [verdict_mark(row.verdict, row.depends_on) or ABSENT for row in table],
            "strict": [row.strict for row in table],
            "interval": [interval(row.low, row.high) for row in table],
            "median": [row.median for row in table],
            "matched": [row.matched for row in table],
            "coverage": [f"{row.completed}/{row.benchmarks}" for row in table],
            "decided": [decided(row) or ABSENT for row in table],
            "mde": [percent(row.mde) or ABSENT for row in table],
            "decide": [row.decide_cpu for row in table],
        }
    )
    if any(row.share is not None for row in table):
        frame["share"] = [ABSENT if row.share is None else f"{row.share:.0%}".replace("%", " %") for row in table]
        # Room for it: where all is completed matched is strict, else median is what helps least.
        del frame["matched" if all(row.matched == row.strict for row in table) else "median"]
    better = f"{table[0].reference} / policy, a geometric mean: above 1 is better."
    prices = [f"{row.decide_cpu:.2f}" for row in table if row.decide_cpu is not None]
    config = st.column_config
    event = st.dataframe(
        frame,
        hide_index=True,
        height="content",
        row_height=ROW_HEIGHT,
        placeholder=ABSENT,
        on_select="rerun",
        selection_mode="multi-row",
        # Rows are selected by number: another question must not inherit the numbers.
        key=f"standings-{'-'.join(pages.view_of(question).values())}",
        column_config={
            "rank": config.TextColumn("rank", width=44, alignment="right", help="Within the class. " + SHARED),
            "policy": config.TextColumn("policy", width=_width(table)),
            "class": config.TextColumn("class", width=68),
            "verdict": config.TextColumn("verdict", width=102, help=JUDGED),
            "strict": config.NumberColumn("strict", format="%.4f", width=54, help=f"{better} Ranks go by this."),
            "interval": config.TextColumn("95 % interval", width=104, alignment="right", help="Of strict."),
            "median": config.NumberColumn("median", format="%.4f", width=60, help="Of what counts in strict."),
            "matched": config.NumberColumn(
                "matched", format="%.4f", width=66, help=f"Over what it completed. {better}"
            ),
            "coverage": config.TextColumn("covered", width=62, alignment="right", help="In programs."),
            "decided": config.TextColumn("W/T/?/L", width=66, alignment="right", help=DECIDED),
            "mde": config.TextColumn("MDE", width=48, alignment="right", help=SEEN),
            "decide": config.NumberColumn(
                "decide, s",
                format="%.2f",
                width=room_for(prices, 61),
                help="CPU seconds of deciding on a program, the median.",
            ),
            "share": config.TextColumn("of ceiling", width=66, alignment="right", help=OF_CEILING),
        },
    )
    return [table[row].policy for row in event["selection"]["rows"] if row < len(table)]


def _width(table: Sequence[Standing]) -> int:
    """Of the policies' column, in pixels: the longest name is read whole, unless it is longer than any should be."""
    longest = max((len(row.policy) for row in table), default=0)
    return min(max(_NARROWEST, _BESIDE + _LETTER * longest), _WIDEST)


def _links(table: Sequence[Standing], chosen: Sequence[str]) -> None:
    """Where the selected rows lead."""
    if not chosen:
        st.caption("Select a policy (left of its row) for its programs, or two to compare them.")
        return
    with st.container(horizontal=True):
        for policy in chosen:
            site.link("program", f"Programs of {policy}", policy=policy)
        a, b = (*chosen, table[0].reference)[:2]
        if a != b:
            site.link("compare", f"Compare {a} with {b}", a=a, b=b)


def _remarks(found: Sequence[TimedCampaign], table: Sequence[Standing]) -> None:
    """Where times come from, and who is not ranked, and why."""
    lines = timed_lines(found, (row.pairs for row in table)) + unused_lines(found) + model_lines(table)
    if lines:
        st.markdown("  \n".join(map(plain, lines)))
    for line in changed_lines(found) + marked_lines(found):
        st.warning(plain(line))
    for line in left_out_lines(table):
        st.warning(sentence(line))
    if reasons := dependence_lines(table) + reason_lines(table):
        st.markdown("\n".join(f"- {plain(line)}" for line in reasons))


def _elsewhere(question: Question) -> None:
    """What papers print, where they print something of this metric."""
    if not (found := elsewhere(question)):
        return
    with st.expander("Published elsewhere, and never ranked"):
        st.caption("Ratios as they were printed: other compilers, other programs, or another setting.")
        frame = pd.DataFrame(
            {
                "published by": [one.approach for one in found],
                "what": [one.who for one in found],
                "programs": [one.suite for one in found],
                "ratio": [one.shown for one in found],
                "what differs": [one.note for one in found],
            }
        )
        st.dataframe(frame, hide_index=True)


def _explain(question: Question, table: Sequence[Standing]) -> None:
    reference = question.reference
    open_ = any(row.these_low != row.these_high for row in table)
    thick = "; the thick line of the chart is what measurement and seeds leave open for these" if open_ else ""
    st.markdown(
        f"Figures are geometric means of {reference} / policy: above 1 is better.  \n"
        f"**strict** is over all programs; one that failed or was not run counts as the worst of {reference}, "
        f"{floor(question)} and the policy's own worst. **median** is of the same.  \n"
        "**verdict**: what may be said of strict on programs like these, with an error of 5 % over the class. "
        "**rank**: every two policies of a class alone; those that cannot be told apart share ranks.  \n"
        "**matched** is over the programs that the policy completed. **coverage** is how many those are.  \n"
        f"**95 % interval** of strict, for programs like these{thick}.  \n"
        f"**W/T/?/L**: programs better than {reference}, equal or equivalent, not resolved, worse, failed or not run. "
        "**MDE**: the difference that the verdict would find in four of five cases."
    )
    st.caption(UNCHECKED)
    if find_metric(question.metric).can_be_zero:
        st.caption("Zero is a good value of this metric: ratios are of the values plus one.")


def _origin(pages: Pages, question: Question, version: str, used: Sequence[tuple[str, int]]) -> None:
    st.caption(
        f"{question.metric}: {find_metric(question.metric).description}  \n"
        f"LLVM {version}, fingerprint `{short(question.llvm)}` · {permalink(pages.view_of(question))}"
    )
    with st.container(horizontal=True):
        for run, cells in used[:_RUNS]:
            site.link("runs", f"Run {run} ({cells:,} cells)", run=run)
        if len(used) > _RUNS:
            site.link("runs", f"and {len(used) - _RUNS} older runs", run=used[_RUNS][0])
