"""Standings of what runs recorded: several runs of a solver, shared assignments, instances that were seen."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import UsageError
from harness.problems.instances.standings import SolverTable, solver_standings
from harness.problems.registry import benchmarks_of_track
from harness.problems.sharding.domain import Sharding
from harness.rank.compare import Versus
from harness.rank.question import questions
from harness.record import Row, open_index
from harness.record.rows import BenchmarkFacts, InstanceFacts, Solving
from harness.record.runfile import write_run
from tests.browser.recorded import header, write_solved

DOMAIN = Sharding()
LLVM = "aa" * 32
NAMES = [f"i{number}" for number in range(8)]


def digest(*words: str) -> str:
    return hashlib.sha256("/".join(words).encode()).hexdigest()


def write(folder: Path, solvers: dict[str, dict[int, list[int | None]]], date: str = "2026-05-05", **more: Any) -> None:
    """A run of the suite ``eight``: solver → run → cost of each instance, None where it failed.

    Equal costs are of equal assignments. The plain assignment costs 1000, the best known 100.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for policy, runs in solvers.items():
        for seed, costs in runs.items():
            for name, cost in zip(NAMES, costs, strict=True):
                cell = {
                    "cell": digest(policy, str(seed), name, date),
                    "benchmark": name,
                    "target": "x86-64",
                    "track": "sharding",
                    "problem": "sharding",
                    "form": "cpp",
                    "class": "zero-shot",
                    "policy": policy,
                    "policy_digest": digest(policy),
                    "seed": seed,
                    "isolation": "sandbox",
                    "frozen_digest": None,
                    "decisions_digest": None if cost is None else digest(name, str(cost)),
                    "object_digest": None,
                    "outcome": "infeasible" if cost is None else "ok",
                }
                if cost is None:
                    rows.append(Row.model_validate(cell | {"detail": "too much"}))
                    continue
                for metric, value, unit in (("cost", cost, "units"), ("cost.seconds", 1.0 + seed, "s")):
                    rows.append(Row.model_validate(cell | {"metric": metric, "value": value, "unit": unit}))
    facts = BenchmarkFacts.model_validate({"split": "test", "origin": "local", "program_digest": digest("eight")})
    known = InstanceFacts(seconds=10.0, best=100, bound=90, plain=1000)
    about = header(LLVM, "22.1.8", date) | {
        "suite": "eight",
        "track": "sharding",
        "benchmarks": {name: facts.model_dump() for name in NAMES},
        "solving": Solving(time_scale=1.0, cores=2, instances=dict.fromkeys(NAMES, known)),
    }
    write_run(folder, about | more, rows)


def standings(folder: Path, **restrictions: Any) -> SolverTable:
    with open_index(folder) as index:
        (question,) = questions(index, **({"suite": "eight"} | restrictions))
        return solver_standings(DOMAIN, index, question)


def test_of_several_runs_the_median_counts(tmp_path: Path) -> None:
    three: dict[int, list[int | None]] = {0: [150] * 8, 1: [120] * 7 + [None], 2: [110] * 7 + [130]}
    write(tmp_path, {"thrice": three, "twice": {0: [100] * 8, 1: [None] + [140] * 7}})
    table = standings(tmp_path)
    found = {(figure.policy, figure.benchmark): figure for figure in table.figures}
    one = found["thrice", "i0"]
    assert (one.cost, one.repeats, one.lowest, one.highest, one.failures) == (120, 3, 110, 150, 0)
    assert one.seconds == 2.0, "what else is said is of that run"
    assert found["thrice", "i7"].cost == 150, "a failed run is worse than any cost"
    assert found["twice", "i0"].outcome == "infeasible" and found["twice", "i1"].cost == 140, "of two the worse"
    rows = {row.policy: row for row in table.standings}
    assert (rows["thrice"].solved, rows["twice"].solved, rows["thrice"].repeats) == (8, 7, 3)
    assert rows["thrice"].spread == pytest.approx(40 / 110)
    assert (
        "thrice: the median of 3 runs on 8 of 8 instances, whose costs differ by 36.36 % (median), at most 36.36 % "
        "(i6); 1 of 24 failed"
    ) in table.remarks


def test_a_table_that_replays_recorded_assignments_is_seen(tmp_path: Path) -> None:
    costs: list[int | None] = [101, 102, 103, 104, 90, 1000, 107, None]
    write(tmp_path, {"solver": {0: costs}, "other": {0: [200 + n for n in range(8)]}})
    write(tmp_path, {"posing": {0: [101, 102, 103, 104, 90, 1000, 300, 301]}}, date="2026-05-06")
    said = [line for line in standings(tmp_path).remarks if "same assignments" in line]
    assert said == ["posing: same assignments as solver on 5 of 7 instances (1 of them proven optimal)"], (
        "on i5 both have the plain assignment"
    )


def test_what_was_recorded_under_other_conditions_is_no_secret_either(tmp_path: Path) -> None:
    slow = Solving(time_scale=10.0, cores=2, instances=dict.fromkeys(NAMES, InstanceFacts(seconds=10.0, best=100)))
    write(tmp_path, {"solver": {0: [101 + n for n in range(8)]}}, solving=slow)
    write(tmp_path, {"posing": {0: [101 + n for n in range(8)]}}, date="2026-05-06")
    table = standings(tmp_path, time_scale=1.0)
    assert [row.policy for row in table.standings] == ["posing"]
    assert "posing: same assignments as solver on 8 of 8 instances" in table.remarks


def versus(folder: Path, a: str, b: str) -> Versus:
    with open_index(folder) as index:
        (question,) = questions(index, suite="eight")
        return benchmarks_of_track("sharding")[1].versus(index, question, a, b)


def test_two_solvers_are_compared_by_the_figures_of_their_standings(tmp_path: Path) -> None:
    good = [110, 112, 111, 113, 109, 114, 115, 116]
    lines = {0: [*good[:7], None], 1: [None] * 8, 2: [cost - 5 for cost in good]}
    write(tmp_path, {"good": {0: good}, "fails": lines, "worse": {0: [cost + 30 for cost in good]}})
    ranks = {row.policy: (row.rank, row.rank_high) for row in standings(tmp_path).standings}
    assert ranks == {"good": (1, 2), "worse": (2, 3), "fails": (1, 3)}, "one failure alone tells nobody apart"
    found = versus(tmp_path, "good", "worse")
    assert (found.summary.wins, found.summary.losses, found.summary.completed) == (8, 0, 8)
    assert found.summary.p == 2**-7 and found.summary.conclusion.startswith("good is better than worse")
    found = versus(tmp_path, "good", "fails")
    assert (found.summary.wins, found.summary.ties, found.summary.completed, found.summary.programs) == (0, 7, 7, 8)
    assert found.rows[0].remark == "same assignment" and found.rows[0].verdict == "equal"
    failed = found.rows[-1]
    assert (failed.benchmark, failed.ratio, failed.outcome_b) == ("i7", None, "infeasible")
    assert found.summary.conclusion.endswith("1 of 8 are not solved by both, and a failure counts as the worst")


def test_instances_that_a_solver_was_made_on(tmp_path: Path) -> None:
    lines = {"honest": {0: [120 + n for n in range(8)]}, "seen": {0: [110 + n for n in range(8)]}}
    write(tmp_path, lines, trained_on={"seen": NAMES[:2]})
    rows = {row.policy: row for row in standings(tmp_path).standings}
    assert rows["seen"].rank is None and rows["seen"].reasons == ("made on 2 of these 8 instances",)
    assert rows["honest"].rank == 1
    unseen = standings(tmp_path, unseen=("seen",))
    rows = {row.policy: row for row in unseen.standings}
    assert {figure.benchmark for figure in unseen.figures} == set(NAMES[2:])
    assert (rows["seen"].rank, rows["honest"].rank, rows["seen"].trained_on) == (1, 2, 0)


def test_what_a_solver_that_ships_says_now_holds_for_what_it_recorded_before(tmp_path: Path) -> None:
    write_solved(tmp_path / "results")
    with open_index(tmp_path / "results") as index:
        (question,) = questions(index, suite="iopddl", origin="contest", split="all")
        rows = {row.policy: row for row in solver_standings(DOMAIN, index, question, published=False).standings}
        assert rows["layout-messages"].trained_on == 3 and rows["greedy-descent"].trained_on == 0
        with pytest.raises(UsageError, match="unseen by layout-messages"):
            solver_standings(DOMAIN, index, replace(question, unseen=("layout-messages",)))
        (question,) = questions(index, suite="iopddl", origin="contest")
        assert question.split == "test", "what was withheld comes first"
