"""What an upstream tree lacks is found before anything is built, and keeps nobody else from being checked."""

import json
from pathlib import Path

import pytest

from harness.problems.programs.admission import tree_findings
from harness.sandbox.bench import Bench
from harness.suite.load import LoadedSuite
from harness.suite.sources import source_tree
from tests.drive import User
from tests.suite.hostile import debian_suite, file, tar_of, write_files

MAIN = b'#include <stdio.h>\nint main(void) { puts("fine"); return 0; }\n'
SECOND = """
[[benchmarks]]
name = "second"
source = "pack"
description = "Whole."
files = ["main.c"]
split = "train"
workloads = [{ name = "small" }]
"""


@pytest.fixture
def suite(tmp_path: Path) -> LoadedSuite:
    """Of a tarball with an overlay, whose first program names three things that neither has."""
    (tmp_path / "offered").mkdir()
    digest = tar_of([file("pack/main.c", MAIN)], tmp_path / "offered" / "pack_1.0.orig.tar.gz")
    folder = tmp_path / "packed"
    write_files(folder, {"over/config.h": "\n"})
    loaded = debian_suite(
        folder, digest, 'overlay = "over"', inputs=', inputs = [{ file = "model", tree = "data/model.bin" }]'
    )
    text = loaded.file.read_text().replace('["main.c"]', '["main.c", "config.c"]\ninclude = [".", "inc"]')
    loaded.file.write_text(text + SECOND)
    from harness.suite.load import load_suite

    return load_suite(str(loaded.file))


def test_files_folders_and_inputs_are_looked_for(suite: LoadedSuite, tmp_path: Path, bench: Bench) -> None:
    for program in suite.programs:
        source_tree(program, bench, tmp_path / "offered")
    found = tree_findings(suite, suite.programs, bench.store)
    assert {one.benchmark for one in found} == {"main"} and {one.check for one in found} == {"missing file"}
    said = [(one.field, one.message.partition(" is not in ")) for one in found]
    assert [(field, parts[0]) for field, parts in said] == [
        ("benchmarks.main.files", "config.c"),
        ("benchmarks.main.include", "inc"),
        ("benchmarks.main.workloads", "data/model.bin"),
    ]
    assert said[0][1][2] == "the unpacked pack_1.0.orig.tar.gz with overlay over"
    lines = suite.file.read_text().splitlines()
    assert [lines[int(one.place.rpartition(":")[2]) - 1].split()[0] for one in found][:2] == ["files", "include"]


def test_the_others_are_checked_all_the_same(suite: LoadedSuite, tmp_path: Path) -> None:
    user = User.at(tmp_path / "user")
    user.harness("fetch", suite.file, "--from", tmp_path / "offered", code=0)
    answer = user.harness("suites", "check", suite.file, "--json", code=1)
    found = json.loads(answer.out)
    assert {(one["benchmark"], one["check"]) for one in found["findings"] if one["benchmark"] == "main"} == {
        ("main", "missing file")
    }
    assert [one["benchmark"] for one in found["coverage"]] == ["second"]
    assert "not compiled, since files are missing: main" in answer.err
