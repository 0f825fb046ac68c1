"""Hostile tarballs: nothing is written outside the cache's entry, and what is refused is named."""

import gzip
import hashlib
import io
import json
import os
import shutil
import stat
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.sources import source_tree
from harness.suite.tree import Kind, check_tree, write_tree
from harness.suite.unpack import read_index, read_tarball
from tests.programs import write_files
from tests.suite.hostile import Member, debian_program, device, fifo, file, folder, hard, link, tar_of

MAIN = file("pack/main.c", b"int main(void) { return 0; }\n")
TARBALL = "pack_1.0.orig.tar.gz"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file of the user's, outside everything."""
    return write_files(tmp_path / "home", {"target": b"precious\n"}) / "target"


def unharmed(victim: Path) -> bool:
    return victim.read_bytes() == b"precious\n" and os.listdir(victim.parent) == ["target"]


REFUSED: dict[str, tuple[list[Member], str]] = {
    "absolute name": ([file("/tmp/evil", b"x")], "is no relative path"),
    "two dots": ([file("pack/../../evil", b"x")], "is no relative path"),
    "two dots behind the first folder": ([file("pack/a/../../../evil", b"x")], "is no relative path"),
    "absolute link": ([link("pack/out", "/etc")], "leads out of the source tree"),
    "relative link": ([link("pack/sub/out", "../../x")], "leads out of the source tree"),
    "link through a link": (
        [folder("pack/a"), link("pack/a/b", ".."), link("pack/out", "a/b/../x")],
        "leads out of the source tree",
    ),
    "file below a link": ([link("pack/out", "sub"), file("pack/out/x", b"x")], "lies below out, which is a link"),
    "file below a file": ([file("pack/a", b"x"), file("pack/a/x", b"x")], "lies below a, which is a file"),
    "link in a circle": ([link("pack/a", "b"), link("pack/b", "a")], "leads in a circle"),
    "link that becomes a file": ([link("pack/a", "main.c"), file("pack/a", b"x")], "is there twice"),
    "file that is there twice": ([file("pack/a", b"1"), file("pack/a", b"2")], "is there twice"),
    "hard link to a file of the host": ([hard("pack/a", "/etc/passwd")], "is no relative path"),
    "hard link to nothing": ([hard("pack/a", "pack/nothing")], "hard link to no file of the tarball"),
    "hard link to a link": ([link("pack/l", "main.c"), hard("pack/a", "pack/l")], "hard link to no file"),
    "device": ([device("pack/null")], "null is a device"),
    "FIFO": ([fifo("pack/pipe")], "pipe is a FIFO"),
    "set-user-id": ([file("pack/su", b"x", 0o4755)], "set-user-id"),
    "set-group-id": ([file("pack/sg", b"x", 0o2755)], "set-user-id, set-group-id"),
    "newline in a name": ([file("pack/a\nb", b"x")], "control characters"),
    "escape sequence in a name": ([file("pack/\x1b[2J", b"x")], "control characters"),
    "name that is not UTF-8": ([file("pack/\udcff", b"x")], "not UTF-8"),
    "right-to-left mark in a name": ([file("pack/\u202ea", b"x")], "control characters"),
    "name of 300 bytes": ([file("pack/" + "n" * 300, b"x")], "too long or too deep"),
    "200 folders deep": ([file("pack/" + "d/" * 200 + "x", b"x")], "too long or too deep"),
    "file without a folder": ([file("alone.c", b"x")], "is not in a folder"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_tree_may_hold_is_refused(name: str, tmp_path: Path, bench: Bench) -> None:
    members, message = REFUSED[name]
    tar_of([MAIN, *members], tmp_path / TARBALL)
    with pytest.raises(UsageError, match=message) as raised:
        check_tree(read_tarball(tmp_path / TARBALL, bench), "here")
    assert raised.value.where == str(tmp_path / TARBALL) and raised.value.message.isprintable()


def test_a_name_that_a_pax_header_replaces(tmp_path: Path, bench: Bench) -> None:
    member, content = file("pack/harmless", b"x")
    member.pax_headers = {"path": "../../evil"}
    tar_of([MAIN, (member, content)], tmp_path / TARBALL)
    with pytest.raises(UsageError, match="is no relative path"):
        read_tarball(tmp_path / TARBALL, bench)
    member.pax_headers, long = {}, file("pack/" + "d/" * 30 + "../" * 60 + "evil", b"x")
    tar_of([MAIN, long], tmp_path / TARBALL, tarfile.GNU_FORMAT)
    with pytest.raises(UsageError, match="is no relative path"):
        read_tarball(tmp_path / TARBALL, bench)


@pytest.mark.parametrize("way", ["overlay", "parts"])
def test_a_link_and_then_something_through_it(way: str, victim: Path, tmp_path: Path, bench: Bench) -> None:
    """The attack that overwrote a file outside."""
    offered = tmp_path / "offered"
    offered.mkdir()
    digest = tar_of([MAIN, link("pack/door", str(victim.parent))], offered / TARBALL)
    part = tar_of([file("lib/target", b"overwritten\n")], offered / "lib_1.orig.tar.gz")
    more = {
        "overlay": 'overlay = "over"',
        "parts": f"""
[[sources.pack.parts]]
folder = "door"
package = "lib"
version = "1"
tarball = "lib_1.orig.tar.gz"
sha256 = "{part}"
""",
    }[way]
    write_files(tmp_path / "suite" / "over" / "door", {"target": b"overwritten\n"})
    program = debian_program(tmp_path / "suite", digest, more)
    with pytest.raises(UsageError, match="refused"):
        source_tree(program, bench, offered)
    assert unharmed(victim)
    inside = tar_of([MAIN, folder("pack/sub"), link("pack/door", "sub")], offered / TARBALL)
    program = debian_program(tmp_path / "suite", inside, more)
    with pytest.raises(UsageError, match="door cannot be laid over the source tree, which has a link in that place"):
        source_tree(program, bench, offered)


def with_library(members: list[Member], library: list[Member], folder: str, place: Path) -> Program:
    """A program whose tarball has another one unpacked into a folder of its tree; both lie in ``place``."""
    place.mkdir(exist_ok=True)
    part = tar_of(library, place / "lib_1.orig.tar.gz")
    more = f"""
[[sources.pack.parts]]
folder = "{folder}"
package = "lib"
version = "1"
tarball = "lib_1.orig.tar.gz"
sha256 = "{part}"
"""
    return debian_program(place / "suite", tar_of([MAIN, *members], place / TARBALL), more)


def test_links_that_lead_out_only_together(tmp_path: Path, bench: Bench) -> None:
    """Each of two tarballs is in order by itself: the one's link leads through a folder that the other makes a link."""
    out = link("pack/out", "lib/here/../../home")
    for here, refused in ((folder("lib/here"), False), (link("lib/here", "."), True)):
        program = with_library([out], [here], "lib", tmp_path / str(refused))
        if refused:
            with pytest.raises(UsageError, match="the link out leads out of the source tree"):
                source_tree(program, bench, tmp_path / str(refused))
        else:
            assert source_tree(program, bench, tmp_path / str(refused)).path.is_dir()


def test_not_even_a_link_takes_a_links_place(tmp_path: Path, bench: Bench) -> None:
    program = with_library([folder("pack/sub"), link("pack/sub/a", "b")], [link("lib/a", "c")], "sub", tmp_path)
    with pytest.raises(UsageError, match="sub/a cannot be laid over the source tree, which has a link in that place"):
        source_tree(program, bench, tmp_path)


@pytest.mark.parametrize("where", ["file", "folder", "the overlay itself", "FIFO"])
def test_an_overlay_that_is_a_way_out(where: str, victim: Path, tmp_path: Path, bench: Bench) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    digest = tar_of([MAIN], tmp_path / TARBALL)
    if where == "the overlay itself":
        (suite / "over").symlink_to(victim.parent)
    else:
        (suite / "over").mkdir()
        if where == "FIFO":
            os.mkfifo(suite / "over" / "pipe")
        else:
            (suite / "over" / "stolen").symlink_to(victim if where == "file" else victim.parent)
    program = debian_program(suite, digest, 'overlay = "over"')
    with pytest.raises(UsageError, match="refused"):
        source_tree(program, bench, tmp_path)


def test_a_bomb_is_stopped(tmp_path: Path, bench: Bench) -> None:
    head = tarfile.TarInfo("pack/zeros")
    head.size = 3 << 30
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1, mtime=0) as out:
        out.write(head.tobuf(tarfile.GNU_FORMAT))
        out.write(bytes(1 << 20))
    (tmp_path / TARBALL).write_bytes(packed.getvalue())
    with pytest.raises(UsageError, match="more than 1024 MiB"):
        read_tarball(tmp_path / TARBALL, bench)
    files = [file("pack/big", bytes(4 << 20)), *(hard(f"pack/{n}", "pack/big") for n in range(300))]
    tar_of(files, tmp_path / TARBALL)
    with pytest.raises(UsageError, match="1024 MiB"):
        read_tarball(tmp_path / TARBALL, bench)


def test_too_many_members(tmp_path: Path, bench: Bench) -> None:
    once = file("pack/x")[0].tobuf(tarfile.USTAR_FORMAT)
    data = gzip.compress(once * 100_001 + bytes(1024), 1)
    (tmp_path / TARBALL).write_bytes(data)
    with pytest.raises(UsageError, match="more than 100000 members"):
        read_tarball(tmp_path / TARBALL, bench)


@pytest.mark.parametrize("umask", [0, 0o077])
def test_what_is_written_has_ordinary_modes_and_the_tarballs_times(umask: int, tmp_path: Path, bench: Bench) -> None:
    exact, content = file("pack/exact", b"x")
    exact.pax_headers = {"mtime": "1659638806.107815841"}
    empty, _ = folder("pack/empty")
    empty.pax_headers = exact.pax_headers
    members = [
        MAIN,
        file("pack/run", b"#!/bin/sh\n", 0o777),
        (exact, content),
        hard("pack/sub/again", "pack/main.c"),
        link("pack/sub/same", "../main.c"),
        folder("pack/sub"),
        (empty, b""),
        file("pack/other", f"{umask}\n".encode()),  # a tree of its own
    ]
    digest = tar_of(members, tmp_path / TARBALL)
    program = debian_program(tmp_path / "suite", digest)
    old = os.umask(umask)
    try:
        tree = source_tree(program, bench, tmp_path).path
    finally:
        os.umask(old)
    modes = {p.relative_to(tree).as_posix(): oct(p.lstat().st_mode) for p in tree.rglob("*") if not p.is_symlink()}
    assert modes == {
        **dict.fromkeys(("main.c", "exact", "other", "sub/again"), "0o100644"),
        "run": "0o100755",
        **dict.fromkeys(("sub", "empty"), "0o40755"),
    }
    assert (tree / "main.c").stat().st_mtime_ns == 1_000_000_000 * 10**9
    assert (tree / "exact").stat().st_mtime_ns == 1_659_638_806_107_815_841
    assert (tree / "empty").stat().st_mtime_ns == 1_659_638_806_107_815_841
    assert (tree / "sub" / "same").read_bytes() == MAIN[1]
    assert (tree / "sub" / "again").stat().st_nlink == 1
    shutil.rmtree(tree.parent)


def test_what_reads_the_tarball_is_nobody(tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that has been taken over writes nothing on the host and reads nothing of it."""
    spy = f"""
import os
open("index", "w").write(str(os.getuid()) + str(os.path.exists({str(tmp_path)!r})))
raise SystemExit(7)
"""
    write_files(tmp_path, {"unpacker.py": spy})
    monkeypatch.setattr("harness.suite.unpack._UNPACKER", tmp_path / "unpacker.py")
    tar_of([MAIN], tmp_path / TARBALL)
    seen = []
    run = bench.sandbox.run
    monkeypatch.setattr(type(bench.sandbox), "run", lambda _, job: seen.append(run(job)) or seen[-1])
    with pytest.raises(UsageError, match="cannot be unpacked"):
        read_tarball(tmp_path / TARBALL, bench)
    assert seen[0].results["index"] == b"65534False"


@pytest.mark.parametrize("form", ["gz", "bz2", "xz"])
def test_an_honest_tarball_in_each_compression(form: str, tmp_path: Path, bench: Bench) -> None:
    path = tmp_path / f"pack_1.0.orig.tar.{form}"
    with tarfile.open(path, f"w:{form}") as archive:  # type: ignore[call-overload]
        for member, content in (folder("./pack"), folder("./pack/sub"), file("./pack/sub/main.c", b"int x;")):
            archive.addfile(member, io.BytesIO(content))
    tree = read_tarball(path, bench)
    assert {name: bytes(e.content or b"") for name, e in tree.items() if e.kind is Kind.FILE} == {
        "sub/main.c": b"int x;"
    }
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert source_tree(debian_program(tmp_path / "suite", digest, tarball=path.name), bench, tmp_path).path.is_dir()


names = st.lists(st.sampled_from(["a", "b", "..", ".", "", "c\n", "pack"]), max_size=5).map("/".join)
kinds = st.sampled_from(["file", "folder", "link", "hard link", "FIFO", "device", "", "x" * 99])
numbers = st.one_of(st.integers(-1, 4), st.integers(), st.none(), st.text(max_size=2))
lines = st.tuples(kinds, names, numbers, numbers, numbers, names)


@given(
    st.one_of(
        st.lists(lines, max_size=6), st.lists(st.tuples(kinds, names, st.just(420), st.just(1), st.just(0), names))
    )
)
def test_no_list_of_entries_writes_outside(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[object]]
) -> None:
    """Whatever a reader that was taken over writes down, there is a tree inside one folder, or one clear error."""
    index = "".join(json.dumps(entry) + "\n" for entry in entries).encode()
    place = tmp_path_factory.mktemp("tree")
    (place / "in").mkdir()
    try:
        tree = read_index(index, memoryview(b"0123456789"), "here")
        check_tree(tree, "here")
        write_tree(tree, place / "in", "here")
    except UsageError as error:
        assert error.message.isprintable()
    assert os.listdir(place) == ["in"]
    for path in (place / "in").rglob("*"):
        mode = path.lstat().st_mode
        assert stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)
        assert (place / "in").resolve() in (path.parent.resolve(), *path.parent.resolve().parents)
        if stat.S_ISLNK(mode):
            assert path.resolve().is_relative_to((place / "in").resolve())


@pytest.mark.parametrize(
    "index", [b"[", b"[1]\n", b"null\n", b"[" * 5000, b'["file","p/a",420,0,99,""]\n', b"\xff\n", b"9" * 9000]
)
def test_a_list_that_is_none(index: bytes) -> None:
    with pytest.raises(UsageError, match="cannot be unpacked"):
        read_index(index, memoryview(b""), "here")
