"""Flags that leak into a frozen module are refused by the function that they reached, in real modules."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import UsageError
from harness.base.store import Store
from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.freeze.guards import check_module
from harness.sandbox.bench import Bench
from harness.toolchain import TARGETS, Toolchain
from tests.programs import own_program

C = """
#include <math.h>
#include <stdio.h>
static const char words[] = "this is a fast and contract text\\n  %1 = fadd fast double";
static double area(double r) { return 3.25 * r * r; }
int main(int argc, char **argv) { return printf("%s %f\\n", words, sqrt(area(argc))) > 0; }
"""
CXX = """
#include <stdexcept>
#include <string>
struct Global { std::string text; Global(); ~Global(); };
Global::Global() : text("global") {}
Global::~Global() {}
Global global;
void check(int x) { if (x > 3) throw std::runtime_error("large"); }
void never(int x) noexcept { check(x); }
int main(int argc, char **argv) { try { check(argc); never(argc); } catch (std::exception &) { return 1; } return 0; }
"""


def module(
    toolchain: Toolchain, folder: Path, level: Level, *flags: str, source: str = C, target: Target = Target.X86_64
) -> bytes:
    """The module's text, compiled as freeze does with flags of a package's own behind it."""
    name = "main.cc" if source is CXX else "main.c"
    (folder / name).write_text(source)
    options = [f"--target={TARGETS[target].triple}", f"-{level.value}", "-Xclang", "-disable-llvm-passes", *flags]
    command = [toolchain.tool("clang"), *options, "-S", "-emit-llvm", name, "-o", "-"]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60).stdout


def refused(ir: bytes, level: Level, *allowed: str) -> str:
    with pytest.raises(UsageError) as raised:
        check_module(ir, level, allowed, "suite/program")
    assert raised.value.where == "suite/program"
    assert raised.value.hint
    assert raised.value.message.startswith("a flag leaks into the frozen module: function")
    return raised.value.message.removeprefix("a flag leaks into the frozen module: function ")


@pytest.mark.parametrize("target", Target)
@pytest.mark.parametrize("source", [C, CXX], ids=["C", "C++"])
@pytest.mark.parametrize("level", Level)
def test_an_honest_module_passes(
    level: Level, source: str, target: Target, toolchain: Toolchain, tmp_path: Path
) -> None:
    """C++ with exceptions too, where clang makes one function of its own noinline."""
    check_module(module(toolchain, tmp_path, level, source=source, target=target), level, (), "suite/program")


@pytest.mark.parametrize("level", [Level.O1, Level.O3, Level.OZ])
@pytest.mark.parametrize("flag", ["-fno-inline", "-fno-inline-functions"])
def test_no_inline_is_refused(flag: str, level: Level, toolchain: Toolchain, tmp_path: Path) -> None:
    message = refused(module(toolchain, tmp_path, level, flag), level)
    assert " noinline, and the suite" in message
    assert "'main'" in message or "'area'" in message


@pytest.mark.parametrize("level", [Level.OZ, Level.OS, Level.O2])
def test_a_unit_of_another_level_is_refused(level: Level, toolchain: Toolchain, tmp_path: Path) -> None:
    message = refused(module(toolchain, tmp_path, level, "-O0"), level)
    assert ("is optnone" if level is Level.O2 else "lacks ") in message


def test_size_levels_are_told_apart(toolchain: Toolchain, tmp_path: Path) -> None:
    at_os, at_o2 = (module(toolchain, tmp_path, Level.OZ, flag) for flag in ("-Os", "-O2"))
    assert "lacks minsize at -Oz" in refused(at_os, Level.OZ)
    assert "lacks minsize at -Oz" in refused(at_o2, Level.OZ)
    assert "lacks optsize at -Os" in refused(at_o2, Level.OS)
    check_module(at_os, Level.OS, (), "suite/program")


def test_one_wrong_unit_among_right_ones_is_found(toolchain: Toolchain, tmp_path: Path) -> None:
    (tmp_path / "right.bc").write_bytes(module(toolchain, tmp_path, Level.OZ))
    (tmp_path / "wrong.bc").write_bytes(
        module(toolchain, tmp_path, Level.OZ, "-O3", source="int lone(int x) { return x; }")
    )
    command = [toolchain.tool("llvm-link"), "-S", "right.bc", "wrong.bc", "-o", "-"]
    linked = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60).stdout
    assert refused(linked, Level.OZ).startswith("'lone' lacks minsize")


@pytest.mark.parametrize("level", [Level.O0, Level.O2, Level.OZ])
@pytest.mark.parametrize(
    "flag", ["-ffast-math", "-ffinite-math-only", "-fassociative-math", "-freciprocal-math", "-ffp-contract=fast"]
)
def test_fast_math_is_refused_at_every_level(flag: str, level: Level, toolchain: Toolchain, tmp_path: Path) -> None:
    flags = ["-fno-signed-zeros", "-fno-trapping-math", flag] if flag == "-fassociative-math" else [flag]
    message = refused(module(toolchain, tmp_path, level, *flags), level)
    assert "has a fast-math instruction (" in message
    assert message.startswith(("'area'", "'main'"))


@pytest.mark.parametrize(
    ("source", "instruction"),
    [
        ("float one(double x) { return (float)x; }", "fptrunc"),
        ("double one(float x) { return x; }", "fpext"),
        ("double one(double x) { return -x; }", "fneg"),
        ("int one(double x) { return x < 1; }", "fcmp"),
        ("double sqrt(double); double one(double x) { return sqrt(x); }", "call"),
        ("double one(int c, double x, double y) { return c ? x : y; }", "phi"),
        ("double fmod(double, double); double one(double x) { return fmod(x, 3); }", "frem"),
    ],
)
def test_every_kind_of_fast_instruction_is_seen(
    source: str, instruction: str, toolchain: Toolchain, tmp_path: Path
) -> None:
    ir = module(toolchain, tmp_path, Level.O2, "-ffast-math", "-fno-math-errno", source=f"{source}\n{BEHIND}")
    message = refused(ir, Level.O2)
    assert message.startswith("'one' has a fast-math instruction (")
    assert instruction in message


BEHIND = "int behind(int x) { return x; }"
MARKED = """
__attribute__((noinline)) static int marked(int x) { return x * 3; }
int main(int argc, char **argv) { return marked(argc) == 4; }
"""


def frozen(folder: Path, level: Level, target: Target, toolchain: Toolchain, store: Store, **fields: Any) -> str:
    """Freeze a program of one function that its source marks; the digest of the module."""
    program = own_program(folder, {"main.c": MARKED}, **fields)
    return freeze(program, target, level, Bench(toolchain, store.root)).digest


@pytest.mark.parametrize("target", Target)
@pytest.mark.parametrize("level", [Level.OZ, Level.O1])
def test_a_noinline_of_the_source_must_be_listed(
    level: Level, target: Target, toolchain: Toolchain, store: Store, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as raised:
        frozen(tmp_path / "unlisted", level, target, toolchain, store)
    assert raised.value.where == f"made/program ({target.value}, -{level.value})"
    assert "function 'marked' is noinline" in raised.value.message
    assert "`noinline` in suite.toml" in (raised.value.hint or "")
    with pytest.raises(UsageError, match="'marked' is noinline"):
        frozen(tmp_path / "other", level, target, toolchain, store, noinline=("main", "mark", "marked2"))
    assert frozen(tmp_path / "listed", level, target, toolchain, store, noinline=("marked",))


def test_all_noinline_functions_are_named_at_once() -> None:
    """A database has eighty: one a round would be eighty builds."""
    bodies = "".join(f"\ndefine void @f{n}.12() #0 {{\n  ret void\n}}" for n in range(80))
    text = f"; module\n{bodies}\ndefine void @main() #1 {{\n  ret void\n}}\nattributes #0 = {{ noinline }}\n"
    text += "attributes #1 = { nounwind }\n"
    with pytest.raises(UsageError) as raised:
        check_module(text.encode(), Level.O2, ("f3",), "here")
    assert "functions 'f0', 'f1', 'f2', 'f4' and 75 more are noinline" in raised.value.message
    listed = json.loads((raised.value.hint or "").partition("noinline = ")[2])
    assert sorted(listed) == sorted(f"f{n}" for n in range(80))
    check_module(text.encode(), Level.O2, listed, "here")


def test_at_o0_every_function_is_noinline(toolchain: Toolchain, store: Store, tmp_path: Path) -> None:
    assert frozen(tmp_path, Level.O0, Target.X86_64, toolchain, store)


def test_switched_off_optimisation_is_refused_even_when_listed(
    toolchain: Toolchain, store: Store, tmp_path: Path
) -> None:
    source = "#pragma clang optimize off\nint main(void) { return 0; }\n"
    program = own_program(tmp_path, {"main.c": source}, noinline=("main",))
    with pytest.raises(UsageError, match=r"'main' (is optnone|lacks minsize)"):
        freeze(program, Target.X86_64, Level.OZ, Bench(toolchain, store.root))
    with pytest.raises(UsageError, match="'main' is optnone: no policy could optimise it"):
        freeze(program, Target.X86_64, Level.O2, Bench(toolchain, store.root))


def test_a_listed_function_may_have_the_number_that_linking_gives(toolchain: Toolchain, tmp_path: Path) -> None:
    """Two units with a local function of one name: the second becomes ``marked.12``. Nothing else is let through."""
    source = "__attribute__((noinline)) int marked(int x) { return x * 3; }\n"
    ir = module(toolchain, tmp_path, Level.O2, source=source)
    check_module(ir.replace(b"@marked(", b"@marked.12("), Level.O2, ["marked"], "suite/program")
    for other in (b"@marked.x(", b"@marked12(", b"@unmarked.12("):
        assert "is noinline" in refused(ir.replace(b"@marked(", other), Level.O2, "marked")
