"""Verdicts in the cache: the same to the last bit, of these very rows, and of nothing that was altered."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.base.paths import cache_root
from harness.rank import Question, standings
from harness.rank.remembered import remembered
from harness.record import open_index
from tests.rows import LLVM, row, run_file

QUESTION = Question("made", "x86-64", "size", "size.alloc", "Oz", LLVM)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_comes_back_is_what_was_computed(value: Any) -> None:
    first = remembered("made up", ["round", repr(value)], lambda: value)
    again = remembered("made up", ["round", repr(value)], lambda: pytest.fail("computed twice"))
    assert repr(first) == repr(again) == repr(value)


def test_other_numbers_are_computed_anew() -> None:
    assert remembered("made up", [1.0, "a"], lambda: "one") == "one"
    assert remembered("made up", [1.0000000000000002, "a"], lambda: "two") == "two"
    assert remembered("other", [1.0, "a"], lambda: "three") == "three"


def table(results: Path) -> list[dict[str, Any]]:
    with open_index(results) as index:
        return [one.record() for one in standings(index, QUESTION)]


def test_a_table_is_judged_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(f"p{n}", policy, 1000 + 37 * n * weight) for n in range(8) for policy, weight in (("Oz", 1), ("a", 2))]
    run_file(tmp_path, rows)
    first = table(tmp_path)

    def never(*_: object, **__: object) -> None:
        pytest.fail("judged twice")

    for place, name in (("verdicts", "family"), ("pairs", "family"), ("standings", "suite_effect")):
        monkeypatch.setattr(sys.modules[f"harness.rank.{place}"], name, never)
    assert table(tmp_path) == first
    run_file(tmp_path, [row("p0", "a", 999)], started="2026-02-01T00:00:00+00:00", finished="2026-02-01T00:00:00+00:00")
    with pytest.raises(pytest.fail.Exception, match="judged twice"):
        table(tmp_path)


def test_a_verdict_that_was_altered_is_refused() -> None:
    assert remembered("made up", ["altered"], lambda: ["unheard of", 0.04]) == ["unheard of", 0.04]
    (file,) = (path for path in cache_root().glob("verdicts/*/*.json") if '"unheard of"' in path.read_text())
    record = json.loads(file.read_text())
    record["value"] = [["better", 0.04]]
    file.write_text(json.dumps(record))
    with pytest.raises(UsageError, match=file.name):
        remembered("made up", ["altered"], lambda: ["unheard of", 0.04])
    file.unlink()
