"""Every committed table of programs, against a second implementation that shares no code with the first."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pytest

from harness.base.errors import UsageError
from harness.policy.tracks import facts_of
from harness.rank import standings
from harness.rank.question import ALL, Question, questions
from harness.record import open_index
from tests.drive import ROOT
from tests.rank.plain import Folder, table

RESULTS = ROOT / "results"
WIDE, WIDE_OF_TIES = 0.12, 0.4
"""By what share of the interval's width two bootstraps' ends may differ; where most programs are ties, p is a stair.
The interval of programs like these holds that of these programs, which only times have and the other does not know."""


@contextmanager
def committed() -> Iterator[tuple[duckdb.DuckDBPyConnection, list[Question]]]:
    with open_index(RESULTS) as index:
        every = [*questions(index), *questions(index, split=ALL)]
        yield index, list(dict.fromkeys(one for one in every if facts_of(one.track).compiled))


@pytest.mark.slow
def test_every_committed_table_is_what_a_plain_implementation_makes_of_the_rows() -> None:
    folder = Folder.of(RESULTS)
    compared = unsure = 0
    with committed() as (index, every):
        assert {one.suite for one in every} >= {"all", "applications", "cbench", "mibench", "polybench", "spec-like"}
        for question in every:
            plain = table(folder, question)
            try:
                found = standings(index, question)
            except UsageError:
                assert not plain, question
                continue
            assert {row.policy for row in found} == set(plain), question
            for row in found:
                mine = plain[row.policy]
                where = (question, row.policy)
                for name in ("strict", "matched", "median"):
                    wanted = getattr(mine, name)
                    close = wanted if wanted is None else pytest.approx(wanted, rel=1e-9)
                    assert getattr(row, name) == close, (name, *where)
                assert (row.completed, row.benchmarks, row.clusters) == (mine.completed, mine.programs, mine.clusters)
                if mine.interval is not None:
                    assert row.low is not None and row.high is not None and row.ties is not None
                    slack = (WIDE if 2 * row.ties < row.benchmarks else WIDE_OF_TIES) * (
                        mine.interval[1] - mine.interval[0]
                    ) + 1e-9
                    assert row.these_low is not None and row.these_high is not None
                    low, high = min(mine.interval[0], row.these_low), max(mine.interval[1], row.these_high)
                    assert row.low == pytest.approx(low, abs=slack), where
                    assert row.high == pytest.approx(high, abs=slack), where
                if mine.sure:
                    assert row.verdict == mine.verdict, (row.p, mine.p, *where)
                unsure += not mine.sure
                if mine.rank is not None and not mine.doubtful_pairs:
                    assert (row.rank, row.rank_high) == mine.rank, where
                compared += 1
    assert compared > 300
    assert unsure < 0.16 * compared, "what is near the edge of a bootstrap is no test"
