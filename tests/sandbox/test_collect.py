"""Whatever lies in a scratch folder: only regular files come out, within bounds, and the rest has a reason."""

import os
import socket
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.sandbox.collect import EVERYTHING, collect, count_files

few = settings(max_examples=50)
PLENTY = 1 << 20
DEEPEST = 64
"""Folders below one another that are entered."""


@dataclass(frozen=True)
class Hole:
    """A file of this size with nothing in it."""

    size: int


@dataclass(frozen=True)
class Link:
    target: str


@dataclass(frozen=True)
class Fifo:
    pass


Node = bytes | Hole | Link | Fifo | dict[str, "Node"]
Tree = dict[str, Node]

NAMES = (
    st.one_of(
        st.sampled_from(["a", "b", "c", "**", "...", " ", "-", "\n"]),
        st.binary(min_size=1, max_size=12).map(os.fsdecode),
    )
    .filter(lambda name: "/" not in name and "\0" not in name)
    .filter(lambda name: name not in (".", ".."))
)
LEAVES: st.SearchStrategy[Node] = st.one_of(
    st.binary(max_size=40),
    st.builds(Hole, st.sampled_from([PLENTY + 1, 3 * PLENTY, 1 << 40])),
    st.builds(Link, st.sampled_from(["a", "b/c", "..", "/", "/etc/passwd", "/proc/self/environ", "nowhere", "."])),
    st.builds(Fifo),
)
TREES = st.dictionaries(
    NAMES, st.recursive(LEAVES, lambda inner: st.dictionaries(NAMES, inner, max_size=4), max_leaves=12), max_size=6
)
STRANGE = [
    "",
    ".",
    "..",
    "/",
    "//",
    "../x",
    "a/..",
    "a/../a",
    "/etc/passwd",
    "a//b",
    "a/",
    "./a",
    "a/.",
    "a\0b",
    "\ud800",
    "n" * 300,
]


def fill(folder: Path, tree: Tree) -> None:
    for name, node in tree.items():
        path = folder / name
        match node:
            case bytes():
                path.write_bytes(node)
            case Hole():
                path.touch()
                os.truncate(path, node.size)
            case Link():
                path.symlink_to(node.target)
            case Fifo():
                os.mkfifo(path)
            case dict():
                path.mkdir()
                fill(path, node)


@contextmanager
def scratch(tree: Tree) -> Iterator[int]:
    """A folder that holds the tree, by its descriptor. Nobody may leave a descriptor open."""
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder), tree)
        with opened(Path(folder)) as descriptor:
            yield descriptor


@contextmanager
def opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        before = os.listdir("/proc/self/fd")
        yield descriptor
        assert os.listdir("/proc/self/fd") == before
    finally:
        os.close(descriptor)


def leaves(tree: Tree, prefix: str = "") -> dict[str, bytes | Hole | Link | Fifo]:
    """All that is no folder, by path."""
    found: dict[str, bytes | Hole | Link | Fifo] = {}
    for name, node in tree.items():
        if isinstance(node, dict):
            found |= leaves(node, f"{prefix}{name}/")
        else:
            found[prefix + name] = node
    return found


def folders(tree: Tree, prefix: str = "") -> list[str]:
    found = []
    for name, node in tree.items():
        if isinstance(node, dict):
            found += [prefix + name, *folders(node, f"{prefix}{name}/")]
    return found


def require_bounds(tree: Tree, found: Mapping[str, bytes], refused: Mapping[str, str], largest: int, most: int) -> None:
    """What holds of every answer."""
    there = leaves(tree)
    for name, content in found.items():
        assert content == there[name]
    assert sum(map(len, found.values())) <= largest
    assert len(found) <= most
    assert not set(found) & set(refused)
    assert all(refused.values())


@few
@given(TREES)
def test_everything_takes_all_regular_files_in_order_and_refuses_the_rest(tree: Tree) -> None:
    with scratch(tree) as descriptor:
        found, refused = collect(descriptor, (EVERYTHING,), PLENTY, 1000)
    there = leaves(tree)
    regular = {name: node for name, node in there.items() if isinstance(node, bytes)}
    assert found == regular
    assert list(found) == sorted(regular)
    left = PLENTY - sum(map(len, regular.values()))
    for name, reason in refused.items():
        match there[name]:
            case Link():
                assert reason == "a symbolic link, no regular file"
            case Fifo():
                assert reason == "a FIFO, no regular file"
            case Hole(size):
                assert reason.startswith(f"{size} bytes, ") and reason.endswith(" are allowed")
                assert left <= int(reason.split()[2]) <= PLENTY
    assert found.keys() | refused.keys() == there.keys()


@few
@given(TREES, st.integers(0, 60), st.integers(0, 6))
def test_everything_within_tight_bounds(tree: Tree, largest: int, most: int) -> None:
    with scratch(tree) as descriptor:
        found, refused = collect(descriptor, (EVERYTHING,), largest, most)
    require_bounds(tree, found, refused, largest, most)
    there = leaves(tree)
    assert len(found.keys() | refused.keys()) == min(len(there), most + 1)
    if len(there) > most:
        assert list(refused.values()).count(f"more than {most} files") == 1
    left = largest
    for name in sorted(found.keys() | refused.keys())[:most]:
        node = there[name]
        assert (name in found) == (isinstance(node, bytes) and len(node) <= left)
        left -= len(found.get(name, b""))


@few
@given(TREES, st.data(), st.integers(0, 200), st.integers(0, 8))
def test_every_wanted_name_has_its_content_or_a_reason(
    tree: Tree, data: st.DataObject, largest: int, most: int
) -> None:
    there = leaves(tree)
    names = st.sampled_from([*there, *folders(tree), *(f"{name}/x" for name in there), *STRANGE, "missing", "mis/sing"])
    wanted: Sequence[str] = data.draw(st.lists(names.filter(lambda name: name != EVERYTHING), max_size=10))
    with scratch(tree) as descriptor:
        found, refused = collect(descriptor, wanted, largest, most)
    require_bounds(tree, found, refused, largest, most)
    assert found.keys() | refused.keys() == set(wanted)
    first = list(dict.fromkeys(wanted))[:most]
    left = largest
    for name in first:
        node = there.get(name)
        assert (name in found) == (isinstance(node, bytes) and len(node) <= left)
        left -= len(found.get(name, b""))


@few
@given(TREES, st.integers(0, 12))
def test_counting_ends(tree: Tree, most: int) -> None:
    with scratch(tree) as descriptor:
        assert count_files(descriptor, most) == min(most, len(leaves(tree)) + len(folders(tree)))
        assert count_files(descriptor, 10000) == len(leaves(tree)) + len(folders(tree))


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_path_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"outside")
    fill(tmp_path, {"scratch": {"a": {"b": b"inside"}, "n": b""}})
    with opened(tmp_path / "scratch") as descriptor:
        found, refused = collect(descriptor, (name,), PLENTY, 10)
    assert found == {} and list(refused) == [name] and refused[name]


@pytest.mark.parametrize("name", ["", ".", "..", "/", "../x", "a/..", "/etc/passwd", "a//b", "a/", "./a", "a/."])
def test_a_path_that_leads_out_is_called_so(name: str) -> None:
    with scratch({"a": {"b": b"inside"}}) as descriptor:
        assert collect(descriptor, (name,), PLENTY, 10) == ({}, {name: "not a path inside the scratch folder"})


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    tree: Tree = {
        "in": {"file": b"mine"},
        "file": Link(str(tmp_path / "secret")),
        "folder": Link(str(tmp_path)),
        "near": Link("in"),
        "nearer": Link("in/file"),
    }
    wanted = ("file", "folder/secret", "near/file", "nearer", "in/file", "in/file/x", "in")
    with scratch(tree) as descriptor:
        found, refused = collect(descriptor, wanted, PLENTY, 100)
        everything = collect(descriptor, (EVERYTHING,), PLENTY, 100)[0]
    assert found == everything == {"in/file": b"mine"}
    assert refused == {
        "file": "a symbolic link, no regular file",
        "folder/secret": "not below a folder of the scratch folder itself",
        "near/file": "not below a folder of the scratch folder itself",
        "nearer": "a symbolic link, no regular file",
        "in/file/x": "not below a folder of the scratch folder itself",
        "in": "a folder, no regular file",
    }


def test_what_is_not_there_is_said_so() -> None:
    with scratch({"a": {}}) as descriptor:
        assert collect(descriptor, ("b", "a/b", "b/a"), PLENTY, 9) == (
            {},
            dict.fromkeys(("b", "a/b", "b/a"), "not there"),
        )


def test_fifos_and_sockets_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as listening, opened(tmp_path) as descriptor:
        listening.bind(f"/proc/self/fd/{descriptor}/socket")
        for wanted in (("fifo", "socket"), (EVERYTHING,)):
            assert collect(descriptor, wanted, PLENTY, 9) == (
                {},
                {"fifo": "a FIFO, no regular file", "socket": "a socket, no regular file"},
            )


def test_the_bytes_of_all_files_count_together() -> None:
    tree: Tree = {"a": b"1234", "b": b"56789", "c": b"01", "d": b""}
    with scratch(tree) as descriptor:
        assert collect(descriptor, (EVERYTHING,), 8, 9) == (
            {"a": b"1234", "c": b"01", "d": b""},
            {"b": "5 bytes, 4 are allowed"},
        )
        assert collect(descriptor, ("c", "b", "a", "a"), 8, 9) == (
            {"c": b"01", "b": b"56789"},
            {"a": "4 bytes, 1 are allowed"},
        )


def test_a_hole_of_a_terabyte_is_not_read() -> None:
    with scratch({"hole": Hole(1 << 40), "small": Hole(5)}) as descriptor:
        found, refused = collect(descriptor, (EVERYTHING,), 10, 9)
    assert found == {"small": bytes(5)}
    assert refused == {"hole": f"{1 << 40} bytes, 10 are allowed"}


def test_more_files_than_allowed_are_refused_by_name() -> None:
    tree: Tree = {f"{number:03}": b"x" for number in range(50)}
    with scratch(tree) as descriptor:
        found, refused = collect(descriptor, tuple(tree), PLENTY, 20)
        assert list(found) == list(tree)[:20]
        assert refused == dict.fromkeys(list(tree)[20:], "more than 20 files")
        found, refused = collect(descriptor, (EVERYTHING,), PLENTY, 20)
        assert len(found) == 20 and list(refused.values()) == ["more than 20 files"]


def test_names_beside_everything_are_answered_too() -> None:
    with scratch({"a": b"1", "b": b"2"}) as descriptor:
        found, refused = collect(descriptor, ("missing", EVERYTHING, "b"), PLENTY, 9)
    assert found == {"a": b"1", "b": b"2"}
    assert refused == {"missing": "not there"}


def test_a_file_with_the_name_of_everything() -> None:
    with scratch({"**": b"stars", "a": b"1"}) as descriptor:
        assert collect(descriptor, (EVERYTHING,), PLENTY, 9) == ({"**": b"stars", "a": b"1"}, {})


def nest(folder: Path, depth: int) -> str:
    """Folders named ``d``, one in the other; returns the path of the last."""
    path = "/".join(["d"] * depth)
    (folder / path).mkdir(parents=True)
    return path


def test_folders_are_entered_to_a_depth_and_the_next_is_refused(tmp_path: Path) -> None:
    for depth in (DEEPEST, DEEPEST + 1):
        path = nest(tmp_path / str(depth), depth)
        (tmp_path / str(depth) / path / "file").write_bytes(b"deep")
    with opened(tmp_path / str(DEEPEST)) as descriptor:
        assert collect(descriptor, (EVERYTHING,), PLENTY, 9) == ({f"{'d/' * DEEPEST}file": b"deep"}, {})
    with opened(tmp_path / str(DEEPEST + 1)) as descriptor:
        refused = {"d/" * DEEPEST + "d": "a folder, no regular file"}
        assert collect(descriptor, (EVERYTHING,), PLENTY, 9) == ({}, refused)
        assert count_files(descriptor, 10000) == DEEPEST + 1


def test_folders_nested_without_end_are_left(tmp_path: Path) -> None:
    """Deeper than any path may be long, made as a job can: from folder to folder."""
    top = os.open(tmp_path, os.O_RDONLY)
    inner, chain = top, [top]
    for _ in range(600):
        os.mkdir("deep-folder", dir_fd=inner)
        inner = os.open("deep-folder", os.O_RDONLY, dir_fd=inner)
        chain.append(inner)
    for descriptor in chain[1:]:
        os.close(descriptor)
    os.close(top)
    with opened(tmp_path) as descriptor:
        assert list(collect(descriptor, (EVERYTHING,), PLENTY, 9)[1].values()) == ["a folder, no regular file"]
        assert collect(descriptor, ("deep-folder/" * 500 + "x",), PLENTY, 9)[1]


def test_more_folders_than_are_looked_at_are_told() -> None:
    with scratch({str(number): {} for number in range(400)}) as descriptor:
        found, refused = collect(descriptor, (EVERYTHING,), PLENTY, 10)
        assert found == {} and refused == {EVERYTHING: "more than 103 files and folders"}
        assert collect(descriptor, (EVERYTHING,), PLENTY, 100) == ({}, {})
        assert count_files(descriptor, 10) == 10


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_is_closed_to_us_is_told(tmp_path: Path) -> None:
    fill(tmp_path, {"closed": {"file": b"x"}, "file": b"y", "open": b"z"})
    (tmp_path / "closed").chmod(0)
    (tmp_path / "file").chmod(0)
    try:
        with opened(tmp_path) as descriptor:
            found, refused = collect(descriptor, (EVERYTHING, "closed/file"), PLENTY, 9)
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert found == {"open": b"z"}
    assert refused == {
        "closed": "a folder, no regular file",
        "closed/file": "Permission denied",
        "file": "Permission denied",
    }
