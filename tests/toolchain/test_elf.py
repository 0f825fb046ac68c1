"""Sizes of real objects of both targets, against what LLVM's own tools say of them."""

import json
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.base.vocabulary import Target
from harness.measure.metrics.size import size_alloc, size_text
from harness.measure.registry import Subject
from harness.toolchain import TARGETS, Toolchain
from harness.toolchain.elf import SHF_ALLOC, SHF_EXECINSTR, SHT_NOBITS, relocations, sections, symbols

SOURCE = """
#include <stdio.h>
char zeroed[100000];
char filled[3000] = {1, 2, 3};
const char *const names[] = {"one", "two", "three"};
_Thread_local int mine, ours = 4;
__attribute__((constructor)) static void early(void) { *(volatile char *)&zeroed[7] = filled[2]; }
__attribute__((section(".text.cold.own"))) int cold(int x) { return x * 3; }
int twice(int x) { return 2 * x + ours; }
int main(int argc, char **argv) {
  zeroed[argc] = 1;
  mine = argc;
  printf("%s %d\\n", names[argc % 3], zeroed[argc] + twice(mine) + cold(argc));
  return 0;
}
"""
FLAGS = {
    "plain": ("-Oz",),
    "function sections": ("-Oz", "-ffunction-sections", "-fdata-sections"),
    "no unwind tables": ("-Oz", "-fno-asynchronous-unwind-tables"),
    "debug": ("-O0", "-g"),
    "pie": ("-O2", "-fPIE"),
}


def compiled(toolchain: Toolchain, target: Target, source: str, folder: Path, flags: tuple[str, ...]) -> Path:
    (folder / "main.c").write_text(source)
    command = [toolchain.tool("clang"), f"--target={TARGETS[target].triple}", *flags, "-c", "main.c", "-o", "main.o"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    return folder / "main.o"


def subject(path: Path) -> Subject:
    return Subject(path, Target.X86_64, 0, 0.0)


def said_by_readelf(toolchain: Toolchain, path: Path) -> list[tuple[int, int, int]]:
    """Type, flags and size of every section."""
    command = [toolchain.tool("llvm-readelf"), "--elf-output-style=JSON", "--sections", str(path)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    (file,) = json.loads(done.stdout)
    found = [entry["Section"] for entry in file["Sections"]]
    return [(s["Type"]["Value"], s["Flags"]["Value"], s["Size"]) for s in found]


def said_by_size(toolchain: Toolchain, path: Path) -> dict[str, int]:
    """``llvm-size -A``: bytes by section name, summed over sections of one name."""
    command = [toolchain.tool("llvm-size"), "-A", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    sizes: dict[str, int] = {}
    for line in done.stdout.splitlines()[2:]:
        words = line.split()
        if len(words) == 3 and words[1].isdigit():
            sizes[words[0]] = sizes.get(words[0], 0) + int(words[1])
    return sizes


@pytest.mark.parametrize("target", Target)
@pytest.mark.parametrize("kind", FLAGS)
def test_sizes_are_what_llvms_tools_say(kind: str, target: Target, toolchain: Toolchain, tmp_path: Path) -> None:
    path = compiled(toolchain, target, SOURCE, tmp_path, FLAGS[kind])
    mine = [(s.type, s.flags, s.size) for s in sections(path)]
    assert mine == said_by_readelf(toolchain, path)

    sizes = said_by_size(toolchain, path)
    unloaded = (".bss", ".tbss", ".comment", ".note.GNU-stack", ".debug", ".rel", ".llvm_addrsig", ".symtab", ".str")
    text = sum(size for name, size in sizes.items() if name.startswith(".text"))
    loaded = sum(size for name, size in sizes.items() if not name.startswith(unloaded) and name != "Total")
    assert size_text(subject(path)) == text > 50
    assert size_alloc(subject(path)) == loaded > text + 3000
    assert size_alloc(subject(path)) < 100_000 < sum(s.size for s in sections(path) if s.type == SHT_NOBITS)
    with_tables = ".eh_frame" in sizes
    assert with_tables == (kind != "no unwind tables")


@pytest.mark.parametrize("target", Target)
def test_relocations_are_what_llvms_tools_say(target: Target, toolchain: Toolchain, tmp_path: Path) -> None:
    path = compiled(toolchain, target, SOURCE, tmp_path, FLAGS["pie"])
    command = [toolchain.tool("llvm-readelf"), "--elf-output-style=JSON", "--relocations", str(path)]
    (file,) = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    there, named = sections(path), symbols(path)
    said = [
        (there[one["SectionIndex"]].info, r["Offset"], r["Type"]["Value"], r["Symbol"]["Name"], r["Addend"])
        for one in file["Relocations"]
        for r in (entry["Relocation"] for entry in one["Relocs"])
    ]
    mine = [
        (number, r.offset, r.kind, there[of.section].name if of.is_section else of.name, r.addend)
        for number, some in relocations(path).items()
        for r in some
        for of in [named[r.symbol]]
    ]
    unsigned = [(number, offset, kind, name, addend % 2**64) for number, offset, kind, name, addend in mine]
    assert sorted(unsigned) == sorted((*one[:4], one[4] % 2**64) for one in said)
    assert len(mine) > 10


def test_unwind_tables_are_loaded_but_no_text(toolchain: Toolchain, tmp_path: Path) -> None:
    """A policy that shrinks .text by growing .eh_frame gains nothing."""
    paths = []
    for name in ("plain", "no unwind tables"):
        folder = tmp_path / name
        folder.mkdir()
        paths.append(subject(compiled(toolchain, Target.X86_64, SOURCE, folder, FLAGS[name])))
    assert size_text(paths[0]) == size_text(paths[1])
    assert size_alloc(paths[0]) > size_alloc(paths[1])


@pytest.mark.slow
def test_an_object_of_more_sections_than_its_header_can_count(toolchain: Toolchain, tmp_path: Path) -> None:
    count = 70_000
    (tmp_path / "many.s").write_text("".join(f'.section .text.f{n},"ax"\n.byte 0x90\n' for n in range(count)))
    command = [toolchain.tool("clang"), "--target=x86_64-linux-gnu", "-c", "many.s", "-o", "many.o"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    path = tmp_path / "many.o"
    assert struct.unpack_from("<H", path.read_bytes(), 60) == (0,)  # e_shnum: see the first section header
    assert len(sections(path)) > count
    assert size_text(subject(path)) == size_alloc(subject(path)) == count


def test_an_empty_unit_has_no_size(toolchain: Toolchain, tmp_path: Path) -> None:
    path = compiled(toolchain, Target.AARCH64, "", tmp_path, ("-Oz",))
    assert (size_alloc(subject(path)), size_text(subject(path))) == (0, 0)


@pytest.fixture(scope="module")
def whole(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a real object."""
    return compiled(toolchain, Target.X86_64, "int x = 3;", tmp_path_factory.mktemp("object"), ("-Oz",)).read_bytes()


def refused(content: bytes, folder: Path) -> None:
    path = folder / "file"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="not a 64-bit little-endian ELF object") as raised:
        sections(path)
    assert raised.value.where == str(path)


def test_what_is_no_object_is_refused(whole: bytes, tmp_path: Path) -> None:
    for content in (b"", b"\x7fELF", b"BC\xc0\xde" + whole, whole[:63], whole[:-1], b"#!/bin/sh\n" * 50):
        refused(content, tmp_path)
    refused(whole[:4] + b"\x01" + whole[5:], tmp_path)  # 32 bits
    refused(whole[:5] + b"\x02" + whole[6:], tmp_path)  # big-endian


@given(cut=st.integers(0, 2000), place=st.integers(0, 2000), patch=st.binary(max_size=12))
def test_a_damaged_object_is_refused_or_read(
    cut: int, place: int, patch: bytes, whole: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.o"
    path.write_bytes((whole[:place] + patch + whole[place + len(patch) :])[: len(whole) - cut or None])
    try:
        for section in sections(path):
            assert section.flags & (SHF_ALLOC | SHF_EXECINSTR) >= 0
    except UsageError:
        pass
