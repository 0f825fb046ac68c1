"""``harness gate`` and ``harness comment``, as two machines run them."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from harness.checks.gate.report import GateReport, markdown_of
from tests.checks.gate.conftest import SOUND, Clone
from tests.drive import Answer, User


def gate(user: User, clone: Clone, code: int, *words: str) -> tuple[dict[str, Any], Answer]:
    answer = user.harness(
        *("gate", "--repo", clone.folder, "--base", "main", "--head", "request", "--benchmark", "crc32", "--json"),
        *words,
        code=code,
        timeout=300,
    )
    return json.loads(answer.out), answer


def test_a_submission_is_validated_planned_and_measured(visitor: User, clone: Clone, tmp_path: Path) -> None:
    clone.submit("mine", "default<Oz>\nmergefunc\n")
    clone.commit()
    report, markdown = tmp_path / "report.json", tmp_path / "report.md"
    said, answer = gate(visitor, clone, 0, "--report", str(report), "--markdown", str(markdown))
    assert said["findings"] == [] and said["new"] and said["runs"] == 3
    assert {(one["target"], one["programs"]) for one in said["ratios"]} == {("x86-64", 1), ("aarch64", 1)}
    plan = answer.err.index("plan:\n  4 cells: ")
    assert plan < answer.err.rindex("cells   100%"), "the plan comes before what is measured"
    assert json.loads(report.read_text()) == said
    assert visitor.harness("comment", report, code=0).out == markdown.read_text()
    assert not visitor.results.exists()


def test_a_gate_that_is_cut_off_leaves_what_it_has_found(visitor: User, clone: Clone, tmp_path: Path) -> None:
    """A search of a day is planned in a moment, and killed with the machine that waited for it."""
    clone.submit("mine", "default<Oz>\nmergefunc\n", targets='["x86-64"]')
    clone.commit()
    report = tmp_path / "report.json"
    words = ("--repo", clone.folder, "--base", "main", "--head", "request", "--report", str(report))
    with visitor.start("gate", *words) as process:
        assert process.stderr is not None
        while "plan:" not in (line := process.stderr.readline()):
            assert line, "it ended before it had a plan"
        until = time.monotonic() + 10
        while not report.exists() and time.monotonic() < until:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    said = visitor.harness("comment", report, code=0).out
    assert "nothing stands in the way" in said and "3 runs" in said
    assert "cut off before it had measured this" in said and "ratio" not in said


def test_a_version_is_raised_with_what_decides(visitor: User, clone: Clone) -> None:
    clone.submit("old", "default<Os>\n")
    clone.commit()
    said, answer = gate(visitor, clone, 1)
    assert [one["code"] for one in said["findings"]] == ["V607"] and "plan:" not in answer.err


def test_a_version_of_before_does_not_come_again_as_something_else(visitor: User, clone: Clone) -> None:
    """Results may have rows of it."""
    clone.on("main")
    clone.submit("old", "default<Os>\n", version='"2"')
    clone.commit()
    clone.git("checkout", "--quiet", "-B", "request")
    for passes, code, found in (("default<O1>\n", 1, ["V607"]), ("default<Oz>\n", 0, [])):
        clone.submit("old", passes)
        clone.commit()
        said, _ = gate(visitor, clone, code, "--dry-run")
        assert [one["code"] for one in said["findings"]] == found, passes


def test_where_only_words_change_nothing_is_measured(visitor: User, clone: Clone) -> None:
    clone.submit("old", description='"Other words."')
    clone.commit()
    said, _ = gate(visitor, clone, 0)
    assert said["plan"] == ["nothing: what old decides from is as it was"] and said["ratios"] == []


def test_what_has_other_cells_is_measured_though_it_decides_alike(visitor: User, clone: Clone) -> None:
    """A version that is for another target, or for another track, has nothing in the standings there yet."""
    clone.on("main")
    clone.submit("old", targets='["x86-64"]', trained_on='["cbench:train"]')
    clone.commit()
    clone.git("checkout", "--quiet", "-B", "request")
    clone.submit("old", targets='["x86-64", "aarch64"]')
    clone.commit()
    said, _ = gate(visitor, clone, 0)
    assert {one["target"] for one in said["ratios"]} == {"x86-64", "aarch64"}
    clone.submit("old", targets='["x86-64"]', training="{ cpu_hours = 1.5, seed = 7 }")
    clone.commit()
    said, _ = gate(visitor, clone, 0, "--dry-run")
    was = ["trained_on was cbench:train", "training was empty"]
    assert said["plan"][1:] == was, "who reviews it is told what it does not say any more"
    clone.on("main")
    clone.git("reset", "--quiet", "--hard", "request")
    clone.git("checkout", "--quiet", "-B", "request")
    clone.submit("old", targets='["x86-64"]', training="{ cpu_hours = 0.5, seed = 7 }")
    clone.commit()
    said, _ = gate(visitor, clone, 0, "--dry-run")
    assert said["plan"][1:] == ["training was cpu_hours 1.5, seed 7"]


def test_nothing_is_run_of_a_request_that_edits_the_rules(visitor: User, clone: Clone) -> None:
    clone.submit("mine")
    clone.write("harness/rules.py", "STRICT = False\n")
    clone.commit()
    said, answer = gate(visitor, clone, 1)
    assert [one["code"] for one in said["findings"]] == ["V601"] and said["runs"] == 0
    assert "cells" not in answer.err


@pytest.mark.parametrize(
    ("place", "code", "named"),
    [("zz", "V601", "zz/"), ("submissions/old/zz", "V106", "submissions/old")],
)
def test_more_files_than_any_memory_holds_are_refused_in_a_report(
    place: str, code: str, named: str, visitor: User, clone: Clone, tmp_path: Path
) -> None:
    """A few small trees, each in the next one ten times: git would list them for minutes, and fill the memory."""
    head = clone.bomb(place)
    words = ("--repo", clone.folder, "--base", "main", "--head", head)
    report = tmp_path / "report.json"
    started = time.monotonic()
    visitor.harness("gate", *words, "--report", str(report), code=1, timeout=300)
    assert time.monotonic() - started < 60, "20 s of git, on a machine that does something else as well"
    [found] = json.loads(report.read_text())["findings"]
    assert found["code"] == code and named in (found["where"] or found["what"])
    assert code in visitor.harness("comment", report, *words, code=0).out


def test_a_report_can_be_read_again() -> None:
    report = GateReport.model_validate(SOUND)
    assert "| `size.alloc` | `x86-64` | 2 | 1.0100 |" in markdown_of(report)


@pytest.mark.parametrize(
    "change",
    [
        {"base": "main"},
        {"seconds": float("nan")},
        {"ratios": [{"metric": "size.alloc", "target": "x86-64", "programs": 2, "ratio": -1}]},
        {"ratios": [{"metric": "@everyone", "target": "x86-64", "programs": 2, "ratio": 1}]},
        {"findings": [{"code": "V999", "where": "", "what": "", "do": ""}]},
        {"plan": ["two\nlines"]},
        {"name": "a\u202eb"},
        {"more": 1},
        {"plan": ["x"] * 1000},
    ],
)
def test_a_report_that_is_none_is_refused(change: dict[str, Any], visitor: User, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(SOUND | change))
    visitor.harness("comment", file).refused(2, "report.json", next(iter(change)) if "seconds" not in change else "")


@pytest.mark.parametrize("content", ["", "[]", "{", "null", "[" * 100_000, '{"a":' * 9_999])
def test_a_file_that_is_no_report_is_refused(content: str, visitor: User, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(content)
    visitor.harness("comment", file).refused(2, "report.json")


def test_nothing_in_a_report_becomes_markup() -> None:
    hostile = "`|@all [x](http://y) <img src=x>"
    fields = {"name": hostile, "about": hostile, "plan": [hostile], "suite": hostile, "failed": [hostile]}
    text = markdown_of(GateReport.model_validate(SOUND | fields))
    safe = "`'¦@all [x](http://y) <img src=x>`"
    assert text.count(safe) == 5
    assert "@" not in text.replace(safe, "") and "<" not in text.replace(safe, "")


def test_a_report_is_no_longer_than_a_comment_may_be() -> None:
    """GitHub would refuse the whole of it, and nobody would be told anything."""
    found = {"code": "V201", "where": "é" * 900, "what": "é" * 900, "do": "é" * 900}
    text = markdown_of(GateReport.model_validate(SOUND | {"findings": [found] * 1000, "failed": ["x" * 900] * 1000}))
    assert len(text.encode()) < 65_536 and "1000 findings stand in the way" in text
    assert text.rstrip().endswith("more lines: the report has them.")


def test_a_report_of_a_gate_that_the_request_changed_is_not_believed(
    visitor: User, clone: Clone, tmp_path: Path
) -> None:
    clone.submit("mine")
    honest = clone.commit()
    clone.write("harness/rules.py", "STRICT = False\n")
    changed = clone.commit()
    file = tmp_path / "report.json"
    for head, said in ((honest, "nothing stands in the way"), (changed, "V601")):
        file.write_text(json.dumps(SOUND | {"head": head}))
        words = ("comment", file, "--repo", clone.folder, "--base", "main", "--head", head)
        assert said in visitor.harness(*words, code=0).out
    words = ("comment", file, "--repo", clone.folder, "--base", "main", "--head", honest)
    visitor.harness(*words).refused(2, "another commit")
    visitor.harness("comment", file, "--repo", clone.folder).refused(2, "go together")
    file.write_text(json.dumps(SOUND | {"head": honest, "name": "another"}))
    visitor.harness(*words).refused(2, "something else than mine")
