"""What is timed has the code that was measured, whose functions the linker moves."""

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from harness.apply import compile_plan
from harness.apply.plan import reference_plan
from harness.base.digest import digest_file
from harness.base.errors import CellError
from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.sandbox.bench import Bench
from harness.timing import twin as module
from harness.timing.same_code import code_of, differing
from harness.timing.twin import arranged, twin_of
from harness.toolchain import Toolchain
from harness.toolchain.elf import sections, symbols
from harness.verify.link import link_program
from tests.programs import own_program

SOURCE = """
#include <stdio.h>
#define KEEP __attribute__((noinline))
typedef int (*Step)(int);
static KEEP int twice(int value) { return value > 100 ? value - 7 : 2 * value; }
static KEEP int next(int value) {
  switch (value) {
  case 1: return twice(3);
  case 2: return 17;
  case 3: puts("three"); return 5;
  case 4: return twice(value) + 1;
  case 5: return 100 / value;
  default: return twice(value);
  }
}
KEEP int apply(Step step, int value) { return step(value); }
int main(int argc, char **argv) {
  printf("%d %d %d\\n", apply(twice, argc), apply(next, argc), next(argc + 1));
  return 0;
}
"""
"""With jumps to other functions, addresses of functions, a table of jumps."""


def compiled(folder: Path, toolchain: Toolchain, name: str, *flags: str, source: str = SOURCE) -> Path:
    """An object of it."""
    (folder / "main.c").write_text(source)
    made = folder / name
    command = [toolchain.tool("clang"), "-O2", "-fPIE", *flags, "-c", str(folder / "main.c"), "-o", str(made)]
    subprocess.run(command, check=True, timeout=60)
    return made


def test_functions_in_sections_of_their_own_are_the_same(toolchain: Toolchain, bench: Bench, tmp_path: Path) -> None:
    one = compiled(tmp_path, toolchain, "one.o")
    other = compiled(tmp_path, toolchain, "other.o", "-ffunction-sections")
    assert one.read_bytes() != other.read_bytes()
    assert differing(one, other, bench) == []
    assert set(code_of(one, bench)) == {"twice", "next", "apply", "main"}


def test_padding_and_the_length_of_jumps_are_no_difference(toolchain: Toolchain, bench: Bench, tmp_path: Path) -> None:
    one = compiled(tmp_path, toolchain, "one.o")
    other = compiled(tmp_path, toolchain, "other.o", "-ffunction-sections", "-falign-functions=64", "-falign-loops=32")
    assert differing(one, other, bench) == []


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("value - 7", "value - 8", ["twice"]),
        ("return 17", "return 18", ["next"]),
        ("case 4: return twice(value) + 1", "case 4: return apply(puts, value) + 1", ["next"]),
        ("apply(twice, argc)", "apply(next, argc)", ["main"]),
        ("value > 100", "value > 101", ["twice"]),
        ("static KEEP int twice", "KEEP int half(int value) { return value / 2; }\nstatic KEEP int twice", ["half"]),
    ],
)
def test_whatever_else_differs_is_named(
    before: str, after: str, found: list[str], toolchain: Toolchain, bench: Bench, tmp_path: Path
) -> None:
    source = SOURCE.replace("static KEEP int twice", "int apply(Step, int);\nint puts();\nstatic KEEP int twice", 1)
    source = source.replace("#include <stdio.h>", "int printf(const char *, ...);\nint puts();")
    source = source.replace("int apply(Step, int);\n", "int apply(int (*)(), int);\n").replace(
        "int (*Step)(int)", "int (*Step)()"
    )
    one = compiled(tmp_path, toolchain, "one.o", source=source)
    changed = source.replace(before, after, 1)
    assert changed != source
    other = compiled(tmp_path, toolchain, "other.o", "-ffunction-sections", source=changed)
    assert differing(one, other, bench) == found


def test_the_twin_is_of_the_same_decisions_and_is_checked(
    toolchain: Toolchain, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = own_program(tmp_path / "p", {"main.c": SOURCE.replace("__attribute__((noinline))", "")}, name="p")
    frozen = freeze(program, Target.X86_64, Level.O0, bench)
    plan = reference_plan(Level.O0, Target.X86_64)
    measured = compile_plan(frozen, plan, bench)
    twin = twin_of(measured.object, frozen, plan, bench)
    assert digest_file(twin) != measured.digest
    named = {section.name for section in sections(twin)}
    assert {".text.twice", ".text.next", ".text.apply", ".text.main"} <= named
    wrong = compiled(tmp_path, toolchain, "wrong.o", source=SOURCE.replace("value - 7", "value - 8"))
    with pytest.raises(CellError, match="other code in a section of its own: "):
        twin_of(wrong, frozen, plan, bench)
    monkeypatch.setattr(module, "differing", lambda *_: pytest.fail("checked twice"))
    assert twin_of(measured.object, frozen, plan, bench) == twin


def places(program: Path) -> dict[str, int]:
    """Function → address, of those of the source."""
    return {one.name: one.value for one in symbols(program) if one.name in ("twice", "next", "apply", "main")}


def test_each_layout_has_its_own_order_and_room(toolchain: Toolchain, bench: Bench, tmp_path: Path) -> None:
    program = own_program(tmp_path / "p", {"main.c": SOURCE}, name="p")
    twin = compiled(tmp_path, toolchain, "twin.o", "-ffunction-sections")
    orders, rooms, said = set(), set(), set()
    for layout in range(8):
        order = arranged(twin, layout, tmp_path / "placed.o")
        assert sorted(order) == ["apply", "main", "next", "twice"]
        linked = tmp_path / f"linked-{layout}"
        link_program(program.benchmark, Target.X86_64, tmp_path / "placed.o", linked, bench, layout, order)
        found = sorted(places(linked).items(), key=lambda one: one[1])
        assert [name for name, _ in found] == order
        orders.add(tuple(order))
        rooms |= {(a[0], (b[1] - a[1])) for a, b in pairwise(found)}
        said.add(subprocess.run([linked, "x"], capture_output=True, check=True, timeout=20).stdout)
        again = arranged(twin, layout, tmp_path / "again.o")
        assert again == order
        assert (tmp_path / "again.o").read_bytes() == (tmp_path / "placed.o").read_bytes()
    assert len(orders) > 4
    assert len(rooms) > 16, "not the same distances again and again"
    assert len(said) == 1


def test_what_two_objects_share_stands_alike_in_both(toolchain: Toolchain, tmp_path: Path) -> None:
    one = compiled(tmp_path, toolchain, "one.o", "-ffunction-sections")
    more = SOURCE.replace("KEEP int apply", "KEEP int more(int value) { return value + 1; }\nKEEP int apply")
    other = compiled(tmp_path, toolchain, "other.o", "-ffunction-sections", source=more)
    for layout in range(5):
        mine, theirs = (arranged(path, layout, tmp_path / "placed.o") for path in (one, other))
        assert [name for name in theirs if name != "more"] == mine
