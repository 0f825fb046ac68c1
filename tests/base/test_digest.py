"""Digests: equal content, equal name, wherever it lies and in whatever order it was put together."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.digest import canonical_json, digest_bytes, digest_file, digest_of, digest_tree
from tests.programs import write_files

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


def test_it_is_sha256_of_the_bytes(tmp_path: Path) -> None:
    for content in (b"", b"abc", b"\0" * 1_000_000):
        (tmp_path / "file").write_bytes(content)
        assert digest_bytes(content) == digest_file(tmp_path / "file") == hashlib.sha256(content).hexdigest()
    assert digest_bytes(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@given(JSON)
def test_canonical_text_is_one_line_of_ascii_and_reads_back(value: object) -> None:
    text = canonical_json(value)
    assert text.isascii() and b"\n" not in text
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text


@given(st.dictionaries(st.text(), st.integers(), min_size=2), st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(value: dict[str, int], random: "object") -> None:
    items = list(value.items())
    random.shuffle(items)  # type: ignore[attr-defined]
    assert digest_of(dict(items)) == digest_of(value)


@given(JSON, JSON)
def test_different_values_have_different_digests(one: object, other: object) -> None:
    assert (digest_of(one) == digest_of(other)) == (canonical_json(one) == canonical_json(other))
    if one != other:
        assert digest_of(one) != digest_of(other)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": -float("inf")}, {1, 2}, b"bytes", Path("x")])
def test_what_has_no_canonical_text_is_refused(value: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        digest_of(value)


TREE: dict[str, str | bytes] = {"b.c": "int b;", "a.c": "int a;", "sub/b.c": "int b;", "sub/deep/ü.h": b"\xff\0"}


def test_a_tree_has_one_digest_wherever_it_lies(tmp_path: Path) -> None:
    one = write_files(tmp_path / "one", TREE)
    other = write_files(tmp_path / "some" / "where else", dict(reversed(TREE.items())))
    os.utime(other / "a.c", (0, 0))
    (other / "empty").mkdir()
    assert digest_tree(one) == digest_tree(other)
    shutil.copytree(one, tmp_path / "copy")
    assert digest_tree(tmp_path / "copy") == digest_tree(one)


def test_every_name_and_byte_of_a_tree_counts(tmp_path: Path) -> None:
    changes: list[dict[str, str | bytes]] = [
        {**TREE, "a.c": "int a; "},
        {**TREE, "more.c": ""},
        {name: content for name, content in TREE.items() if name != "a.c"},
        {("c.c" if name == "a.c" else name): content for name, content in TREE.items()},
        {**TREE, "a.c": TREE["b.c"], "b.c": TREE["a.c"]},
        {("moved/b.c" if name == "sub/b.c" else name): content for name, content in TREE.items()},
    ]
    trees = [write_files(tmp_path / str(number), files) for number, files in enumerate([TREE, *changes])]
    assert len({digest_tree(tree) for tree in trees}) == len(trees)


def test_chosen_files_of_a_tree(tmp_path: Path) -> None:
    tree = write_files(tmp_path / "tree", TREE)
    some = write_files(tmp_path / "some", {"a.c": "int a;", "sub/b.c": "int b;"})
    chosen = [tree / "sub" / "b.c", tree / "a.c"]
    assert digest_tree(tree, chosen) == digest_tree(tree, chosen[::-1]) == digest_tree(some)
