"""The compile plan: two steps, each one command of a stock tool. A policy replaces one part of it.

1. *optimise*: ``clang -O<L> -x ir frozen.bc -emit-llvm -c -o opt.bc``
2. *generate*: ``clang -O<L> -x ir opt.bc -Xclang -disable-llvm-passes -c -o program.o``

Together they give the very object that clang gives in one step; ``harness doctor`` checks it.
"""

from dataclasses import dataclass

from harness.toolchain import TARGETS
from harness.vocabulary import Level, Target

__all__ = ["FROZEN", "OBJECT", "OPTIMISED", "CompilePlan", "Step", "clang_generate", "clang_optimise"]

FROZEN, OPTIMISED, OBJECT = "frozen.bc", "opt.bc", "program.o"
"""File names of a plan's input, intermediate and result, all in the folder that it runs in."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command: a tool of the toolchain and its arguments."""

    tool: str
    arguments: tuple[str, ...]
    reads: str
    """The file that it reads, in the folder that it runs in."""
    writes: str
    foreign: bool = False
    """Whether a submission had a say in the arguments: then it runs in the sandbox."""


@dataclass(frozen=True, slots=True)
class CompilePlan:
    """From the frozen module to the object."""

    optimise: Step
    generate: Step


def clang_optimise(level: Level, target: Target) -> Step:
    """The reference's first step."""
    return Step("clang", (*_common(level, target), FROZEN, "-emit-llvm", "-c", "-o", OPTIMISED), FROZEN, OPTIMISED)


def clang_generate(level: Level, target: Target, options: tuple[str, ...] = ()) -> Step:
    """The reference's second step; ``options`` of LLVM's code generator besides."""
    disable = ("-Xclang", "-disable-llvm-passes")
    extra = tuple(word for option in options for word in ("-mllvm", option))
    return Step("clang", (*_common(level, target), OPTIMISED, *disable, *extra, "-c", "-o", OBJECT), OPTIMISED, OBJECT)


def clang_direct(level: Level, target: Target, output: str) -> Step:
    """What the two steps must equal: clang's own way from the frozen module to an object."""
    return Step("clang", (*_common(level, target), FROZEN, "-c", "-o", output), FROZEN, output)


def _common(level: Level, target: Target) -> tuple[str, ...]:
    spec = TARGETS[target]
    return (f"--target={spec.triple}", *spec.cpu, f"-{level.value}", "-ffp-contract=off", "-fPIE", "-x", "ir")
