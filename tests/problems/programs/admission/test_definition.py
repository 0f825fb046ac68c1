"""Faults of a suite's definition: all of them, each with file, line and field."""

from pathlib import Path

import pytest

from harness.problems.programs.admission import definition_findings
from tests.drive import User

GOOD = """name = "mine"
version = "1"
description = "Two programs."

[sources.own]
origin = "own"
licence = "MIT"
path = "src"

[[benchmarks]]
name = "first"
source = "own"
description = "Prints."
files = ["main.c"]
split = "train"

[[benchmarks.workloads]]
name = "small"
inputs = [{ file = "in", generator = "text", seed = 1, params = { size = 30 } }]

[[benchmarks]]
name = "second"
source = "own"
description = "Prints."
files = ["main.c"]
include = ["."]
split = "test"

[[benchmarks.workloads]]
name = "small"
"""


def definition(folder: Path, *changes: tuple[str, str]) -> Path:
    text = GOOD
    for old, new in changes:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    (folder / "src").mkdir()
    (folder / "src" / "main.c").write_text("int main(void) { return 0; }\n")
    file = folder / "suite.toml"
    file.write_text(text)
    return file


def test_nothing_to_say(tmp_path: Path) -> None:
    assert definition_findings(str(definition(tmp_path))) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            [('files = ["main.c"]', 'files = ["main.c", "gone.c"]')],
            [("suite.toml:14", "first", "benchmarks.first.files", "gone.c is not in")],
        ),
        ([('include = ["."]', 'include = ["inc"]')], [("suite.toml:26", "second", "benchmarks.second.include", "inc")]),
        ([('path = "src"', 'path = "scr"')], [("suite.toml:8", "", "sources.own.path", "there is no folder")]),
        (
            [('name = "second"', 'name = "first"')],
            [("suite.toml:21", "first", "benchmarks.name", "two benchmarks are called 'first'; the other is at")],
        ),
        (
            [("size = 30", "length = 30")],
            [("suite.toml:19", "first", "benchmarks.first.workloads.small.inputs", "'length'")],
        ),
        (
            [('generator = "text"', 'generator = "texts"'), ('split = "test"', 'split = "tset"')],
            [
                ("suite.toml:19", "first", "benchmarks.first.workloads.small.inputs", "unknown input generator"),
                ("suite.toml:27", "second", "benchmarks.second.split", "must be 'train' or 'test'"),
            ],
        ),
        (
            [('split = "train"', 'split = "train"\nunsanitized = { pointer-owerflow = "why" }')],
            [("suite.toml:16", "first", "benchmarks.first.unsanitized.pointer-owerflow", "mean 'pointer-overflow'?")],
        ),
        (
            [('licence = "MIT"', 'licence = "…"')],
            [("suite.toml:7", "", "sources.own.licence", "still to be filled in")],
        ),
        (
            [('generator = "text"', 'generator = "texts"')],
            [("suite.toml:19", "first", "benchmarks.first.workloads.small.inputs", "unknown input generator")],
        ),
        (
            [('split = "train"', 'split = "both"'), ('version = "1"', 'vresion = "1"')],
            [
                ("suite.toml:15", "first", "benchmarks.first.split", "'both'"),
                ("suite.toml", "", "version", "version: this field is missing"),
                ("suite.toml:2", "", "vresion", "vresion: there is no such field"),
            ],
        ),
        (
            [('source = "own"', 'source = "other"')],
            [("suite.toml", "", "", "benchmark 'first' names the source 'other'")],
        ),
        ([("[sources.own]", "[sources.own")], [("suite.toml:5", "", "", "not TOML")]),
        (
            [('name = "small"\ninputs', 'name = "small"\nargs = 7\ninputs')],
            [("suite.toml:19", "first", "benchmarks.first.workloads.small.args", "must be a list")],
        ),
        (
            [('split = "test"', 'split = "test"\nprogram = "bin/x"')],
            [("suite.toml:21", "second", "benchmarks.second", "name the translation units, or")],
        ),
    ],
)
def test_every_fault_has_its_place(
    changes: list[tuple[str, str]], expected: list[tuple[str, str, str, str]], tmp_path: Path
) -> None:
    found = sorted(definition_findings(str(definition(tmp_path, *changes))), key=lambda f: f.field)
    assert [(f.place, f.benchmark, f.field) for f in found] == [fault[:3] for fault in expected]
    for finding, (*_, fragment) in zip(found, expected, strict=True):
        assert fragment in finding.message


def test_a_suite_that_shares_what_is_not_there(tmp_path: Path) -> None:
    for number, (suite, name) in enumerate((("cbench", "nothing"), ("nowhere", "x"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        shared = f'\n[[shared]]\nsuite = "{suite}"\nbenchmarks = ["{name}"]\n\n[sources.own]'
        (finding,) = definition_findings(str(definition(folder, ("\n[sources.own]", shared))))
        assert (name if suite == "cbench" else suite) in finding.message


def test_all_faults_are_printed_and_nothing_is_compiled(tmp_path: Path) -> None:
    file = definition(tmp_path, ('files = ["main.c"]', 'files = ["gone.c"]'), ("size = 30", "length = 30"))
    answer = User.at(tmp_path / "user").harness("suites", "check", file, code=1)
    lines = answer.out.splitlines()
    assert lines[0].split() == ["where", "program", "check", "finding"]
    assert [line.split()[0] for line in lines[2:]] == ["suite.toml:14", "suite.toml:19"]
    assert "2 faults in the definition: nothing was compiled" in answer.err
    assert not (tmp_path / "user" / "cache" / "frozen").exists()
