"""The layout of mlgo-utils, from strangers."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.learn.corpus.mlgo import description_of, import_modules, imported_units
from harness.sandbox.bench import Bench
from harness.suite.tree import check_name
from tests.learn.corpus.tiny import write_layout

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.text(max_size=12) | st.sampled_from(["a", "b/c", "../x", "/etc/passwd", "a//b", "a\0", "x\\y", "."])


def is_safe(name: str) -> bool:
    try:
        check_name(name, "here")
    except UsageError:
        return False
    return True


@given(st.lists(NAMES, max_size=6), st.dictionaries(st.sampled_from(["has_thinlto", "corpus_name", "global"]), JSON))
def test_names_are_taken_or_refused_as_a_whole(names: list[str], more: dict[str, Any]) -> None:
    content = json.dumps({**more, "modules": names}).encode()
    good = all(map(is_safe, names)) and len(set(names)) == len(names)
    try:
        found = description_of(content, "here")
    except UsageError:
        assert not good or not isinstance(more.get("has_thinlto", False), bool)
    else:
        assert good and found.modules == tuple(names)


@given(JSON.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=40))
def test_anything_else_is_a_message(content: bytes) -> None:
    try:
        found = description_of(content, "here")
    except UsageError as error:
        assert error.where == "here"
    else:
        assert all(map(is_safe, found.modules))


def a_link(folder: Path) -> None:
    (folder / "a.bc").unlink()
    (folder / "a.bc").symlink_to("/etc/passwd")


def a_fifo(folder: Path) -> None:
    os.mkfifo(folder / "b.bc")


def a_giant(folder: Path) -> None:
    with (folder / "a.bc").open("wb") as file:
        file.truncate((1 << 24) + 1)


def a_long_command(folder: Path) -> None:
    (folder / "a.cmd").write_bytes(b"x" * ((1 << 20) + 1))


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (a_link, "a symbolic link"),
        (a_fifo, "a FIFO"),
        (a_giant, "bytes, 16777216 are allowed"),
        (a_long_command, "a.cmd"),
        (lambda folder: (folder / "a.bc").unlink(), "names a module that is not there"),
        (lambda folder: (folder / "corpus_description.json").unlink(), "not a corpus of mlgo-utils"),
        (lambda folder: (folder / "corpus_description.json").write_text('{"modules": ["../a"]}'), "no relative path"),
    ],
)
def test_a_hostile_corpus_is_refused(spoil: Any, told: str, tmp_path: Path, bench: Bench) -> None:
    folder = write_layout(tmp_path / "given", {"a": b"BC\xc0\xde"})
    spoil(folder)
    with pytest.raises(UsageError) as caught:
        import_modules(folder, "given", "train", "MIT", bench)
    assert told in str(caught.value)


def test_what_is_no_bitcode_is_skipped(tmp_path: Path, bench: Bench) -> None:
    folder = write_layout(tmp_path / "given", {"a": b"BC\xc0\xde" + b"\xff" * 4000, "deep/b": b"no bitcode at all"})
    made = imported_units(import_modules(folder, "given", "train", "MIT", bench), bench)
    assert made.units == () and sum(made.skipped.values()) == 2


def test_an_import_that_is_gone_is_named(bench: Bench) -> None:
    from harness.learn.corpus.written import Import

    with pytest.raises(UsageError, match="not in the cache any more"):
        imported_units(Import(name="gone", key="0" * 64, split="train", licence="MIT"), bench)
