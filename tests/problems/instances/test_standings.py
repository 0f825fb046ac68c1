"""The score of solvers: what it is made of, and what it refuses to rank."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.base.paths import SUITES
from harness.problems.instances.compare import compare_solvers
from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.published import Published, published_costs, published_of
from harness.problems.instances.sides import sides_of_solvers
from harness.problems.instances.standings import SolverStanding, solver_standings, solver_table
from harness.problems.instances.suite import load_instances
from harness.problems.instances.track import BEST_KNOWN
from harness.problems.sharding.domain import Sharding
from harness.rank.pairs import ahead
from harness.rank.question import Question
from harness.rank.words import PUBLISHED, multiple, share
from harness.record import open_index
from tests.browser.recorded import write_solved

DOMAIN = Sharding()

QUESTION = Question(
    "made", "x86-64", "sharding", "cost", BEST_KNOWN, "f" * 64, conditions=(("time_scale", 1.0), ("cores", 2))
)


def figure(
    policy: str, benchmark: str, cost: int | None, best: int = 100, bound: int | None = 80, plain: int | None = 1000
) -> SolverFigure:
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
        machine="Test 1/2/3, bare, 2 cores",
        cell=f"{policy}-{benchmark}",
        run="run",
        decisions_digest=None,
        further={"peak": 1},
        known=best,
        plain=plain,
        cores=2,
        lowest=cost,
        highest=cost,
    )


def table(*figures: SolverFigure, made_on: dict[str, set[str]] | None = None) -> dict[str, SolverStanding]:
    return {row.policy: row for row in solver_table(QUESTION, figures, 0.8, trained_on=made_on).standings}


def test_a_failed_instance_counts_as_the_worst_there_is() -> None:
    row = table(figure("one", "a", 200), figure("one", "b", None), figure("one", "c", 80))["one"]
    assert (row.solved, row.instances, row.optimal, row.beaten) == (2, 3, 1, 1)
    assert row.ratio == pytest.approx((2 * 10 * 0.8) ** (1 / 3)), "the plain assignment's cost is ten times the best"
    assert row.gap == pytest.approx(math.sqrt(2.5 * 1) - 1)
    own = table(figure("one", "a", 5000), figure("one", "b", None))["one"]
    assert own.ratio == pytest.approx(50.0), "where the solver's own worst is worse than that, it counts"
    assert (row.contest_score, row.contest_instances) == (None, 0), "no contest counts these instances"


@given(st.lists(st.integers(1, 10**20), min_size=2, max_size=10), st.integers(1, 10**20), st.data())
def test_to_fail_never_helps(costs: list[int], plain: int, data: st.DataObject) -> None:
    failed = data.draw(st.sets(st.integers(0, len(costs) - 1), max_size=len(costs) - 1))
    whole = [figure("one", f"i{n:02}", cost, 100, None, plain) for n, cost in enumerate(costs)]
    matched = table(*(one for n, one in enumerate(whole) if n not in failed))["one"]
    part = [replace(one, cost=None, outcome="infeasible") if n in failed else one for n, one in enumerate(whole)]
    row = table(*part)["one"]
    assert row.ratio is not None and matched.ratio is not None and row.ratio >= matched.ratio * (1 - 1e-9)


def test_costs_beyond_a_double_are_told_apart() -> None:
    large = 10**20
    row = table(figure("one", "a", large + 1, best=large, bound=large))["one"]
    assert row.optimal == 0 and row.beaten == 0
    assert table(figure("one", "a", large, best=large, bound=large))["one"].optimal == 1
    assert table(figure("one", "a", large - 1, best=large, bound=None))["one"].beaten == 1


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
    assert (
        rows["most"].rank is not None and "not run on 1 of 10 instances: they count as failed" in rows["most"].reasons
    )
    assert rows["most"].ratio == pytest.approx(10**0.1) and rows["most"].low is None


def test_published_rows_have_no_rank_and_change_nobodys() -> None:
    mine = [figure("mine", f"i{n}", 150) for n in range(8)]
    theirs = tuple(replace(figure("theirs", f"i{n}", 100), policy_class=PUBLISHED) for n in range(6))
    nobody = tuple(replace(figure("nobody", f"i{n}", None), policy_class=PUBLISHED) for n in range(8))
    found = solver_table(QUESTION, mine, 0.8, Published(theirs + nobody))
    assert [row.policy for row in found.standings] == ["theirs", "mine"]
    row = found.standings[0]
    assert (row.rank, row.low, row.time_scale, row.verdict) == (None, None, None, None)
    assert row.reasons == (
        "published of 6 of 8 instances: cost/best and gap are of these alone, and the score has 0 for the others",
    )
    assert found.standings[1] == table(*mine)["mine"]


LOGS = st.lists(st.floats(-2, 2, allow_nan=False), min_size=8, max_size=8)


def solver(name: str, logs: list[float], failed: int) -> list[SolverFigure]:
    whole = [figure(name, f"i{n}", round(10**9 * math.exp(log)), 10**9, None, 10**11) for n, log in enumerate(logs)]
    return [replace(one, cost=None, outcome="infeasible") if n < failed else one for n, one in enumerate(whole)]


@settings(max_examples=25, deadline=None)
@given(st.lists(LOGS, min_size=3, max_size=4), st.integers(0, 2))
def test_whoever_joins_changes_nothing_between_those_who_are_there(lines: list[list[float]], failed: int) -> None:
    solvers = [solver(f"s{n}", line, failed if n == 0 else 0) for n, line in enumerate(lines)]
    sides = {n: sides_of_solvers([one for mine in solvers[:n] for one in mine]) for n in (2, len(solvers))}
    before, after = (ahead(sides[n], {}, paired=False) for n in (2, len(solvers)))
    for pair, chance in before.items():
        assert after[pair] == chance
    two, all_ = (table(*(one for mine in solvers[:n] for one in mine)) for n in (2, len(solvers)))
    assert all(two[name].ratio == all_[name].ratio for name in two)


def test_a_failure_loses_a_pair_that_it_would_not_have_lost() -> None:
    rows = table(*solver("good", [0.1] * 8, 0), *solver("fails", [0.09] * 8, 3))
    assert (rows["good"].rank, rows["fails"].rank) != (2, 1) and rows["fails"].rank_high == 2
    whole = table(*solver("good", [0.1] * 8, 0), *solver("fails", [0.09] * 8, 0))
    assert (whole["fails"].rank, whole["fails"].rank_high, whole["good"].rank) == (1, 1, 2)
    assert rows["fails"].ratio is not None and rows["good"].ratio is not None
    assert rows["fails"].ratio > rows["good"].ratio


def test_verdicts_are_against_the_best_costs_known() -> None:
    spread = [0.001 * n for n in range(8)]
    rows = table(
        *solver("above", [0.3 + one for one in spread], 0), *solver("below", [-0.3 + one for one in spread], 0),
        *solver("even", [0.0] * 8, 0), *solver("mixed", [0.3 * (-1) ** n for n in range(8)], 0),
    )  # fmt: skip
    words = {name: row.verdict for name, row in rows.items()}
    assert words == {"above": "worse", "below": "better", "even": "equivalent", "mixed": "not resolved"}
    unknown = [replace(one, known=None) for one in solver("above", [0.3] * 8, 0)]
    assert table(*unknown)["above"].verdict is None, "the best known is only the best that was recorded"


def test_who_was_made_on_instances_is_marked_and_nobody_else_is_affected() -> None:
    both = [*solver("one", [0.1] * 8, 0), *solver("two", [0.2] * 8, 0)]
    rows = table(*both, made_on={"one": {"i0", "i1", "elsewhere"}})
    assert rows["one"].rank is None and rows["one"].reasons == ("made on 2 of these 8 instances",)
    assert (rows["one"].trained_on, rows["two"].trained_on) == (2, 0)
    assert (rows["two"].rank, rows["two"].rank_high) == (1, 1)


def test_what_several_runs_differ_by_is_said() -> None:
    one = [figure("one", f"i{n}", 100) for n in range(3)]
    assert "one run an instance: how much another run would differ is in none of these figures" in remarks(*one)
    some = [replace(one[0], repeats=5, lowest=100, highest=104, failures=1), replace(one[1], repeats=3, highest=101)]
    assert remarks(*some, one[2])[-1] == (
        "one: the median of 3 to 5 runs on 2 of 3 instances, whose costs differ by 2.50 % (median), at most 4.00 % "
        "(i0); 1 of 8 failed"
    )
    assert table(*some, one[2])["one"].spread == pytest.approx(0.025)


def remarks(*figures: SolverFigure) -> tuple[str, ...]:
    return solver_table(QUESTION, figures, 0.8).remarks


def test_published_costs_are_of_the_very_instance(tmp_path: Path) -> None:
    suite = load_instances(DOMAIN, "iopddl")
    costs = {(one.who, one.instance): one.cost for one in published_costs(suite)}
    assert costs["XLA", "B"] == 990205 and costs["team01", "B"] == 532843
    assert costs["team01", "G"] == 217039 and ("team01", "E") not in costs
    (instance,) = suite.choose(["B"])
    measured = replace(figure("mine", "B", 600000, 532843, 532843), digest=instance.digest)
    found = published_of(DOMAIN, "iopddl", [measured])
    assert {one.policy for one in found.figures if one.optimal} == {"team01"} and found.teams == {"B": 532843}
    other = published_of(DOMAIN, "iopddl", [replace(measured, digest="1" * 64)])
    assert (other.figures, other.teams) == ((), {})
    assert published_of(DOMAIN, "mine", [measured]) == Published()


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
        assert found.contest_instances == 1 and rows["layout-messages"].contest_score == 1.0
        assert rows["layout-messages"].reasons == ("made on 3 of these 3 instances",)
        with pytest.raises(UsageError, match="ranked by cost"):
            solver_standings(DOMAIN, index, replace(question, metric="usage.peak"))
        with pytest.raises(UsageError, match="no rows of solvers"):
            solver_standings(DOMAIN, index, replace(question, conditions=(("time_scale", 0.5), ("cores", 2))))


def test_ratios_and_shares_in_words() -> None:
    assert [multiple(1.02544), multiple(123456789.0)] == ["1.0254", "1.2e+08"]
    assert [multiple(3.4e-14), multiple(0.0016), multiple(0.0)] == ["3.4e-14", "0.0016", "0.0000"]
    assert [share(0.0), share(1e-9), share(0.0254), share(1e6)] == ["0.00 %", "< 0.01 %", "2.54 %", "1.0e+08 %"]


def test_no_interval_reaches_below_what_is_possible() -> None:
    costs = [100, 100, 101, 100, 180, 100, 100, 2000]
    proven = table(*(figure("one", f"i{n}", cost, 100, 100) for n, cost in enumerate(costs)))["one"]
    assert proven.low == pytest.approx(1.0) and proven.high is not None and proven.high > 1
    less = table(*(figure("one", f"i{n}", cost, 100, 98) for n, cost in enumerate(costs)))["one"]
    assert less.low is not None and 0.98 <= less.low < 1
    for bound in (None, 0):
        unknown = table(*(figure("one", f"i{n}", c, 100, bound if n == 3 else 100) for n, c in enumerate(costs)))["one"]
        assert unknown.low is not None and 100 ** (-1 / 8) <= unknown.low < 0.98, "there a cost might be as low as 1"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 10**6), st.integers(0, 10**9)), min_size=2, max_size=8))
def test_no_figure_is_below_the_proven_bounds(found: list[tuple[int, int, int]]) -> None:
    mine = [figure("one", f"i{n}", b + more + most, b + more, b) for n, (b, more, most) in enumerate(found)]
    row = table(*mine)["one"]
    least = math.exp(sum(math.log(max(b, 1) / max(b + more, 1)) for b, more, _ in found) / len(found))
    assert row.low is not None and row.ratio is not None and row.high is not None
    assert least * (1 - 1e-9) <= row.low <= row.ratio * (1 + 1e-9) <= row.high * (1 + 1e-9)


def test_a_comparison_says_who_was_made_on_the_instances(tmp_path: Path) -> None:
    write_solved(tmp_path / "results")
    question = replace(
        QUESTION, suite="iopddl", llvm="aa" * 32, conditions=(("time_scale", 0.1), ("cores", 2)), origin="contest"
    )
    with open_index(tmp_path / "results") as index:
        found = compare_solvers(DOMAIN, index, question, "layout-messages", "greedy-descent").summary
    assert found.conclusion.endswith("; layout-messages: not ranked: made on 3 of these 3 instances")


def test_of_how_many_instances_gaps_are_is_said() -> None:
    def gaps(*figures: SolverFigure) -> list[str]:
        return [line for line in solver_table(QUESTION, figures, 0.8).remarks if line.startswith("gap")]

    bounded, without = figure("one", "a", 200), figure("one", "b", 90, bound=None)
    assert gaps(bounded, without) == ["gap: of the 1 of 2 instances that have a proven lower bound"]
    assert gaps(bounded, figure("one", "b", 90)) == [] == gaps(without)
