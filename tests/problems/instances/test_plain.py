"""Every committed table of solvers, against a second implementation that shares no code with the first."""

import math

import duckdb
import pytest

from harness.base.errors import UsageError
from harness.base.paths import SUITES
from harness.policy.tracks import facts_of
from harness.problems.instances.standings import solver_standings
from harness.problems.instances.track import BENCHMARKS
from harness.problems.sharding.domain import Sharding
from harness.rank.question import ALL, Question, questions
from harness.record import open_index
from tests.drive import ROOT
from tests.rank.plain_solvers import FEWEST, best_teams, no_teams, read, solver_rows

RESULTS = ROOT / "results"
EXACT = ("solved", "optimal", "beaten", "instances", "repeats", "contest_instances")
THEIRS = {"beaten": "below", "contest_instances": "counted", "contest_score": "score"}
SPLITS = (None, "train", "test", ALL)
WIDE = 0.12
"""By what share of the interval's width two bootstraps' ends may differ."""


@pytest.mark.slow
def test_every_committed_table_is_what_a_plain_implementation_makes_of_the_rows() -> None:
    folder = read(RESULTS)
    suite = SUITES / "iopddl"
    teams = best_teams(suite / "contest.csv", no_teams(suite / "sharding.toml"))
    compared, scales, splits, judged, ranked, unsure = 0, set(), set(), 0, 0, 0
    with open_index(RESULTS) as index:
        asked = [one for split in SPLITS for one in _questions(index, split)]
        for question in dict.fromkeys(one for one in asked if facts_of(one.track).benchmarks == BENCHMARKS):
            plain = solver_rows(folder, question, teams)
            try:
                found = solver_standings(Sharding(), index, question, published=False)
            except UsageError:
                assert not plain, question
                continue
            assert {row.policy for row in found.standings} == set(plain), question
            scales.add(question.under("time_scale"))
            splits.add(question.split)
            for figure in found.figures:
                assert figure.cost == plain[figure.policy].costs[figure.benchmark], (figure, question)
            for row in found.standings:
                mine, where = plain[row.policy], (question, row.policy)
                for name in EXACT:
                    assert getattr(row, name) == getattr(mine, THEIRS.get(name, name)), (name, *where)
                for name in ("contest_score", "ratio", "gap", "spread"):
                    wanted = getattr(mine, THEIRS.get(name, name))
                    close = None if wanted is None else pytest.approx(wanted, rel=1e-9, abs=1e-12)
                    assert getattr(row, name) == close, (name, *where)
                assert (None if row.rank is None else (row.rank, row.rank_high)) == mine.rank, where
                assert row.low is None or row.low >= mine.least * (1 - 1e-9), where
                if mine.interval is not None:
                    assert row.low is not None and row.high is not None
                    assert _far(row.low, mine.interval[0], mine.interval) <= WIDE, (row, mine)
                    assert _far(row.high, mine.interval[1], mine.interval) <= WIDE, (row, mine)
                if mine.sure:
                    assert row.verdict == mine.verdict, where
                if mine.p is not None and row.instances >= FEWEST:
                    assert row.p == pytest.approx(mine.p, abs=1e-9), where
                compared += 1
                unsure += not mine.sure
                judged += row.verdict is not None
                ranked += row.rank is not None
    assert scales == {1.0, 0.1} and splits >= {"train", "test", None}
    assert compared >= 32 and judged >= 10 and ranked >= 16 and unsure <= compared / 8


def _questions(index: duckdb.DuckDBPyConnection, split: str | None) -> list[Question]:
    return questions(index, suite="iopddl", split=split)


def _far(one: float, other: float, interval: tuple[float, float]) -> float:
    """How far apart two ends are, as a share of the interval's width; of logarithms."""
    width = math.log(interval[1]) - math.log(interval[0])
    apart = abs(math.log(one) - math.log(other))
    return apart / width if width > 1e-9 else apart
