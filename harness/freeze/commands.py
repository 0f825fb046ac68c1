"""The exact commands of the freeze step. ``freeze`` runs them, ``harness repro`` prints them."""

import shlex
from collections.abc import Callable, Sequence

from harness.base.vocabulary import Level, Target
from harness.sandbox.tools import NO_DATE
from harness.suite.model import Benchmark, Build
from harness.toolchain import TARGETS

__all__ = [
    "COUNT",
    "MODULE_SUFFIX",
    "SANITIZE",
    "build_environment",
    "build_script",
    "build_steps",
    "compile_unit",
    "driver",
    "freezing_flags",
    "internalize",
    "link_units",
    "sanitizer_environment",
]

MODULE_SUFFIX = ".0.2.internalize.bc"
"""What lld's save-temps puts behind a program's name, for the whole-program module before any pass."""
SANITIZE = ("-O1", "-g", "-ffp-contract=off", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
"""Flags of a build that watches itself."""
COUNT = "print<func-properties>"
"""LLVM's analysis that counts a function's instructions."""
_NO_PASS = ("-Xclang", "-disable-llvm-passes", "-ffp-contract=off", "-fPIE")
"""No pass is run; and without the second, the targets' floating-point output differs."""


def driver(benchmark: Benchmark) -> str:
    """The clang driver of the program's language."""
    return "clang++" if benchmark.language == "c++" else "clang"


def compile_unit(benchmark: Benchmark, target: Target, level: Level, source: str, output: str) -> list[str]:
    """One translation unit to bitcode with no pass run. To be run in the source tree: paths are
    relative, so that the module does not depend on where the tree is."""
    return [
        driver(benchmark),
        *freezing_flags(target, level),
        *benchmark.flags,
        *(f"-D{define}" for define in benchmark.defines),
        *(f"-I{folder}" for folder in benchmark.include),
        "-emit-llvm",
        "-c",
        source,
        "-o",
        output,
    ]


def freezing_flags(target: Target, level: Level) -> list[str]:
    """What clang is told of every unit, whosever it is: for which target and level, and that no pass is run."""
    spec = TARGETS[target]
    return [f"--target={spec.triple}", *spec.cpu, f"-{level.value}", *_NO_PASS]


def link_units(units: list[str], output: str) -> list[str]:
    """All units to one module, in the suite's order."""
    return ["llvm-link", *units, "-o", output]


def internalize(module: str, output: str, *, counting: bool = False) -> list[str]:
    """Keep ``main``, make the rest local, drop what nothing reaches. Without this, every inlined
    callee's body would stay and "never inline" would be rewarded.

    ``counting``: also print, on standard error, how many instructions each function of the result has."""
    passes = ",".join(["internalize", "globaldce", *([COUNT] if counting else [])])
    return ["opt", f"-passes={passes}", "-internalize-public-api-list=main", module, "-o", output]


def build_environment(target: Target, level: Level, tool: Callable[[str], str]) -> dict[str, str]:
    """The variables under which a package's own build makes LTO modules with no pass run. ``tool``: name → command."""
    spec = TARGETS[target]
    # Behind a package's own flags, whose -ffast-math these undo: contraction last, since -fno-fast-math sets it.
    flags = [f"-{level.value}", *spec.cpu, "-fno-fast-math", *_NO_PASS, "-flto"]
    return _environment(
        tool,
        (f"--target={spec.triple}",),
        flags,
        ["-static", "-fuse-ld=lld", "-flto", "-Wl,--lto-O0", "-Wl,--save-temps"],
    )


def sanitizer_environment(unsanitized: Sequence[str], tool: Callable[[str], str]) -> dict[str, str]:
    """The variables under which a package's own build makes a program that watches itself."""
    flags = [*SANITIZE, *(f"-fno-sanitize={check}" for check in unsanitized)]
    return _environment(tool, (), flags, ["-fuse-ld=lld", *flags])


def _environment(
    tool: Callable[[str], str], always: Sequence[str], flags: Sequence[str], link: Sequence[str]
) -> dict[str, str]:
    return {
        "CC": " ".join([tool("clang"), *always]),
        "CXX": " ".join([tool("clang++"), *always]),
        "AR": tool("llvm-ar"),
        "RANLIB": tool("llvm-ranlib"),
        "NM": tool("llvm-nm"),
        "CFLAGS": " ".join(flags),
        "CXXFLAGS": " ".join(flags),
        "LDFLAGS": " ".join(link),
        **NO_DATE,
    }


def build_steps(build: Build, target: Target) -> list[list[str]]:
    """The build's commands, with the target's triple put in."""
    return [[word.replace("{host}", TARGETS[target].triple) for word in step] for step in build.steps]


def build_script(build: Build, target: Target, archive: str) -> str:
    """Unpack the tree, do the steps; each is named on standard output before it begins."""
    lines = [
        "mkdir tree",
        f"tar --extract --file {shlex.quote(archive)} --directory tree",
        f"rm {shlex.quote(archive)}",
        "cd tree",
    ]
    for step in build_steps(build, target):
        command = shlex.join(step)
        lines += [f"echo step {shlex.quote(command)}", command]
    return "\n".join(lines) + "\n"
