"""The contest's own rule: figures that its organisers published, worked out again from its table of costs."""

import csv
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.paths import SUITES
from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.published import Published, best_teams, published_costs, published_of
from harness.problems.instances.standings import solver_table
from harness.problems.instances.suite import load_instances
from harness.problems.sharding.domain import Sharding
from harness.rank.words import PUBLISHED
from tests.problems.instances.test_standings import QUESTION, figure

DOMAIN = Sharding()
PUBLIC = set("AGMSY")
HERE = set("ABCDGKLMNPQRSTUV")


def final_costs() -> dict[str, dict[str, int | None]]:
    """Who → instance → cost, as ``contest.csv`` has them."""
    with (SUITES / "iopddl" / "contest.csv").open() as file:
        head, *rows = csv.reader(file)
    return {
        row[0]: {n: int(cost) if cost else None for n, cost in zip(head[1:], row[1:], strict=False) if cost != "-"}
        for row in rows
        if row
    }


def score(who: str, names: set[str]) -> float:
    """By the contest's rule, written down once more: the best team's cost / the team's, a failure gives 0."""
    costs = final_costs()
    teams = [mine for name, mine in costs.items() if name != "XLA"]
    best = {n: min(cost for mine in teams if (cost := mine.get(n)) is not None) for n in names}
    return math.fsum(best[n] / cost for n in names if (cost := costs[who].get(n)) is not None)


def test_the_winners_score_is_the_published_one() -> None:
    everything = set(final_costs()["team01"])
    assert len(everything - PUBLIC) == 20
    assert f"{score('team01', everything - PUBLIC):.2f}" == "18.74"
    assert f"{score('team01', HERE):.2f}" == "15.73"
    assert f"{score('team01', HERE - PUBLIC):.2f}" == "11.74"


def measured(names: set[str], cost: int = 10**30) -> list[SolverFigure]:
    suite = load_instances(DOMAIN, "iopddl")
    return [
        replace(figure("mine", one.entry.name, cost, one.entry.best or 1), digest=one.digest)
        for one in suite.instances
        if one.entry.name in names
    ]


def test_the_standings_give_the_teams_their_scores() -> None:
    mine = measured(HERE)
    table = solver_table(QUESTION, mine, 0.8, published_of(DOMAIN, "iopddl", mine))
    rows = {row.policy: row for row in table.standings}
    assert table.contest_instances == 12
    for who in final_costs():
        if who != "XLA":
            assert rows[who].contest_score == pytest.approx(score(who, HERE - PUBLIC))
    assert "not counted by the contest, since its teams had them: A, G, M, S" in table.remarks
    assert (rows["team01"].cores, rows["team01"].cpu) == (8, None), "the contest's machine, as far as it is published"
    assert rows["XLA"].cores is None


def test_who_is_no_team_sets_no_best_cost(tmp_path: Path) -> None:
    suite = load_instances(DOMAIN, "iopddl")
    assert {one.who for one in published_costs(suite) if not one.team} == {"XLA"}
    folder = tmp_path / "mine"
    folder.mkdir()
    text = (SUITES / "iopddl" / "sharding.toml").read_text().replace('"iopddl"', '"mine"')
    rows = "TEAM #,B,A\nXLA,100,1\nteam01,300,5\nteam02,200,\nlate,100,1\n"
    (folder / "contest.csv").write_text(rows)
    (folder / "sharding.toml").write_text(text.replace('no_teams = ["XLA"]', 'no_teams = ["XLA", "late"]'))
    assert best_teams(load_instances(DOMAIN, str(folder))) == {"B": 200}, "A was public: the contest does not count it"
    (folder / "sharding.toml").write_text(text)
    assert best_teams(load_instances(DOMAIN, str(folder))) == {"B": 100}


def test_who_beats_the_best_team_gets_one_point_as_whoever_was_best_did() -> None:
    teams = {"a": 100, "b": 100, "c": 100}
    mine = [figure("mine", "a", 50), figure("mine", "b", 400), figure("mine", "c", None), figure("mine", "d", 10)]
    (row,) = solver_table(QUESTION, mine, 0.8, Published(teams=teams)).standings
    assert (row.contest_score, row.contest_instances) == (1.25, 3)
    assert row.beaten == 2, "which the ratio to the best known cost says"


costs = st.one_of(st.none(), st.integers(1, 10**24))


@given(st.lists(st.tuples(costs, st.integers(1, 10**24)), min_size=1, max_size=12))
def test_no_score_is_above_what_is_possible(pairs: list[tuple[int | None, int]]) -> None:
    mine = [figure("mine", f"i{n}", cost) for n, (cost, _) in enumerate(pairs)]
    theirs = tuple(replace(one, policy="theirs", policy_class=PUBLISHED, cost=None) for one in mine)
    teams = {f"i{n}": best for n, (_, best) in enumerate(pairs)}
    (row,) = solver_table(QUESTION, mine, 0.8, Published(theirs, teams)).standings
    assert row.contest_instances == len(pairs) and row.contest_score is not None
    assert 0 <= row.contest_score <= len(pairs)
    if row.contest_low is not None and row.contest_high is not None:
        assert 0 <= row.contest_low <= row.contest_score + 1e-9
        assert row.contest_score - 1e-9 <= row.contest_high <= len(pairs)
