"""Our own native programs: built once, and again when what they are made of changes."""

import ctypes
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from harness.base.errors import PrerequisiteError
from harness.base.store import Store
from harness.toolchain import Toolchain, native
from harness.toolchain.native import llvm_plugin, native_program
from tests.drive import ROOT

SOURCE = "#include <stdio.h>\nint main(void) { puts(WORD); return 0; }\n"


class Programs:
    """A ``native/`` of one's own, and what was built from it."""

    def __init__(self, root: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = root / "native" / "word"
        self.folder.mkdir(parents=True)
        self.store = Store(root / "cache")
        self.toolchain = toolchain
        monkeypatch.setattr(native, "NATIVE_SOURCES", root / "native")
        self.write(SOURCE, '-O1 -DWORD="one"')

    def built(self) -> set[tuple[str, int, int]]:
        """Every file that the cache has of it; one that is built again is another file."""
        found = ((path, path.stat()) for path in self.store.root.rglob("word*"))
        return {(str(path), facts.st_ino, facts.st_mtime_ns) for path, facts in found}

    def write(self, source: str, flags: str) -> None:
        (self.folder / "word.c").write_text(source)
        (self.folder / "compile_flags.txt").write_text(flags.replace(" ", "\n") + "\n")

    def program(self, store: Store | None = None) -> Path:
        return native_program("word", self.toolchain, store or self.store)

    def says(self) -> str:
        return subprocess.run([self.program()], capture_output=True, text=True, check=True).stdout


PT_INTERP = 3
"""It names the loader of shared libraries."""


@pytest.fixture(autouse=True)
def in_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is built is kept there."""
    monkeypatch.delenv("HARNESS_BUILDS")


@pytest.fixture
def programs(tmp_path: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch) -> Programs:
    return Programs(tmp_path, toolchain, monkeypatch)


@pytest.fixture
def closed_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def program_headers(file: bytes) -> list[int]:
    """The types of a 64-bit ELF file's program headers."""
    (offset,) = struct.unpack_from("<Q", file, 32)
    size, count = struct.unpack_from("<HH", file, 54)
    return [int.from_bytes(file[at : at + 4], "little") for at in range(offset, offset + size * count, size)]


def test_what_takes_too_long_to_build(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is of CPU time: the clock's is ten times that."""
    lines = ["#define N0", *(f"#define N{n + 1} {f'N{n} ' * 16}" for n in range(12)), "int x = N12 1;"]
    programs.write("\n".join(lines), "-O1")
    monkeypatch.setattr(native, "_SECONDS", 1.0)
    with pytest.raises(
        PrerequisiteError, match=r"cannot be built: clang: stopped .* at its limit of 1 s of CPU time"
    ) as e:
        programs.program()
    assert "less busy" in str(e.value.hint)


def test_a_program_is_built_once_per_cache(programs: Programs, tmp_path: Path) -> None:
    assert programs.says() == "one\n"
    built = programs.built()
    assert programs.program() == programs.program(Store(tmp_path / "cache"))
    assert len(built) == 1 and programs.built() == built
    other = programs.program(Store(tmp_path / "other"))
    assert other != programs.program() and other.read_bytes() == programs.program().read_bytes()


def test_a_folder_beside_them_serves_all_caches(
    programs: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARNESS_BUILDS", str(tmp_path / "builds"))
    one, other = programs.program(), programs.program(Store(tmp_path / "other"))
    assert one == other and one.is_relative_to(tmp_path / "builds") and not programs.built()
    programs.write(SOURCE, '-O1 -DWORD="two"')
    assert programs.program() != one and programs.says() == "two\n"


def test_a_scratch_cache_takes_what_another_has(programs: Programs, tmp_path: Path) -> None:
    one = programs.program()
    assert programs.program(Store(tmp_path / "scratch", one.parents[3])) == one
    assert programs.program(Store(tmp_path / "scratch")) != one


def test_a_folder_that_cannot_be_is_named_with_its_variable(
    programs: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("HARNESS_BUILDS", str(tmp_path / "file"))
    with pytest.raises(PrerequisiteError) as raised:
        programs.program()
    assert "HARNESS_BUILDS" in str(raised.value.hint) and "file" in str(raised.value.where)


def test_it_is_built_again_when_source_flags_or_compiler_change(programs: Programs) -> None:
    first = programs.program()
    programs.write(SOURCE, '-O1 -DWORD="two"')
    assert programs.says() == "two\n"
    programs.write(SOURCE.replace("puts", "(void)puts"), '-O1 -DWORD="two"')
    assert programs.says() == "two\n"
    built = programs.built()
    assert len(built) == 3
    programs.write(SOURCE, '-O1 -DWORD="one"')
    assert programs.program() == first and programs.built() == built


def test_another_compiler_builds_anew(programs: Programs) -> None:
    first = programs.program()
    programs.toolchain = replace(programs.toolchain)
    vars(programs.toolchain)["fingerprint"] = replace(programs.toolchain.fingerprint, llvm="another")
    assert programs.program() != first and len(programs.built()) == 2


def test_everyone_may_start_it_and_it_needs_no_library(programs: Programs, closed_umask: None) -> None:
    program = programs.program()
    assert program.stat().st_mode & 0o777 == 0o755
    assert PT_INTERP not in program_headers(program.read_bytes())


@pytest.mark.parametrize(
    ("source", "flags", "words", "where"),
    [
        ("int main(void) { return missing; }", "-O1", "error: use of undeclared identifier 'missing'", "word/word.c"),
        ("int main(void) { int x; return 0; }", "-Wall -Werror", "error: unused variable 'x'", "word/word.c"),
        ("int elsewhere(void); int main(void) { return elsewhere(); }", "-O1", "linker command failed", "word"),
        ("int main(void) { return 0; }", "--no-such-flag", "--no-such-flag", "word/word.c"),
    ],
)
def test_what_does_not_compile_is_named_with_the_compilers_message(
    programs: Programs, source: str, flags: str, words: str, where: str
) -> None:
    programs.write(source, flags)
    for _ in range(2):
        with pytest.raises(PrerequisiteError, match="cannot be built: clang: exit status 1: ") as raised:
            programs.program()
        assert words in raised.value.message
        assert raised.value.where == str(programs.folder.parent / where)
        assert raised.value.hint == "apt-get install libc6-dev"
    programs.write(SOURCE, '-O1 -DWORD="three"')
    assert programs.says() == "three\n"


def test_the_guard_is_such_a_program(programs: Programs) -> None:
    shutil.copytree(ROOT / "native" / "guard", programs.folder.parent / "guard")
    guard = native_program("guard", programs.toolchain, programs.store)
    done = subprocess.run([guard, "nonsense"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "guard: not understood: nonsense\n")


UNITS = {
    "one.cpp": '#include "word.h"\nextern "C" int word() { return WORD + other(); }\n',
    "two.cpp": '#include "word.h"\n#include "llvm/Config/llvm-config.h"\nint other() { return LLVM_VERSION_MAJOR; }\n',
    "word.h": "#define WORD 100\nint other();\n",
    "compile_flags.txt": "-std=c++17\n-O1\n-fPIC\n",
}


class Plugins(Programs):
    """A compiler plugin of several files."""

    def __init__(self, root: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(root, toolchain, monkeypatch)
        (self.folder / "word.c").unlink()
        for name, content in UNITS.items():
            (self.folder / name).write_text(content)

    def plugin(self) -> Path:
        return llvm_plugin("word", self.toolchain, self.store)

    def answer(self) -> int:
        """What it computes, loaded from a copy: a library is loaded once for each path."""
        copy = self.folder.parent / f"{uuid4()}.so"
        shutil.copyfile(self.plugin(), copy)
        return int(ctypes.CDLL(str(copy)).word())


@pytest.fixture
def plugins(tmp_path: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch) -> Plugins:
    return Plugins(tmp_path, toolchain, monkeypatch)


def test_a_plugin_of_all_files_is_built_once(plugins: Plugins, closed_umask: None) -> None:
    assert plugins.answer() == 122
    built = plugins.built()
    assert plugins.plugin() == plugins.plugin() and plugins.built() == built
    assert sorted(path.name for path in plugins.plugin().parent.iterdir()) == [".sums", "word.so"]
    assert plugins.plugin().stat().st_mode & 0o777 == 0o755


def test_a_plugin_is_built_again_when_any_of_its_files_changes(plugins: Plugins) -> None:
    first = plugins.plugin()
    (plugins.folder / "word.h").write_text(UNITS["word.h"].replace("100", "200"))
    assert plugins.answer() == 222
    (plugins.folder / "two.cpp").write_text("int other() { return THREE; }\n")
    (plugins.folder / "compile_flags.txt").write_text("-fPIC\n-DTHREE=3\n")
    assert plugins.answer() == 203
    plugins.toolchain = replace(plugins.toolchain)
    vars(plugins.toolchain)["fingerprint"] = replace(plugins.toolchain.fingerprint, llvm="another")
    assert plugins.answer() == 203
    built = plugins.built()
    assert len(built) == 4
    for name, content in UNITS.items():
        (plugins.folder / name).write_text(content)
    plugins.toolchain = replace(plugins.toolchain)
    assert plugins.plugin() == first and plugins.built() == built


@pytest.mark.parametrize(
    ("file", "content", "said", "where"),
    [
        ("two.cpp", '#include "llvm/Missing.h"\n', "fatal error: 'llvm/Missing.h' file not found", "word/two.cpp"),
        ("word.h", "#define WORD missing\n", "error: use of undeclared identifier 'missing'", "word/one.cpp"),
        ("compile_flags.txt", "--no-such-flag\n", "--no-such-flag", "word/one.cpp"),
        ("one.cpp", UNITS["one.cpp"] + "int other() { return 1; }\n", "linker command failed", "word"),
    ],
    ids=["header", "source", "flag", "twice"],
)
def test_a_plugin_that_cannot_be_built(plugins: Plugins, file: str, content: str, said: str, where: str) -> None:
    (plugins.folder / file).write_text(content)
    with pytest.raises(PrerequisiteError, match=r"cannot be built: clang\+\+: exit status 1: ") as raised:
        plugins.plugin()
    assert said in raised.value.message
    assert raised.value.where == str(plugins.folder.parent / where)
    assert raised.value.hint == "apt-get install llvm-22-dev g++ libc6-dev"
    (plugins.folder / file).write_text(UNITS[file])
    assert plugins.answer() == 122
