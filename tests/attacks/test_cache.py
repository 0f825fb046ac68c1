"""Somebody else's hand in the cache: what a run reads there is what a run put there."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.drive import TINY, User

ALL_IN_THE_CACHE = {"HARNESS_BUILDS": ""}
WORDS = (
    "run",
    "--suite",
    TINY,
    "--benchmark",
    "glob",
    "--target",
    "x86-64",
    "--policy",
    "Oz,O3",
    "--metric",
    "size.alloc",
)


@pytest.fixture(scope="module")
def warm(tiny: User, tmp_path_factory: pytest.TempPathFactory) -> User:
    """Someone whose cache has everything of two cells, for others to copy."""
    folder = tmp_path_factory.mktemp("warm")
    shutil.copytree(tiny.cache, folder / "cache", symlinks=True)
    user = User(folder / "cache", folder / "results")
    user.harness(*WORDS, code=0, **ALL_IN_THE_CACHE)
    shutil.rmtree(user.results)
    return user


def quarter_of_values(user: User) -> None:
    for file in user.cache.glob("cells/*/*.json"):
        record = json.loads(file.read_bytes())
        values = record["value"]["values"]
        record["value"]["values"] = {
            name: value // 4 if isinstance(value, int) else value for name, value in values.items()
        }
        file.write_text(json.dumps(record))


def other_module(user: User) -> None:
    for file in user.cache.glob("frozen/*/*/frozen.bc"):
        file.write_bytes(file.read_bytes() + b"\0\0\0\0")


def other_filter(user: User) -> None:
    """A filter that refuses nothing: one instruction, which allows."""
    for file in user.cache.glob("native/*/*/filter.bpf"):
        file.write_bytes(b"\x06\x00\x00\x00\x00\x00\xff\x7f")


def other_guard(user: User) -> None:
    for file in user.cache.glob("native/*/*/guard"):
        file.write_bytes(file.read_bytes() + b"\n")


def other_facts(user: User) -> None:
    for file in user.cache.glob("frozen/*/*/facts.json"):
        file.write_text(json.dumps(json.loads(file.read_bytes()) | {"digest": "0" * 64}))


def other_input(user: User) -> None:
    for file in user.cache.glob("inputs/*/*/content"):
        file.write_bytes(b"")


@pytest.mark.parametrize(
    "alter", [quarter_of_values, other_module, other_filter, other_guard, other_facts, other_input]
)
def test_an_altered_cache_is_not_used(warm: User, tmp_path: Path, alter: Callable[[User], None]) -> None:
    shutil.copytree(warm.cache, tmp_path / "cache", symlinks=True)
    user = User(tmp_path / "cache", tmp_path / "results")
    alter(user)
    answer = user.harness(*WORDS, **ALL_IN_THE_CACHE)
    answer.refused(2, "this entry of the cache was altered", "remove ")
    assert user.runs() == []


def test_an_altered_object_is_not_measured(warm: User, tmp_path: Path) -> None:
    """Other metrics of the same cells: the objects are there, and smaller than they were."""
    shutil.copytree(warm.cache, tmp_path / "cache", symlinks=True)
    user = User(tmp_path / "cache", tmp_path / "results")
    small = min(user.cache.glob("objects/*/*/program.o"), key=lambda path: path.stat().st_size).read_bytes()
    for file in user.cache.glob("objects/*/*/program.o"):
        if file.read_bytes() != small:
            file.write_bytes(small)
    words = ("run", "--suite", TINY, "--policy", "Oz,O3,Os", "--metric", "size.text,ir.instructions")
    user.harness(*words).refused(2, "this entry of the cache was altered", "program.o")
