"""Two policies side by side: every program of either, the same object known as such, seeds in one row."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.rank import Comparison, Question, Versus, compare, versus
from harness.rank.programs import programs
from harness.record import Row, open_index
from tests.rows import LLVM, row, run_file

QUESTION = Question("made", "x86-64", "size", "size.alloc", "Oz", LLVM)
EARLY, LATE = "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00"


def record(results: Path, rows: list[Row], when: str = EARLY, **fields: Any) -> None:
    run_file(results, rows, started=when, finished=when, **fields)


def sides(results: Path, a: str, b: str, question: Question = QUESTION) -> list[Comparison]:
    with open_index(results) as index:
        return compare(index, question, a, b)


def whole(results: Path, a: str, b: str, question: Question = QUESTION) -> Versus:
    with open_index(results) as index:
        return versus(index, question, a, b)


ROWS = [
    row("even", "a", 100, object_digest="same"),
    row("even", "b", 100, object_digest="same"),
    row("lost", "a", 100),
    row("lost", "b", 80),
    row("won", "a", 50),
    row("won", "b", 100),
    row("broken", "a", 50),
    row("broken", "b", None),
    row("only-a", "a", 7),
    row("only-b", "b", 9),
    row("even", "bystander", 1),
]


def test_every_program_of_either_stands_there_once(tmp_path: Path) -> None:
    record(tmp_path, ROWS)
    assert sides(tmp_path, "a", "b") == [
        Comparison("won", 50, 100, 2.0, False, "ok", "ok", verdict="better"),
        Comparison("even", 100, 100, 1.0, True, "ok", "ok", verdict="equal"),
        Comparison("lost", 100, 80, 0.8, False, "ok", "ok", verdict="worse"),
        Comparison("broken", 50, None, None, False, "ok", "wrong-output", remark="workload small: output differs"),
        Comparison("only-a", 7, None, None, False, "ok", "not run"),
        Comparison("only-b", None, 9, None, False, "not run", "ok"),
    ]


def test_the_other_way_round_is_the_inverse(tmp_path: Path) -> None:
    record(tmp_path, ROWS)
    there = {c.benchmark: c for c in sides(tmp_path, "a", "b")}
    back = {c.benchmark: c for c in sides(tmp_path, "b", "a")}
    assert set(there) == set(back)
    opposite = {"better": "worse", "worse": "better", "equal": "equal", None: None}
    for name, one in there.items():
        other = back[name]
        assert one.verdict == opposite[other.verdict]
        assert (one.a, one.b, one.outcome_a, one.outcome_b) == (other.b, other.a, other.outcome_b, other.outcome_a)
        assert one.ratio is None or one.ratio * (other.ratio or 0) == pytest.approx(1)


def test_a_policy_against_itself_is_one_everywhere(tmp_path: Path) -> None:
    record(tmp_path, ROWS)
    for same in sides(tmp_path, "b", "b"):
        assert same.ratio == (None if same.a is None else 1.0)
        assert same.same_object
    assert whole(tmp_path, "a", "a").summary.mean == 1.0


def test_the_summary_counts_what_both_completed(tmp_path: Path) -> None:
    record(tmp_path, ROWS)
    summary = whole(tmp_path, "a", "b").summary
    assert summary.mean == pytest.approx(math.pow(2.0 * 1.0 * 0.8, 1 / 3))
    assert (summary.wins, summary.losses, summary.ties, summary.completed, summary.programs) == (1, 1, 1, 3, 6)


def test_seeds_stand_in_one_row_by_their_geometric_mean(tmp_path: Path) -> None:
    rows = [row("one", "Oz", 100, object_digest="x")]
    rows += [row("one", "a", value, seed=seed) for seed, value in enumerate((10, 20, 40))]
    rows += [row("one", "b", value, seed=seed, object_digest="x") for seed, value in enumerate((40, 40))]
    rows += [row("two", "Oz", 5), *(row("two", "a", 10, seed=seed) for seed in (0, 2)), row("two", "a", None, seed=1)]
    rows += [row("two", "b", 30, seed=seed) for seed in (0, 1)]
    record(tmp_path, rows)
    one, two = sides(tmp_path, "a", "b")
    assert (one.benchmark, one.a, one.b, one.verdict) == ("one", pytest.approx(20), 40, "better")
    assert one.ratio == pytest.approx(2)
    assert one.low is not None and one.high is not None and one.low < 2 < one.high
    assert (two.benchmark, two.a, two.b, two.ratio, two.outcome_a) == ("two", 10, 30, None, "wrong-output")
    assert [c.same_object for c in sides(tmp_path, "b", "Oz") if c.benchmark == "one"] == [True]
    with open_index(tmp_path) as index:
        behind = {p.benchmark: p for p in programs(index, QUESTION, "a")}
    assert (behind["one"].policy, behind["one"].outcome) == (pytest.approx(20), "ok")
    assert behind["one"].counted == pytest.approx(5)
    assert (behind["two"].policy, behind["two"].outcome, behind["two"].ratio) == (10, "wrong-output", None)
    assert behind["two"].counted == pytest.approx(0.5)  # its own worst, under every seed
    assert behind["two"].detail == "workload small: output differs"


def test_only_one_definition_of_a_program_is_compared(tmp_path: Path) -> None:
    def facts(version: str) -> dict[str, Any]:
        return {"one": {"split": "train", "origin": "own", "program_digest": digest_of(version)}}

    record(tmp_path, [row("one", "a", 100), row("one", "b", 50)], benchmarks=facts("old"))
    record(tmp_path, [row("one", "b", 70, frozen_digest="f" * 64)], LATE, benchmarks=facts("new"))
    assert sides(tmp_path, "a", "b") == [Comparison("one", None, 70, None, False, "not run", "ok")]


def test_compilers_are_not_mixed(tmp_path: Path) -> None:
    other = "c" * 64
    record(tmp_path, [row("one", "a", 100), row("one", "b", 50)])
    record(tmp_path, [row("one", "a", 10, llvm=other), row("one", "b", 20, llvm=other)], LATE, llvm=other)
    assert [c.ratio for c in sides(tmp_path, "a", "b")] == [0.5]
    assert [c.ratio for c in sides(tmp_path, "a", "b", replace(QUESTION, llvm=other))] == [2.0]


@pytest.mark.parametrize(
    ("a", "b", "named"), [("a", "nobody", "nobody"), ("nobody", "b", "nobody"), ("a'b", "a", "a'b")]
)
def test_a_policy_without_rows_is_named(a: str, b: str, named: str, tmp_path: Path) -> None:
    record(tmp_path, ROWS)
    with pytest.raises(UsageError) as raised:
        sides(tmp_path, a, b)
    assert raised.value.message == f"no rows of policy {named!r} for made, x86-64, track size"
    assert raised.value.hint.startswith("there is no policy of that name; there are: a, b, ")


def test_who_was_measured_on_another_track_is_not_among_those_that_there_are(tmp_path: Path) -> None:
    record(tmp_path, [row("one", "a", 10), row("one", "Oz", 10)])
    record(tmp_path, [row("one", "greedy", 10, track="speed", level="O3")], LATE, track="speed")
    with pytest.raises(UsageError) as raised:
        sides(tmp_path, "a", "greedy")
    assert raised.value.hint == "run `harness run --suite made --policy greedy` first; there are: Oz, a"
    speed = replace(QUESTION, track="speed", reference="greedy")
    with pytest.raises(UsageError) as raised:
        sides(tmp_path, "greedy", "Oz", speed)
    assert raised.value.hint == "run `harness run --suite made --track speed --policy Oz` first; there are: greedy"


def many(count: int, ratio: float, scatter: float) -> list[Row]:
    """Programs on which b takes ``ratio`` times what a does, more or less."""
    rows = []
    for number in range(count):
        rows.append(row(f"p{number}", "a", 100_000))
        rows.append(row(f"p{number}", "b", round(100_000 * ratio * math.exp(scatter * (number % 3 - 1)))))
    return rows


def test_a_clear_difference_is_concluded_from(tmp_path: Path) -> None:
    record(tmp_path, many(12, 1.1, 0.02))
    summary = whole(tmp_path, "a", "b").summary
    assert summary.p == pytest.approx(2 / 2**12)
    assert summary.conclusion == "a is better than b on programs like these (p = 0.0005, at 5 % for this pair alone)"
    assert whole(tmp_path, "b", "a").summary.conclusion == summary.conclusion
    assert summary.low is not None and 1 < summary.low < (summary.mean or 0) < (summary.high or 0)
    assert summary.these_low == summary.these_high == pytest.approx(summary.mean)


def test_a_difference_within_the_scatter_is_not(tmp_path: Path) -> None:
    record(tmp_path, many(12, 1.001, 0.05))
    summary = whole(tmp_path, "a", "b").summary
    assert summary.p is not None and summary.p > 0.05 and summary.mde is not None
    said = f"a and b cannot be told apart on programs like these (p = {summary.p:.2g}, at 5 % for this pair alone)"
    assert (
        summary.conclusion
        == f"{said}; a difference of {100 * summary.mde:.2g} % would have been seen in four cases of five"
    )


def test_nothing_is_concluded_from_few_programs_or_equal_ones(tmp_path: Path) -> None:
    record(tmp_path, many(5, 1.5, 0.0))
    few = whole(tmp_path, "a", "b").summary
    assert few.conclusion == "5 programs: from fewer than 6, nothing can be told of programs like these"
    same = whole(tmp_path, "a", "a").summary
    assert same.conclusion == "a and a are equal on all programs that both completed"
    assert (same.mean, same.wins, same.ties, same.losses) == (1.0, 0, 5, 0)


def references(count: int, made: Sequence[str] = ("a", "b")) -> list[Row]:
    """Programs under the track's reference and floor, all of them, and under ``made`` the first eight."""
    rows = [row(f"p{n}", policy, value) for n in range(count) for policy, value in (("Oz", 100_000), ("O0", 300_000))]
    return rows + [row(f"p{n}", name, 99_000 - 100 * n * (name == "a")) for n in range(8) for name in made]


def test_programs_that_neither_was_run_on_say_nothing(tmp_path: Path) -> None:
    record(tmp_path, references(30))
    summary = whole(tmp_path, "a", "b").summary
    assert (summary.completed, summary.programs, summary.failed, summary.strict) == (8, 8, {}, None)
    record(tmp_path / "few", references(8))
    assert summary == whole(tmp_path / "few", "a", "b").summary


def test_who_is_not_ranked_is_said_beside_the_conclusion(tmp_path: Path) -> None:
    said = {"ceilings": ["a"], "trained_on": {"b": ["p0", "p1"]}}
    record(tmp_path, references(8), **said)
    conclusion = whole(tmp_path, "a", "b").summary.conclusion
    assert conclusion.startswith("a is better than b on programs like these")
    assert "; a: not ranked: a ceiling: the best that is known of each program; " in conclusion
    assert conclusion.endswith("; b: not ranked: made on 2 of these 8 programs")
