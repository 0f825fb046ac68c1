"""Gains that disappear on copies are flagged; gains that stay, and copies that only move a little, are not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.base.digest import digest_of
from harness.base.vocabulary import Outcome
from harness.rank import Question, standings
from harness.rank.memorised import OnCopies, memorised_remarks, on_copies
from harness.record import Row, open_index
from tests.rows import LLVM, row, run_file

QUESTION = Question("made", "x86-64", "size", "size.alloc", "Oz", LLVM)


def cells(benchmark: str, policy: str, own: float, *copies: float | None, **fields: Any) -> list[Row]:
    """A policy's cell, and one for each copy; None: it failed there."""
    found = [row(benchmark, policy, own, **fields)]
    for number, value in enumerate(copies, start=1):
        made = row(
            benchmark,
            policy,
            value,
            copy=number,
            frozen_digest=digest_of(["copy", benchmark, number]),
            object_digest=digest_of(["object", benchmark, policy, number]),
            **fields,
        )
        found.append(made)
    return found


def found(results: Path, question: Question = QUESTION) -> dict[tuple[str, str], OnCopies]:
    with open_index(results) as index:
        return {(one.policy, one.benchmark): one for one in on_copies(index, question)}


def test_a_gain_that_disappears(tmp_path: Path) -> None:
    rows = [*cells("one", "Oz", 1000, 1010, 990, 1000), *cells("two", "Oz", 1000, 1000, 1000, 1000)]
    rows += [*cells("one", "cheat", 900, 1009, 991, 1000), *cells("two", "cheat", 990, 985, 990, 990)]
    rows += [*cells("one", "good", 950, 962, 940, 951), *cells("two", "good", 1005, 1004, 1006, 1005)]
    run_file(tmp_path, rows)
    of = found(tmp_path)
    assert of["cheat", "one"].ratio == pytest.approx(1000 / 900)
    assert of["cheat", "one"].copies == pytest.approx((1010 / 1009, 990 / 991, 1.0))
    assert {name for name, one in of.items() if one.memorised} == {("cheat", "one")}
    with open_index(tmp_path) as index:
        table = {standing.policy: standing for standing in standings(index, QUESTION)}
    assert set(table) == {"Oz", "cheat", "good"}
    assert table["cheat"].strict == pytest.approx((1000 / 900 * 1000 / 990) ** 0.5)  # copies count for nothing else
    said = [reason for reason in table["cheat"].reasons if reason.startswith("memorised")]
    assert said == ["memorised: the gain on 1 of 2 programs disappears when names and order change (one 1.111 → 1.001)"]
    assert not any(reason.startswith("memorised") for reason in table["good"].reasons)


@pytest.mark.parametrize(
    ("ratio", "copies", "memorised"),
    [
        (1.05, (1.0, 1.0, 1.0), True),
        (1.05, (1.0, 1.03, 1.0), False),  # one copy shows more than half of it
        (1.05, (1.0, 1.024, 1.0), True),
        (1.009, (1.0, 1.0, 1.0), False),  # too small to judge
        (1.0, (0.9, 0.9, 0.9), False),
        (0.9, (0.9, 0.9, 0.9), False),
        (1.05, (None, 1.0, 1.0), True),
        (1.05, (None, None, None), True),
        (1.05, (None, 1.05, None), False),
    ],
)
def test_the_rule(ratio: float, copies: tuple[float | None, ...], memorised: bool) -> None:
    one = OnCopies("policy", "one", ratio, copies)
    assert one.memorised is memorised
    assert bool(memorised_remarks([one])) is memorised


def test_failures_seeds_and_what_was_changed_since(tmp_path: Path) -> None:
    rows = [*cells("one", "Oz", 1000, 1000, 1000, 1000)]
    rows += cells("one", "fails", 900, None, None, None)
    for seed, value in enumerate((800, 900)):
        rows += cells("one", "seeds", value, 1000, 1000, 1000, seed=seed)
    rows += cells("one", "old", 900, 1000, 1000, 1000)
    run_file(tmp_path, rows, finished="2026-01-01T00:01:00+00:00")
    newer = row("one", "old", 900, policy_digest="9" * 64)
    run_file(tmp_path, [newer], started="2026-01-02T00:00:00+00:00", finished="2026-01-02T00:00:00+00:00")
    of = found(tmp_path)
    assert of["fails", "one"].copies == (None, None, None)
    assert of["fails", "one"].memorised
    assert of["seeds", "one"].ratio == pytest.approx((1000 / 800 * 1000 / 900) ** 0.5)
    assert ("old", "one") not in of  # its copies are of an earlier version


def test_a_failed_copy_is_no_failure_of_the_program(tmp_path: Path) -> None:
    rows = [*cells("one", "Oz", 1000, 1000), *cells("one", "fails", 900, None)]
    assert rows[-1].outcome is Outcome.WRONG_OUTPUT
    run_file(tmp_path, rows)
    with open_index(tmp_path) as index:
        (standing,) = [s for s in standings(index, QUESTION) if s.policy == "fails"]
    assert (standing.completed, standing.benchmarks) == (1, 1)


def test_only_programs_that_were_not_trained_on(tmp_path: Path) -> None:
    names = ("one", "two", "three")
    rows = [r for name in names for r in (row(name, "Oz", 1000), row(name, "learnt", 900), row(name, "other", 950))]
    run_file(tmp_path, rows, trained_on={"learnt": ("one",), "other": ("two",)})
    programs: dict[tuple[str, ...], int] = {}
    with open_index(tmp_path) as index:
        for unseen in ((), ("learnt",), ("learnt", "other"), ("everyone",), ("Oz",)):
            table = standings(index, replace(QUESTION, unseen=unseen))
            assert {standing.policy for standing in table} == {"Oz", "learnt", "other"}
            programs[unseen] = table[0].benchmarks
    assert programs == {(): 3, ("learnt",): 2, ("learnt", "other"): 1, ("everyone",): 1, ("Oz",): 3}
