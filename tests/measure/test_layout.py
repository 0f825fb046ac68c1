"""Bytes of functions and sections: nothing is lost, whatever the object."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.base.vocabulary import Target
from harness.measure import Subject, find_metric
from harness.measure.layout import Change, changes, layout_of
from harness.toolchain import Toolchain

SOURCE = """
__attribute__((noinline)) int twice(int n) { return n * 2 + table[n & 3]; }
__attribute__((alias("twice"))) int again(int n);
__attribute__((section(".text.cold"), noinline)) int rare(int n) { return n - 7; }
int main(int argc, char **argv) { return twice(argc) + rare(argc) + text[argc]; }
"""
DATA = """
static const int table[4] = {1, 5, 9, 2};
static const char *const names[2] = {"one", "two"};
const char *text = "more text";
const char *const *all = names;
char zeros[1000];
"""
ASSEMBLY = """
.section .rodata.str1.1, "aMS", @progbits, 1
.asciz "abc"
.text
.globl outer
.type outer, @function
outer: nop
.globl inner
.type inner, @function
inner: nop
nop
.size inner, .-inner
ret
.size outer, .-outer
nop
.type empty, @function
empty:
"""


def compiled(source: str, folder: Path, toolchain: Toolchain, *flags: str, ending: str = "c") -> Path:
    file, made = folder / f"program.{ending}", folder / "program.o"
    file.write_text(source)
    subprocess.run([toolchain.tool("clang"), *flags, "-c", str(file), "-o", str(made)], check=True)
    return made


@pytest.mark.parametrize("flags", [("-Oz",), ("-O2",), ("-O2", "-ffunction-sections"), ("-Oz", "--target=aarch64")])
def test_all_bytes_are_accounted_for(flags: tuple[str, ...], tmp_path: Path, toolchain: Toolchain) -> None:
    made = compiled(DATA + SOURCE, tmp_path, toolchain, *flags)
    layout = layout_of(made)
    subject = Subject(made, Target.X86_64, 0, 0.0)
    assert layout.text == find_metric("size.text").measure(subject)
    assert layout.alloc == find_metric("size.alloc").measure(subject)
    assert layout.sections[".text"] == layout.text
    # One of the two names of the same bytes has them.
    assert len({"twice", "again"} & set(layout.functions)) == 1
    assert {"rare", "main"} <= set(layout.functions)
    assert all(size > 0 for size in layout.functions.values())
    assert ".rodata" in layout.sections and ".bss" not in layout.sections
    assert not any(name.startswith(".rodata.") for name in layout.sections), "sections of one purpose are one"
    assert 0 <= layout.between < 32, "only padding lies between functions"


def test_functions_within_functions_and_beside_them(tmp_path: Path, toolchain: Toolchain) -> None:
    """What two symbols cover counts once; what none covers is between; a symbol without a size has nothing."""
    layout = layout_of(compiled(ASSEMBLY, tmp_path, toolchain, ending="s"))
    assert (dict(layout.functions), layout.between) == ({"outer": 4}, 1)
    assert layout.sections == {".text": 5, ".rodata": 4}


def test_sizes_are_those_of_nm(tmp_path: Path, toolchain: Toolchain) -> None:
    made = compiled(DATA + SOURCE.replace("__attribute__((alias", "//"), tmp_path, toolchain, "-O2")
    words = [toolchain.tool("llvm-nm"), "--print-size", "--radix=d", str(made)]
    lines = [line.split() for line in subprocess.check_output(words, text=True).splitlines()]
    said = {line[3]: int(line[1]) for line in lines if len(line) == 4 and line[2] in "tT"}
    assert layout_of(made).functions == said


def test_no_object(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("int main;")
    with pytest.raises(UsageError, match="not a 64-bit"):
        layout_of(tmp_path / "file")


SIZES = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 100))


@given(SIZES, SIZES)
def test_changes_add_up(before: dict[str, int], after: dict[str, int]) -> None:
    rows = changes(before, after)
    assert sum(row.delta for row in rows) == sum(after.values()) - sum(before.values())
    assert {row.name for row in rows} == {*before, *after} and len(rows) == len({*before, *after})
    assert [abs(row.delta) for row in rows] == sorted((abs(row.delta) for row in rows), reverse=True)
    assert all(row == Change(row.name, before.get(row.name), after.get(row.name)) for row in rows)
