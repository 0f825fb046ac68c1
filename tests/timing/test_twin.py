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
from harness.timing.assembled import assembled
from harness.timing.same_code import differing
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
    assert set(assembled(one, bench).functions) == {"twice", "next", "apply", "main"}


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


DATA = """
typedef int (*Step)(int);
int puts(const char *);
#define KEEP __attribute__((noinline))
int g[8];
int set[4] = {1, 2, 3, 4};
static const int primes[40] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
static const char *const words[] = {"zero", "one", "two", "three"};
KEEP static int up(int x) { return x * 3 + set[x & 3]; }
KEEP static int down(int x) { return x * 5 - g[3]; }
static const Step steps[] = {up, down, up};
static int *at = &g[4];
KEEP void store(void) { g[1] = 5; }
KEEP int load(int x) { return x + g[3]; }
KEEP int above(double *p) { return p[0] > 2.5; }
KEEP int prime(int x) { return primes[x - 3]; }
KEEP void say(int x) { puts(words[x & 3]); puts("and so on"); }
KEEP int step(int x) { return steps[x % 3](x); }
KEEP int through(int x) { return *at += x; }
KEEP const char *word(int x) {
  switch (x) { case 0: return "a"; case 1: return "bc"; case 2: return "def";
              case 3: return "ghij"; case 4: return "k"; }
  return "";
}
KEEP int jump(int x) {
  switch (x) {
  case 0: puts("0"); return g[0];
  case 1: return up(x) + 1;
  case 2: store(); return 3;
  case 3: return down(7);
  case 4: say(x); return 9;
  case 5: return load(x) / x;
  }
  return 0;
}
"""
"""With variables, constants of all sorts, tables of pointers and of jumps."""


@pytest.mark.parametrize("flag", ["-O1", "-O2", "-O3", "-Os"])
def test_data_that_stands_elsewhere_is_the_same(flag: str, toolchain: Toolchain, bench: Bench, tmp_path: Path) -> None:
    one = compiled(tmp_path, toolchain, "one.o", flag, source=DATA)
    other = compiled(tmp_path, toolchain, "other.o", flag, "-ffunction-sections", source=DATA)
    assert differing(one, other, bench) == []


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("g[1] = 5", "g[1] = 7", ["store"]),
        ("g[1] = 5", "g[2] = 5", ["store"]),
        ("x + g[3]", "x + g[6]", ["load"]),
        ("> 2.5", "> 9.5", ["above"]),
        ("primes[x - 3]", "primes[x - 2]", ["prime"]),
        ("2, 3, 5, 7", "2, 3, 5, 9", ["primes"]),
        ('"three"', '"seven"', [".L.str.12"]),
        ('"and so on"', '"and so 0n"', [".L.str"]),
        ("{up, down, up}", "{up, down, down}", [".data.rel.ro"]),
        ("&g[4]", "&g[5]", ["through"]),
        ("{1, 2, 3, 4}", "{1, 2, 3, 5}", [".data"]),
        ('return "def"', 'return "dex"', [".L.str.3"]),
        ("int g[8]", "int g[9]", [".bss"]),
    ],
)
def test_data_that_differs_is_named(
    before: str, after: str, found: list[str], toolchain: Toolchain, bench: Bench, tmp_path: Path
) -> None:
    changed = DATA.replace(before, after, 1)
    assert changed != DATA
    one = compiled(tmp_path, toolchain, "one.o", source=DATA)
    other = compiled(tmp_path, toolchain, "other.o", "-ffunction-sections", source=changed)
    assert differing(one, other, bench) == found


def test_a_table_of_jumps_that_leads_elsewhere_is_a_difference(
    toolchain: Toolchain, bench: Bench, tmp_path: Path
) -> None:
    """The instructions are equal: only the table says which case is which."""
    one = compiled(tmp_path, toolchain, "one.o", source=DATA)
    other = compiled(tmp_path, toolchain, "other.o", "-ffunction-sections", source=DATA)
    (table,) = [n for n, section in enumerate(sections(other)) if section.name == ".rodata.jump"]
    rela = next(s for s in sections(other) if s.type == 4 and s.info == table)
    data = bytearray(other.read_bytes())
    first, second = (slice(rela.offset + 24 * n + 16, rela.offset + 24 * n + 24) for n in (0, 1))
    targets = [int.from_bytes(data[one], "little", signed=True) for one in (first, second)]
    data[first], data[second] = ((targets[n] + d).to_bytes(8, "little", signed=True) for n, d in ((1, -4), (0, 4)))
    other.write_bytes(data)
    assert differing(one, other, bench) == ["jump"]


def test_a_jump_into_padding_is_a_difference(toolchain: Toolchain, bench: Bench, tmp_path: Path) -> None:
    """What stands before an aligned block is one instruction of many bytes: a jump to the middle of it is none to its
    end."""
    flags = ("-mllvm", "-align-all-blocks=5", "-ffunction-sections")
    one = compiled(tmp_path, toolchain, "one.o", *flags, source=DATA)
    other = compiled(tmp_path, toolchain, "other.o", *flags, source=DATA)
    (table,) = [n for n, section in enumerate(sections(other)) if section.name == ".rodata.jump"]
    rela = next(s for s in sections(other) if s.type == 4 and s.info == table)
    whole = other.read_bytes()
    for place in range(rela.offset + 16, rela.offset + rela.size, 24):
        data = bytearray(whole)
        data[place : place + 8] = (int.from_bytes(data[place : place + 8], "little") - 2).to_bytes(8, "little")
        other.write_bytes(data)
        assert differing(one, other, bench) == ["jump"]


def test_a_byte_that_is_no_instruction_is_not_passed_over(toolchain: Toolchain, bench: Bench, tmp_path: Path) -> None:
    """Zeros in code are read as instructions too."""
    source = '__asm__(".text; .globl odd; .type odd,@function; odd: .zero 64; .byte %s; ret");'
    one, other = (compiled(tmp_path, toolchain, f"{n}.o", source=source % n) for n in ("1", "3"))
    assert differing(one, one, bench) == []
    assert differing(one, other, bench) == ["odd"]


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
    with pytest.raises(CellError, match="other code or data with functions in sections of their own: "):
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
