"""Layouts: another order of code and data in each, one and the same program in all."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.base.errors import CellError
from harness.base.vocabulary import Target
from harness.sandbox import Job
from harness.sandbox.bench import Bench
from harness.suite.model import Benchmark
from harness.toolchain import Toolchain
from harness.verify.link import link_command, link_program
from tests.programs import own_program

C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int table[5000] = {3, 1, 2};
static char empty[5000];
const char *const words[] = {"one", "two", "three"};
__attribute__((constructor(101))) static void first(void) { strcat(empty, "first "); }
__attribute__((constructor)) static void later(void) { strcat(empty, "later "); }
__attribute__((destructor)) static void last(void) { puts("last"); }
static void at_end(void) { puts("at end"); }
int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  atexit(at_end);
  qsort(table, 3, sizeof *table, compare);
  printf("%s%d%d%d %s %.3f\n", empty, table[0], table[1], table[2], words[2], strtod("1.5", 0));
  return 0;
}
"""
C_PRINTS = b"first later 123 three 1.500\nat end\nlast\n"

CXX = r"""
#include <cstdio>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <typeinfo>
static std::string &log() { static std::string text; return text; }
struct Said {
  explicit Said(const char *name) : name(name) { log() += name; }
  ~Said() { std::printf("end of %s\n", name); }
  const char *name;
};
Said last("d");
__attribute__((init_priority(300))) Said third("c");
__attribute__((init_priority(150))) Said first("a");
__attribute__((init_priority(200))) Said second("b");
Said after("e");
struct Base { virtual ~Base() = default; virtual int number() const { return 1; } };
struct Derived : Base { int number() const override { return 2; } };
__attribute__((noinline)) static int thrower(int depth) {
  Said local("");
  if (depth == 0) throw std::out_of_range("too deep");
  return thrower(depth - 1) + 1;
}
int main() {
  std::cout << log() << std::endl;
  try {
    thrower(2);
  } catch (const std::logic_error &error) {
    std::cout << error.what() << std::endl;
  }
  try {
    (void)std::stoi("none");
  } catch (const std::exception &error) {
    std::cout << typeid(error).name() << std::endl;
  }
  Derived derived;
  const Base &base = derived;
  std::map<std::string, int> numbers{{"b", 2}, {"a", 1}};
  std::cout << numbers.begin()->first << dynamic_cast<const Derived &>(base).number() << std::endl;
  return 0;
}
"""
CXX_PRINTS = (
    b"abcde\nend of \nend of \nend of \ntoo deep\nSt16invalid_argument\na2\n"
    b"end of e\nend of d\nend of c\nend of b\nend of a\n"
)

LAYOUTS = range(10)
Link = Callable[[int | None], Path]


def linker(folder: Path, language: str, source: str, bench: Bench, *flags: str, target: Target = Target.X86_64) -> Link:
    """Builds the source, and links it in the layouts asked for."""
    name = "main.c" if language == "c" else "main.cc"
    benchmark = own_program(folder, {name: source}, language=language).benchmark
    compiler = bench.toolchain.tool("clang" if language == "c" else "clang++")
    triple = link_command(benchmark, target, "", "")[1]
    command = [compiler, triple, "-O1", *flags, "-c", str(folder / "src" / name), "-o", str(folder / "main.o")]
    subprocess.run(command, check=True, timeout=120)

    def link(layout: int | None) -> Path:
        program = folder / f"program-{layout}"
        link_program(benchmark, target, folder / "main.o", program, bench, layout)
        return program

    return link


def printed(program: Path, bench: Bench) -> bytes:
    done = bench.sandbox.run(Job("/program", files={"/program": program}))
    assert done.ok, done.reason_line()
    return done.stdout


def addresses(program: Path, toolchain: Toolchain) -> dict[str, int]:
    lines = subprocess.run(
        [toolchain.tool("llvm-nm"), program], check=True, capture_output=True, text=True, timeout=60
    ).stdout.splitlines()
    return {words[2]: int(words[0], 16) for line in lines if len(words := line.split()) == 3}


@pytest.mark.parametrize(
    ("language", "source", "prints", "flags"),
    [
        ("c", C, C_PRINTS, ()),
        ("c", C, C_PRINTS, ("-ffunction-sections", "-fdata-sections")),
        ("c++", CXX, CXX_PRINTS, ()),
        ("c++", CXX, CXX_PRINTS, ("-ffunction-sections", "-fdata-sections", "-fPIE")),
    ],
)
def test_the_program_is_the_same_in_every_layout(
    language: str, source: str, prints: bytes, flags: tuple[str, ...], bench: Bench, tmp_path: Path
) -> None:
    """What runs before and after main in its order, exceptions, constants, and what libc does with its own sections."""
    link = linker(tmp_path, language, source, bench, *flags)
    assert printed(link(None), bench) == prints
    programs = [link(layout) for layout in LAYOUTS]
    assert [printed(program, bench) for program in programs] == [prints] * len(LAYOUTS)
    assert len({program.read_bytes() for program in programs}) == len(LAYOUTS)


def test_code_and_data_are_elsewhere_in_another_layout(bench: Bench, tmp_path: Path) -> None:
    """The program's and libc's; and what is next to the program's code is another."""
    link = linker(tmp_path, "c", C, bench)
    found = [addresses(link(layout), bench.toolchain) for layout in (None, *LAYOUTS)]
    for name in ("main", "printf", "qsort", "table", "empty", "words"):
        assert len({one[name] for one in found}) >= len(LAYOUTS) - 1, name
    assert len({one["main"] - one["printf"] for one in found}) >= len(LAYOUTS) - 1
    for name in ("main", "table"):
        assert len({one[name] % 4096 for one in found}) > 3, name


@pytest.mark.parametrize("layout", [0, 1, (1 << 28) - 1, None])
def test_the_same_layout_gives_the_same_bytes(layout: int | None, bench: Bench, tmp_path: Path) -> None:
    link = linker(tmp_path, "c", C, bench)
    assert link(layout).read_bytes() == link(layout).read_bytes()


def test_two_objects_are_ordered_alike(bench: Bench, tmp_path: Path) -> None:
    """libc's sections come in one order: what differs between two policies is not the luck of the draw."""
    orders = []
    for name, source in (("one", C), ("two", C.replace("printf(", "return compare(table, table + 1) + printf("))):
        found = addresses(linker(tmp_path / name, "c", source, bench)(7), bench.toolchain)
        names = ("qsort", "printf", "strtod", "memcpy", "free", "exit", "_IO_puts", "main")
        orders.append(sorted(names, key=found.__getitem__))
    assert orders[0] == orders[1]


@pytest.mark.parametrize("target", Target)
def test_without_a_layout_nothing_is_shuffled(target: Target, tmp_path: Path) -> None:
    benchmark: Benchmark = own_program(tmp_path, {"main.c": C}).benchmark
    plain = link_command(benchmark, target, "in.o", "out")
    assert not any("shuffle" in word for word in plain)
    laid_out = link_command(benchmark, target, "in.o", "out", 5)
    assert [word for word in laid_out if "shuffle" not in word] == plain
    assert not any(name in word for word in laid_out for name in ("init", "fini", "ctors", "dtors", "=*="))


@pytest.mark.parametrize("target", Target)
@pytest.mark.parametrize(("language", "source"), [("c", C), ("c++", CXX)])
@pytest.mark.parametrize("layout", [None, 5])
def test_the_printed_command_gives_the_same_bytes(
    language: str, source: str, target: Target, layout: int | None, bench: Bench, tmp_path: Path
) -> None:
    """Repro scripts print clang's command; the harness asks clang what it would do, and starts the linker itself."""
    program = linker(tmp_path, language, source, bench, target=target)(layout)
    benchmark = own_program(tmp_path, {"main.c": ""}, language=language).benchmark
    command = link_command(benchmark, target, "program.o", "by-clang", layout)
    (tmp_path / "main.o").rename(tmp_path / "program.o")
    subprocess.run([bench.toolchain.tool(command[0]), *command[1:]], cwd=tmp_path, check=True, timeout=120)
    assert program.read_bytes() == (tmp_path / "by-clang").read_bytes()


def test_what_cannot_be_linked_is_one_clear_error(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(CellError, match=r"cannot be linked: undefined: nowhere; is a library missing"):
        linker(tmp_path, "c", "int nowhere(void); int main(void) { return nowhere(); }", bench)(3)
