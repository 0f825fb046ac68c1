"""From a name or path to a suite: unknown names get a suggestion, broken files a place; the real ones load."""

import inspect
import json
from pathlib import Path
from random import Random

import pytest

from harness.base.errors import UsageError
from harness.base.paths import SUITES
from harness.base.vocabulary import Origin
from harness.suite.generators import _REGISTRY, names
from harness.suite.load import choose, load_suite, suite_names

GOOD = """
name = "mine"
version = "1"
description = "One program."

[absent]
gone = "nobody has its sources"

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
workloads = [{ name = "small" }]

[[benchmarks]]
name = "second"
source = "own"
description = "Prints."
files = ["main.c"]
split = "test"
workloads = [{ name = "small" }]
"""


def suite_file(folder: Path, content: str | bytes = GOOD) -> Path:
    file = folder / "suite.toml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def fault(name: str) -> UsageError:
    with pytest.raises(UsageError) as raised:
        load_suite(name)
    assert raised.value.exit_code == 2
    return raised.value


def test_a_suite_is_found_by_its_file_and_by_its_folder(tmp_path: Path) -> None:
    file = suite_file(tmp_path)
    for name in (str(file), str(tmp_path), f"{tmp_path}/"):
        suite = load_suite(name)
        assert (suite.name, suite.folder, suite.file) == ("mine", tmp_path, file)
        assert [program.id for program in suite.programs] == ["mine/first", "mine/second"]


def test_an_unknown_suite_gets_a_suggestion() -> None:
    error = fault("cbensh")
    assert error.message == "unknown suite 'cbensh'" and (error.hint or "").startswith("did you mean 'cbench'?")
    assert "there are: cbench" in (fault("zzzzzzzz").hint or "")


def test_a_path_to_nothing_is_named(tmp_path: Path) -> None:
    assert fault(f"{tmp_path}/nowhere").where == f"{tmp_path}/nowhere"
    assert fault(str(tmp_path)).where == f"{tmp_path}/suite.toml"  # a folder without suite.toml


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name = ", "not TOML: Invalid value (at end of document)"),
        (GOOD.replace("[sources.own]", "[sources.own"), "not TOML: Expected ']'"),
        (GOOD + 'name = "again"\n[absent]', "not TOML: "),
        (GOOD.encode() + b"# \xe4", "not UTF-8 text"),
        ("", "name: this field is missing (also wrong: version, description)"),
        (GOOD.replace('version = "1"', "version = 1"), "version: must be text in quotes, not 1"),
        (GOOD.replace("files =", "file =", 1), "benchmarks.1.file: there is no such field"),
        (GOOD.replace('split = "test"', 'split = "tset"'), "benchmarks.2.split: must be 'train' or 'test'"),
        (GOOD.replace('name = "second"', 'name = "first"'), "the file: two benchmarks are called 'first'"),
        (GOOD.replace('{ name = "small" }', '{ name = "small", kind = "time" }', 1),
         "benchmarks.1: workloads: none is of the kind 'count': nothing would verify an object"),
        (GOOD.replace('name = "mine"', 'name = "cbench"'), "name: a suite called 'cbench' comes with the harness"),
    ],
)  # fmt: skip
def test_a_broken_file_is_named_with_the_field(content: str | bytes, message: str, tmp_path: Path) -> None:
    file = suite_file(tmp_path, content)
    error = fault(str(file))
    assert error.where == str(file)
    assert error.message.startswith(message)


def test_benchmarks_are_chosen_by_name(tmp_path: Path) -> None:
    suite = load_suite(str(suite_file(tmp_path)))
    assert choose(suite, []) == suite.programs
    assert [p.id for p in choose(suite, ["second", "mine/first", "second"])] == ["mine/second", "mine/first"]


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("frist", "suite 'mine' has no benchmark 'frist'", "did you mean 'first'?"),
        ("other/first", "suite 'mine' has no benchmark 'other/first'", ""),
        ("zzzz", "suite 'mine' has no benchmark 'zzzz'", "there are: first, second"),
        ("gone", "'gone' is absent from mine: nobody has its sources", ""),
    ],
)
def test_an_unknown_benchmark_gets_a_suggestion(name: str, message: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        choose(load_suite(str(suite_file(tmp_path))), ["first", name])
    assert raised.value.message == message
    assert hint in (raised.value.hint or "")


def test_pinned_results_belong_to_their_programs(tmp_path: Path) -> None:
    file = suite_file(tmp_path)
    (tmp_path / "expected.json").write_text(json.dumps({"second": {"small": "abc"}}))
    assert [p.expected for p in load_suite(str(file)).programs] == [{}, {"small": "abc"}]


@pytest.mark.parametrize("content", ["", "[]", '{"first": 3}', "{", "\xff"])
def test_a_broken_file_of_results_is_named(content: str, tmp_path: Path) -> None:
    suite = load_suite(str(suite_file(tmp_path)))
    (tmp_path / "expected.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(UsageError) as raised:
        _ = suite.programs
    assert raised.value.where == str(tmp_path / "expected.json")


@pytest.mark.parametrize("name", suite_names())
def test_a_shipped_suite_is_whole(name: str) -> None:
    suite = load_suite(name)
    assert suite.name == name
    for program in suite.programs:
        source = program.source
        if source.origin is Origin.OWN:
            tree = program.folder / (source.path or "")
            missing = [file for file in program.benchmark.files if not (tree / file).is_file()]
            assert not missing, (program.id, missing)
        elif source.overlay:
            assert (program.folder / source.overlay).is_dir(), program.id
        for workload in program.benchmark.workloads:
            for item in workload.inputs:
                if item.generator is None:
                    continue
                assert item.generator in names(), (program.id, item.generator)
                inspect.signature(_REGISTRY[item.generator]).bind(Random(), **item.params)
        assert set(program.expected) <= {workload.name for workload in program.benchmark.workloads}


def test_every_folder_of_suites_is_a_suite() -> None:
    of_instances = [file.parent.name for file in SUITES.glob("*/sharding.toml")]
    folders = [folder.name for folder in SUITES.iterdir() if folder.is_dir()]
    assert sorted(folders) == sorted([*suite_names(), *of_instances])
    assert "cbench" in suite_names()
