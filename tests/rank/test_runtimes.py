"""Counts of programs that were linked with two C libraries, or counted by two emulators, are never compared."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.base.digest import digest_of
from harness.base.vocabulary import SPEED
from harness.rank import Question, versus
from harness.rank.doubts import doubts
from harness.rank.memorised import on_copies
from harness.record import Row, open_index
from tests.rank.test_standings import record, table
from tests.rows import LLVM, row

COUNTS = Question("made", "x86-64", SPEED, "instructions", "greedy", LLVM)
SIZES = replace(COUNTS, metric="size.alloc")


def counted(policy: str, value: float, libc: str = "old", **fields: Any) -> list[Row]:
    """A cell with a count and a size; its key follows from the C library too."""
    same = {"track": SPEED, "cell": digest_of([policy, libc, fields.get("copy_", 0)]), **fields}
    return [
        row("one", policy, value, metric="instructions", **same),
        row("one", policy, 10 * len(policy), **same),
    ]


def run(results: Path, hour: int, rows: Sequence[Row], libc: str = "old", **fields: Any) -> None:
    record(results, hour, list(rows), track=SPEED, runtime={"x86-64": digest_of(libc)}, **fields)


def left_out(results: Path, question: Question = COUNTS) -> list[str]:
    with open_index(results) as index:
        return doubts(index, [question])


def test_counts_under_two_c_libraries_are_not_compared(tmp_path: Path) -> None:
    run(tmp_path, 0, counted("greedy", 1000) + counted("basic", 1100))
    assert table(tmp_path, COUNTS)["basic"].strict == pytest.approx(1000 / 1100) and left_out(tmp_path) == []
    run(tmp_path, 1, counted("greedy", 900, "new"), "new")
    assert set(table(tmp_path, COUNTS)) == {"greedy"}
    (line,) = left_out(tmp_path)
    assert line.endswith("basic on 1") and "C library" in line and "run again" in line
    with open_index(tmp_path) as index:
        (compared,) = versus(index, COUNTS, "greedy", "basic").rows
    assert compared.ratio is None
    run(tmp_path, 2, counted("basic", 990, "new"), "new")
    assert table(tmp_path, COUNTS)["basic"].strict == pytest.approx(900 / 990) and left_out(tmp_path) == []


def test_who_is_ahead_waits_for_the_reference(tmp_path: Path) -> None:
    run(tmp_path, 0, counted("greedy", 1000) + counted("basic", 1100))
    run(tmp_path, 1, counted("basic", 990, "new"), "new")
    assert set(table(tmp_path, COUNTS)) == {"greedy"}


def test_counts_with_two_cxx_libraries_are_not_compared(tmp_path: Path) -> None:
    """Of a program in C++, or of one with libraries of its own; a file that is older than this says nothing of it."""

    def facts(library: str) -> dict[str, Any]:
        same = {"split": "train", "origin": "own", "program_digest": digest_of("one")}
        return {"benchmarks": {"one": same | {"runtime": {"x86-64": digest_of(library)}}}}

    run(tmp_path, 0, counted("pbqp", 1200))
    run(tmp_path, 1, counted("greedy", 1000) + counted("basic", 1100), **facts("old"))
    assert set(table(tmp_path, COUNTS)) == {"greedy", "basic", "pbqp"} and left_out(tmp_path) == []
    run(tmp_path, 2, counted("greedy", 900, "new library"), **facts("new"))
    assert set(table(tmp_path, COUNTS)) == {"greedy", "pbqp"}
    (line,) = left_out(tmp_path)
    assert line.endswith("basic on 1")
    assert set(table(tmp_path, SIZES)) == {"greedy", "basic", "pbqp"} and left_out(tmp_path, SIZES) == []


def test_sizes_do_not_depend_on_the_c_library(tmp_path: Path) -> None:
    run(tmp_path, 0, counted("greedy", 1000) + counted("basic", 1100))
    run(tmp_path, 1, counted("greedy", 900, "new"), "new")
    assert table(tmp_path, SIZES)["basic"].strict == pytest.approx(60 / 50) and left_out(tmp_path, SIZES) == []


def test_copies_under_two_c_libraries_are_not_compared(tmp_path: Path) -> None:
    run(tmp_path, 0, counted("greedy", 1000) + counted("greedy", 1000, copy_=1))
    run(tmp_path, 1, counted("basic", 800) + counted("basic", 800, copy_=1))
    with open_index(tmp_path) as index:
        assert [one.copies for one in on_copies(index, COUNTS)] == [(1.25,)]
    run(tmp_path, 2, counted("greedy", 900, "new") + counted("basic", 720, "new"), "new")
    with open_index(tmp_path) as index:
        assert on_copies(index, COUNTS) == []
