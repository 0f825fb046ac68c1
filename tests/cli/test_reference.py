"""What a suite's author looks up: generators with their parameters, and what every field of a definition means."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.suite.generators import check_parameters, generate, names
from tests.drive import Command, in_process


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    return in_process(tmp_path / "cache", monkeypatch, capsys)


def fields_of(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """``Benchmark.flags`` and what the schema says of it."""
    for model, one in {schema["title"]: schema, **schema.get("$defs", {})}.items():
        yield from ((f"{model}.{name}", said) for name, said in one.get("properties", {}).items())


@pytest.mark.parametrize("name", ["suite", "submission"])
def test_every_field_is_described(name: str, run: Command) -> None:
    every = dict(fields_of(json.loads(run("schema", name).out)))
    assert [field for field, said in every.items() if not said.get("description")] == []
    assert len(every) > 10
    if name == "suite":
        assert "126 to 192" in every["Workload.exit"]["description"] and "Benchmark.link" in every
    else:
        assert "``zero-shot``" in every["Manifest.class"]["description"]


def test_every_generator_is_listed_with_its_parameters(run: Command) -> None:
    table = run("generators").out
    listed = json.loads(run("generators", "--json").out)
    assert [one["name"] for one in listed] == names() and all(one["text"] for one in listed)
    for one in listed:
        (line,) = re.findall(rf"^{one['name']} .*$", table, re.MULTILINE)
        assert all(f"{parameter} = {json.dumps(value)}" in line for parameter, value in one["parameters"].items())
        check_parameters(one["name"], one["parameters"])


def test_one_is_told_whole_with_a_line_for_the_suite(run: Command) -> None:
    said = run("generators", "jpeg").out
    assert "must then be a multiple of 16" in said
    (item,) = tomllib.loads(said.splitlines()[-1])["inputs"]
    assert item == {
        "file": "input",
        "generator": "jpeg",
        "seed": 1,
        "params": {"width": 256, "height": 192, "quality": 75, "colour": True, "repeat": 1},
    }
    run("generators", "jpg").refused(2, "unknown input generator 'jpg'", "did you mean 'jpeg'?")


def test_a_sample_is_what_a_workload_gets(run: Command, tmp_path: Path) -> None:
    answer = run(
        *("generators", "jpeg", "--sample", "x.jpg", "--seed", "7"), *("--param", "width=64", "--param", "colour=false")
    )
    made = (tmp_path / "x.jpg").read_bytes()
    assert made == generate("jpeg", 7, {"width": 64, "colour": False}) != generate("jpeg", 7, {})
    assert f"{len(made):,} bytes in x.jpg" in answer.err and "colour = false" in answer.out
    run("generators", "jpeg", "--sample", "x.jpg").refused(2, "x.jpg", "there already")
    assert (tmp_path / "x.jpg").read_bytes() == made
    run("generators", "jpeg", "--param", "width=wide").refused(2, "width is a whole number")
    run("generators", "jpeg", "--param", "colour=1").refused(2, "colour is true or false")
    run("generators", "jpeg", "--param", "wide").refused(2, "write NAME=VALUE", "width, height")
    run("generators", "jpeg", "--param", "wide=1").refused(2, "jpeg has no parameter 'wide'", "width, height")
    run("generators", "--sample", "y").refused(2, "which generator?")
    run("generators", "text", "--sample", "no/where").refused(2, "No such file")
