"""The score of solvers: what it is made of, and what it refuses to rank."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.base.paths import SUITES
from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.published import published_costs, published_figures
from harness.problems.instances.standings import SolverStanding, solver_standings, solver_table
from harness.problems.instances.suite import load_instances
from harness.problems.instances.track import BEST_KNOWN
from harness.problems.sharding.domain import Sharding
from harness.rank.question import Question
from harness.rank.words import PUBLISHED, multiple, share
from harness.record import open_index
from tests.browser.recorded import write_solved

DOMAIN = Sharding()

QUESTION = Question(
    "made", "x86-64", "sharding", "cost", BEST_KNOWN, "f" * 64, conditions=(("time_scale", 1.0), ("cores", 2))
)


def figure(policy: str, benchmark: str, cost: int | None, best: int = 100, bound: int | None = 80) -> SolverFigure:
    """One solver on one instance; without a cost, it failed."""
    return SolverFigure(
        policy=policy,
        policy_class="zero-shot",
        benchmark=benchmark,
        split="test",
        origin="contest",
        digest="0" * 64,
        limit=60.0,
        best=best,
        bound=bound,
        outcome="infeasible" if cost is None else "ok",
        detail="",
        cost=cost,
        seconds=1.0,
        cpu="Test",
        cell=f"{policy}-{benchmark}",
        run="run",
        decisions_digest=None,
        further={"peak": 1},
    )


def table(*figures: SolverFigure, published: tuple[SolverFigure, ...] = ()) -> dict[str, SolverStanding]:
    return {row.policy: row for row in solver_table(QUESTION, figures, 0.8, published).standings}


def test_a_failed_instance_gives_nothing_and_a_better_one_more_than_one() -> None:
    row = table(figure("one", "a", 200), figure("one", "b", None), figure("one", "c", 80))["one"]
    assert row.score == 0.5 + 0 + 1.25
    assert (row.solved, row.instances, row.optimal, row.beaten) == (2, 3, 1, 1)
    assert row.ratio == pytest.approx(math.sqrt(2 * 0.8))
    assert row.gap == pytest.approx(math.sqrt(2.5 * 1) - 1)


def test_costs_beyond_a_double_are_told_apart() -> None:
    large = 10**20
    row = table(figure("one", "a", large + 1, best=large, bound=large))["one"]
    assert row.optimal == 0 and row.beaten == 0
    assert table(figure("one", "a", large, best=large, bound=large))["one"].optimal == 1
    assert table(figure("one", "a", large - 1, best=large, bound=None))["one"].beaten == 1


@given(st.lists(st.tuples(st.integers(1, 10**30), st.integers(1, 10**30)), min_size=1, max_size=12))
def test_the_score_is_the_contests(pairs: list[tuple[int, int]]) -> None:
    figures = [figure("one", f"i{n}", cost, best, None) for n, (cost, best) in enumerate(pairs)]
    row = table(*figures)["one"]
    assert row.score == pytest.approx(math.fsum(best / cost for cost, best in pairs))
    assert row.low is None or row.high is None or 0 <= row.low <= row.score <= row.high


def test_few_instances_rank_nobody_and_many_do() -> None:
    def two(count: int) -> dict[str, SolverStanding]:
        good = [figure("good", f"i{n:02}", 100 + n) for n in range(count)]
        return table(*good, *(figure("bad", f"i{n:02}", 200 + n) for n in range(count)))

    few, many = two(5), two(8)
    assert {(row.rank, row.rank_high) for row in few.values()} == {(1, 2)}
    assert few["good"].reasons == ("5 instances: from fewer than 6 nothing can be told",)
    assert (many["good"].rank, many["good"].rank_high) == (1, 1) and (many["bad"].rank, many["bad"].rank_high) == (2, 2)


def test_who_was_run_on_too_few_is_not_ranked() -> None:
    whole = [figure("whole", f"i{n}", 100) for n in range(10)]
    part = [replace(figure("part", f"i{n}", 100), outcome="ok" if n < 7 else "not run") for n in range(10)]
    most = [replace(figure("most", f"i{n}", 100), outcome="ok" if n < 9 else "not run") for n in range(10)]
    rows = table(*whole, *part, *most)
    assert rows["part"].rank is None and rows["part"].reasons == (
        "run on 7 of 10 instances, below the suite's rule of 80 %",
    )
    assert rows["most"].rank is not None and "not run on 1 of 10 instances: they count 0" in rows["most"].reasons
    assert rows["most"].score == 9.0 and rows["most"].low is None


def test_published_rows_have_no_rank_and_change_nobodys() -> None:
    mine = [figure("mine", f"i{n}", 150) for n in range(8)]
    theirs = tuple(replace(figure("theirs", f"i{n}", 100), policy_class=PUBLISHED) for n in range(6))
    nobody = tuple(replace(figure("nobody", f"i{n}", None), policy_class=PUBLISHED) for n in range(8))
    found = solver_table(QUESTION, mine, 0.8, theirs + nobody)
    assert [row.policy for row in found.standings] == ["theirs", "mine"]
    row = found.standings[0]
    assert (row.rank, row.low, row.time_scale, row.cores) == (None, None, None, None)
    assert row.reasons == ("published of 6 of 8 instances",)
    assert found.standings[1] == table(*mine)["mine"]


def test_published_costs_are_of_the_very_instance(tmp_path: Path) -> None:
    suite = load_instances(DOMAIN, "iopddl")
    costs = {(one.who, one.instance): one.cost for one in published_costs(suite)}
    assert costs["XLA", "B"] == 990205 and costs["team01", "B"] == 532843
    assert costs["team01", "G"] == 217039 and ("team01", "E") not in costs
    (instance,) = suite.choose(["B"])
    measured = replace(figure("mine", "B", 600000, 532843, 532843), digest=instance.digest)
    found = published_figures(DOMAIN, "iopddl", [measured])
    assert {one.policy for one in found if one.optimal} == {"team01"}
    assert published_figures(DOMAIN, "iopddl", [replace(measured, digest="1" * 64)]) == []
    assert published_figures(DOMAIN, "mine", [measured]) == []


def test_a_table_of_published_costs_that_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "sharding.toml").write_text((SUITES / "iopddl" / "sharding.toml").read_text().replace("iopddl", "mine"))
    (folder / "contest.csv").write_text("team,A,B\none,12,x3\n")
    with pytest.raises(UsageError, match="'x3' is no cost") as error:
        published_costs(load_instances(DOMAIN, str(folder)))
    assert str(error.value.where).endswith("contest.csv, line 2, B")


def test_standings_of_what_is_recorded(tmp_path: Path) -> None:
    write_solved(tmp_path / "results")
    with open_index(tmp_path / "results") as index:
        question = replace(
            QUESTION, suite="iopddl", llvm="aa" * 32, conditions=(("time_scale", 0.1), ("cores", 2)), origin="contest"
        )
        found = solver_standings(DOMAIN, index, question)
        rows = {row.policy: row for row in found.standings}
        assert rows["layout-messages"].optimal == 2 and rows["layout-messages"].beaten == 1
        assert rows["greedy-descent"].solved == 2
        best = max(row.score for row in found.standings if row.published)
        assert 2.9 < best < rows["layout-messages"].score
        with pytest.raises(UsageError, match="ranked by cost"):
            solver_standings(DOMAIN, index, replace(question, metric="usage.peak"))
        with pytest.raises(UsageError, match="no rows of solvers"):
            solver_standings(DOMAIN, index, replace(question, conditions=(("time_scale", 0.5), ("cores", 2))))


def test_ratios_and_shares_in_words() -> None:
    assert [multiple(1.02544), multiple(123456789.0)] == ["1.0254", "1.2e+08"]
    assert [share(0.0), share(1e-9), share(0.0254), share(1e6)] == ["0.00 %", "< 0.01 %", "2.54 %", "1.0e+08 %"]
