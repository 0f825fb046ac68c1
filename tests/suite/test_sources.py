"""Source trees: only the pinned tarball is unpacked, whole or not at all; apt keeps its own settings."""

import gzip
import hashlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from harness.base.errors import PrerequisiteError, UsageError
from harness.base.progress import SilentObserver
from harness.base.store import Store
from harness.freeze.freeze import program_digest
from harness.problems.programs.run import make_request
from harness.problems.programs.stages import fetch_sources
from harness.run.engines import local_engine
from harness.sandbox.bench import Bench
from harness.suite import debian
from harness.suite.load import LoadedSuite, Program
from harness.suite.sources import fetched_tree, is_fetched, source_tree, tree_digest
from harness.suite.workloads import inputs_exist, prepare
from tests.programs import own_program, write_files
from tests.suite.hostile import debian_suite

FILES = {"main.c": b"int main(void) { return 0; }\n", "sub/part.c": b"int part;\n", "config.h": b"#define UPSTREAM\n"}


def tarball(path: Path, files: dict[str, bytes], top: str = "pack-1.0") -> bytes:
    """Write an orig tarball; returns its bytes."""
    with gzip.GzipFile(path, "wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path.read_bytes()


def suite(folder: Path, sha256: str, overlay: bool = False, more: str = "", inputs: str = "") -> LoadedSuite:
    over = 'overlay = "over"\n' if overlay else ""
    return debian_suite(folder, sha256, over + more, inputs=inputs)


@pytest.fixture
def offered(tmp_path: Path) -> Path:
    """A folder of tarballs, as ``--from`` takes it."""
    folder = tmp_path / "offered"
    folder.mkdir()
    return folder


@pytest.fixture
def cache(tmp_path: Path, bench: Bench) -> Bench:
    """A workbench on an empty cache, but for the sandbox's own program."""
    return empty_cache(tmp_path / "cache", bench)


def empty_cache(root: Path, bench: Bench) -> Bench:
    """A workbench on a new cache, which has the sandbox's own program already."""
    assert bench.sandbox
    shutil.copytree(bench.cache / "native", root / "native", dirs_exist_ok=True)
    return Bench(bench.toolchain, root)


def packed(offered: Path, folder: Path, files: dict[str, bytes] | None = None, overlay: bool = False) -> Program:
    """A program whose source is a tarball in ``offered``, pinned by its real digest."""
    content = tarball(offered / "pack_1.0.orig.tar.gz", files or FILES)
    return suite(folder, hashlib.sha256(content).hexdigest(), overlay).programs[0]


def content_of(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_an_offered_tarball_is_unpacked_once(offered: Path, tmp_path: Path, cache: Bench) -> None:
    program = packed(offered, tmp_path / "suite")
    assert not is_fetched(program, cache.store)
    tree = source_tree(program, cache, offered)
    assert content_of(tree.path) == FILES
    assert is_fetched(program, cache.store)
    shutil.rmtree(offered)
    again = source_tree(program, cache)  # no apt is asked: there is no such package
    assert again == tree
    assert tree.digest == tree_digest(program)


def test_a_tarball_that_was_never_unpacked_is_unpacked_by_the_next_run(
    offered: Path, tmp_path: Path, cache: Bench
) -> None:
    """Killed between the two: what comes before the freezing reads files of the tree, too."""
    program = packed(offered, tmp_path / "suite")
    shutil.rmtree(source_tree(program, cache, offered).path.parent)
    shutil.rmtree(offered)
    fetch_sources([program], cache, local_engine(1), SilentObserver())
    assert content_of(fetched_tree(program, cache.store).path) == FILES


def test_an_overlay_is_laid_over_and_part_of_the_digest(offered: Path, tmp_path: Path, cache: Bench) -> None:
    plain = packed(offered, tmp_path / "plain")
    trees = []
    for number, text in enumerate((b"#define OURS 1\n", b"#define OURS 2\n")):
        folder = tmp_path / f"suite{number}"
        write_files(folder / "over", {"config.h": text, "sub/more.h": b"\n"})
        program = packed(offered, folder, overlay=True)
        tree = source_tree(program, cache, offered)
        assert content_of(tree.path) == {**FILES, "config.h": text, "sub/more.h": b"\n"}
        trees.append(tree)
    assert len({tree_digest(plain), *(tree.digest for tree in trees)}) == 3
    assert content_of(source_tree(plain, cache, offered).path) == FILES


def test_an_overlay_that_is_not_there_is_named(offered: Path, tmp_path: Path, cache: Bench) -> None:
    program = packed(offered, tmp_path / "suite", overlay=True)
    with pytest.raises(UsageError) as raised:
        source_tree(program, cache, offered)
    assert raised.value.where == str(tmp_path / "suite" / "over")


@pytest.mark.parametrize("damage", ["truncated", "changed", "appended", "empty"])
@pytest.mark.parametrize("cached", [False, True])
def test_another_tarball_is_refused_by_name(
    damage: str, cached: bool, offered: Path, tmp_path: Path, cache: Bench
) -> None:
    program = packed(offered, tmp_path / "suite")
    if cached:
        source_tree(program, cache, offered)
    file = offered / "pack_1.0.orig.tar.gz"
    right = file.read_bytes()
    middle = len(right) // 2
    wrong = {
        "truncated": right[:-1],
        "changed": right[:middle] + bytes([right[middle] ^ 1]) + right[middle + 1 :],
        "appended": right + b"\0",
        "empty": b"",
    }[damage]
    file.write_bytes(wrong)
    with pytest.raises(UsageError) as raised:
        source_tree(program, cache, offered)
    error = raised.value
    assert error.where == str(file)
    assert hashlib.sha256(wrong).hexdigest() in error.message
    assert hashlib.sha256(right).hexdigest() in error.message
    assert f"({len(wrong)} bytes)" in error.message
    file.write_bytes(right)
    assert content_of(source_tree(program, cache, offered).path) == FILES


def test_a_missing_tarball_is_named(offered: Path, tmp_path: Path, cache: Bench) -> None:
    program = packed(offered, tmp_path / "suite")
    (offered / "pack_1.0.orig.tar.gz").unlink()
    with pytest.raises(UsageError) as raised:
        source_tree(program, cache, offered)
    assert raised.value.message == "pack_1.0.orig.tar.gz is not in this folder"
    assert raised.value.where == str(offered)
    assert "pack 1.0" in (raised.value.hint or "")
    with pytest.raises(UsageError):
        source_tree(program, cache, offered / "nowhere")


def test_a_pinned_file_that_is_no_archive_is_named(offered: Path, tmp_path: Path, cache: Bench) -> None:
    (offered / "pack_1.0.orig.tar.gz").write_bytes(b"not a tarball")
    program = suite(tmp_path / "suite", hashlib.sha256(b"not a tarball").hexdigest()).programs[0]
    with pytest.raises(UsageError, match="cannot be unpacked: file could not be opened successfully"):
        source_tree(program, cache, offered)


def test_names_that_leave_the_folder_are_not_unpacked(offered: Path, tmp_path: Path, cache: Bench) -> None:
    program = packed(offered, tmp_path / "suite", {**FILES, "../../../../escaped": b"x"})
    with pytest.raises(UsageError, match=r"refused: the name .* is no relative path inside the tree"):
        source_tree(program, cache, offered)
    assert not list(tmp_path.rglob("escaped"))


def test_own_sources_are_used_where_they_are(tmp_path: Path, cache: Bench) -> None:
    program = own_program(tmp_path / "a", {"main.c": "int main(void) { return 0; }"})
    tree = source_tree(program, cache)
    assert tree.path == tmp_path / "a" / "src" and is_fetched(program, cache.store)
    same = own_program(tmp_path / "b", {"main.c": "int main(void) { return 0; }"})
    other = own_program(tmp_path / "c", {"main.c": "int main(void) { return 1; }"})
    renamed = own_program(tmp_path / "d", {"prog.c": "int main(void) { return 0; }"})
    assert source_tree(same, cache).digest == tree.digest
    assert len({tree.digest, source_tree(other, cache).digest, source_tree(renamed, cache).digest}) == 3


def test_every_request_sees_the_sources_as_they_are_now(tmp_path: Path) -> None:
    """In one process, as in a notebook."""
    definition = suite(tmp_path, "0" * 64).file
    text = definition.read_text()
    start, end = text.index("[sources.pack]"), text.index("[[benchmarks]]")
    definition.write_text(text[:start] + '[sources.pack]\norigin = "own"\nlicence = "MIT"\npath = "."\n\n' + text[end:])
    digests = []
    for content in ("int main(void) { return 0; }", "int main(void) { return 1; }"):
        write_files(tmp_path, {"main.c": content})
        (program,) = make_request(str(definition), policies=["Oz"]).programs
        digests.append((tree_digest(program), program_digest(program)))
    assert digests[0][0] != digests[1][0] and digests[0][1] != digests[1][1]


def test_a_missing_source_folder_is_named(tmp_path: Path, cache: Bench) -> None:
    program = own_program(tmp_path, {"main.c": ""})
    shutil.rmtree(tmp_path / "src")
    with pytest.raises(UsageError) as raised:
        source_tree(program, cache)
    assert raised.value.where == str(tmp_path / "src")


FETCH = """
import sys
from pathlib import Path
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite
from harness.suite.sources import source_tree
from harness.toolchain import find_toolchain
program = load_suite(sys.argv[1]).programs[0]
bench = Bench(find_toolchain(), Path(sys.argv[2]))
print("ready", flush=True)
sys.stdin.readline()
source_tree(program, bench, Path(sys.argv[3]))
print("done", flush=True)
"""


def test_a_killed_fetch_leaves_nothing_that_breaks_the_next(offered: Path, tmp_path: Path, bench: Bench) -> None:
    files = {**FILES, **{f"many/{n:05d}.c": os.urandom(900) for n in range(200)}}
    program = packed(offered, tmp_path / "suite", files)
    finished = interrupted = 0
    for number, delay in enumerate((0.0, 0.03, 0.08, 0.15, 0.25, 5.0)):
        root = empty_cache(tmp_path / f"cache{number}", bench).cache
        arguments = [str(program.folder / "suite.toml"), str(root), str(offered)]
        with subprocess.Popen(
            [sys.executable, "-c", FETCH, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as child:
            assert child.stdin and child.stdout
            assert child.stdout.readline() == b"ready\n"
            child.stdin.write(b"go\n")
            child.stdin.flush()
            if delay < 1:
                time.sleep(delay)
            else:
                assert child.stdout.readline() == b"done\n"
            child.send_signal(signal.SIGKILL)
            child.wait(timeout=20)
        entry = Store(root).path("trees", tree_digest(program)) / "tree"
        if entry.exists():  # whatever is there under its final name is whole
            finished += 1
            assert content_of(entry) == files
        else:
            interrupted += 1
        assert content_of(source_tree(program, Bench(bench.toolchain, root), offered).path) == files
        shutil.rmtree(root, ignore_errors=True)  # an orphaned tar may still be writing there
    assert finished and interrupted


def test_leftovers_of_a_killed_fetch_go_away(offered: Path, tmp_path: Path, cache: Bench) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait(timeout=10)
    write_files(cache.cache / "tmp" / f"{gone.pid}-abc", {"entry/tree/half.c": "int"})
    mine = write_files(cache.cache / "tmp" / f"{os.getpid()}-abc", {"entry/tree/half.c": "int"})
    Store(cache.cache)
    assert list((cache.cache / "tmp").iterdir()) == [mine]


# --- apt


def test_one_line_lists_are_turned_into_source_lists() -> None:
    text = "\n".join(
        [
            "# deb http://commented.out stable main",
            "deb http://example.org/debian stable main contrib",
            "  deb [arch=amd64 signed-by=/usr/share/keyrings/k.gpg] http://example.org/x ./ # remark",
            "deb\tcdrom:[disc]/\tstable main",
            "deb-src http://example.org/debian stable main",
            "debby http://example.org nothing",
            "deb",
            "",
        ]
    )
    assert debian._source_lines(text).splitlines() == [
        "deb-src http://example.org/debian stable main contrib",
        "deb-src [arch=amd64 signed-by=/usr/share/keyrings/k.gpg] http://example.org/x ./ # remark",
        "deb-src cdrom:[disc]/\tstable main",
    ]
    assert debian._source_lines("") == ""


def test_deb822_stanzas_are_turned_into_source_stanzas() -> None:
    text = (
        "# Types: deb\nTypes: deb deb-src\nURIs: http://example.org/debian\nSuites: stable stable-updates\n"
        "Components: main\nSigned-By: /usr/share/keyrings/k.gpg\n\ntypes:deb\nURIs: file:/x\nSuites: ./\n"
    )
    assert debian._source_stanzas(text) == text.replace("\nTypes: deb deb-src\n", "\nTypes: deb-src\n").replace(
        "types:deb\n", "Types: deb-src\n"
    )


@pytest.fixture
def apt_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's source lists, replaced by an empty folder."""
    folder = tmp_path / "etc"
    (folder / "parts").mkdir(parents=True)
    monkeypatch.setattr(debian, "_SYSTEM_LISTS", folder / "sources.list")
    monkeypatch.setattr(debian, "_SYSTEM_PARTS", folder / "parts")
    return folder


def test_lists_without_a_last_newline_do_not_run_together(apt_lists: Path, tmp_path: Path) -> None:
    (apt_lists / "sources.list").write_text("deb http://one.example ./")
    (apt_lists / "parts" / "two.list").write_text("deb http://two.example ./")
    (apt_lists / "parts" / "three.sources").write_text("Types: deb\nURIs: http://three.example\nSuites: ./")
    (apt_lists / "parts" / "four.list.save").write_text("deb http://four.example ./")
    state = tmp_path / "state"
    debian._private_options(state)
    written = content_of(state / "parts")
    assert written["derived.list"] == b"deb-src http://one.example ./\ndeb-src http://two.example ./\n"
    assert written["three.sources"] == b"Types: deb-src\nURIs: http://three.example\nSuites: ./\n"
    assert len(written) == 2


def repository(folder: Path, version: str, content: bytes) -> str:
    """A package repository with one source package; returns its line for a one-line list."""
    name = f"pack_{version}.orig.tar.gz"
    files = {name: content, f"pack_{version}-1.debian.tar.xz": b"unused"}
    dsc = f"Format: 3.0 (quilt)\nSource: pack\nVersion: {version}-1\n".encode()
    files[f"pack_{version}-1.dsc"] = dsc
    write_files(folder, dict(files))
    sums = "".join(f" {hashlib.sha256(data).hexdigest()} {len(data)} {file}\n" for file, data in files.items())
    old = "".join(f" {hashlib.md5(data).hexdigest()} {len(data)} {file}\n" for file, data in files.items())
    index = f"Package: pack\nFormat: 3.0 (quilt)\nBinary: pack\nArchitecture: any\nVersion: {version}-1\nDirectory: .\n"
    write_files(folder, {"Sources": f"{index}Files:\n{old}Checksums-Sha256:\n{sums}\n"})
    return f"deb [trusted=yes] file:{folder} ./\n"


needs_apt = pytest.mark.skipif(shutil.which("apt-get") is None, reason="apt-get is not here")


@needs_apt
def test_apt_downloads_from_derived_lists(apt_lists: Path, offered: Path, tmp_path: Path, cache: Bench) -> None:
    program = packed(offered, tmp_path / "suite")
    content = (offered / "pack_1.0.orig.tar.gz").read_bytes()
    (apt_lists / "sources.list").write_text(repository(tmp_path / "mirror", "1.0", content))
    tree = source_tree(program, cache)
    assert content_of(tree.path) == FILES
    kept = cache.store.path("tarballs", program.source.sha256 or "")
    assert {path.name for path in kept.iterdir()} == {"pack_1.0.orig.tar.gz", ".sums"}  # and nothing of Debian's own


@needs_apt
def test_apt_lists_are_read_anew_when_they_are_out_of_date(
    apt_lists: Path, offered: Path, tmp_path: Path, cache: Bench
) -> None:
    program = packed(offered, tmp_path / "suite")
    content = (offered / "pack_1.0.orig.tar.gz").read_bytes()
    (apt_lists / "sources.list").write_text(repository(tmp_path / "mirror", "0.9", b"older"))
    with pytest.raises(UsageError) as raised:
        source_tree(program, cache)
    assert "apt offers another version of pack (got pack_0.9" in raised.value.message
    assert "--from DIR" in (raised.value.hint or "")
    shutil.rmtree(tmp_path / "mirror")
    repository(tmp_path / "mirror", "1.0", content)
    assert content_of(source_tree(program, cache).path) == FILES


@needs_apt
def test_what_apt_brings_is_checked_too(apt_lists: Path, offered: Path, tmp_path: Path, cache: Bench) -> None:
    program = packed(offered, tmp_path / "suite")
    (apt_lists / "sources.list").write_text(repository(tmp_path / "mirror", "1.0", b"something else"))
    with pytest.raises(UsageError, match=r"refused: its sha256 is [0-9a-f]{64}, but the suite pins [0-9a-f]{64}"):
        source_tree(program, cache)
    assert not is_fetched(program, cache.store)


@needs_apt
def test_a_package_that_apt_does_not_have(apt_lists: Path, offered: Path, tmp_path: Path, cache: Bench) -> None:
    program = packed(offered, tmp_path / "suite")
    (apt_lists / "sources.list").write_text("")
    with pytest.raises(PrerequisiteError, match="apt cannot download the source package pack") as raised:
        source_tree(program, cache)
    assert raised.value.exit_code == 3 and "--from DIR" in (raised.value.hint or "")


def test_without_apt_the_way_out_is_named(
    offered: Path, tmp_path: Path, cache: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = packed(offered, tmp_path / "suite")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PrerequisiteError, match="apt-get is not here") as raised:
        source_tree(program, cache)
    assert raised.value.exit_code == 3 and "--from DIR" in (raised.value.hint or "")


def test_a_second_release_lies_in_a_folder_of_the_tree(
    offered: Path, tmp_path: Path, cache: Bench, bench: Bench
) -> None:
    main = tarball(offered / "pack_1.0.orig.tar.gz", FILES)
    part = tarball(offered / "lib_2.0.orig.tar.gz", {"lib.c": b"int lib;\n", "model/data": b"numbers"}, "lib-2.0")
    more = f"""
[[sources.pack.parts]]
folder = "third/lib"
package = "lib"
version = "2.0"
tarball = "lib_2.0.orig.tar.gz"
sha256 = "{hashlib.sha256(part).hexdigest()}"
"""
    inputs = ', inputs = [{ file = "numbers", tree = "third/lib/model/data" }]'
    digest = hashlib.sha256(main).hexdigest()
    program = suite(tmp_path / "suite", digest, more=more, inputs=inputs).programs[0]
    assert tree_digest(program) != tree_digest(suite(tmp_path / "plain", digest).programs[0])
    tree = source_tree(program, cache, offered)
    assert content_of(tree.path) == {**FILES, "third/lib/lib.c": b"int lib;\n", "third/lib/model/data": b"numbers"}
    (ready,) = prepare(program, cache.store)
    assert ready.files["numbers"].read_bytes() == b"numbers"
    assert inputs_exist(program, cache.store)
    missing = suite(tmp_path / "missing", digest, more=more, inputs=inputs.replace("data", "dada")).programs[0]
    with pytest.raises(UsageError, match="the source tree has no file third/lib/model/dada"):
        prepare(missing, cache.store)
    (offered / "lib_2.0.orig.tar.gz").write_bytes(part + b"!")
    with pytest.raises(UsageError, match="refused: its sha256 is"):
        source_tree(program, empty_cache(tmp_path / "other", bench), offered)


@pytest.mark.parametrize(
    "item",
    [
        '{ file = "in" }',
        '{ file = "in", generator = "text" }',
        '{ file = "in", seed = 1 }',
        '{ file = "in", tree = "x", seed = 1 }',
        '{ file = "in", tree = "x", generator = "text", seed = 1 }',
        '{ file = "in", tree = "x", params = { size = 1 } }',
    ],
)
def test_an_input_is_generated_or_taken_from_the_tree(item: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs a generator and a seed, or the name of a file of the tree"):
        suite(tmp_path, "0" * 64, inputs=f", inputs = [{item}]")
