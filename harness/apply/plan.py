"""The compile plan: two steps, each one command of a stock tool. A policy replaces one part of it.

1. *optimise*: ``clang -O<L> -x ir frozen.bc -emit-llvm -c -o opt.bc``
2. *generate*: ``clang -O<L> -x ir opt.bc -Xclang -disable-llvm-passes -c -o program.o``

Together they give the very object that clang gives in one step; ``harness doctor`` checks it.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

from harness.base.vocabulary import Level, Target
from harness.freeze.facts import Fact
from harness.toolchain import TARGETS
from harness.toolchain.native import native_digest

__all__ = [
    "FROZEN",
    "OBJECT",
    "OPTIMISED",
    "Again",
    "CompilePlan",
    "Step",
    "clang_generate",
    "clang_optimise",
    "in_sections",
    "reference_plan",
]

FROZEN, OPTIMISED, OBJECT = "frozen.bc", "opt.bc", "program.o"
"""File names of a plan's input, intermediate and result, all in the folder that it runs in."""


@dataclass(frozen=True, slots=True)
class Again:
    """How a step is tried whose result may differ from process to process."""

    times: int
    """Processes beside the first."""
    otherwise: str
    """What to say where it differs."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command: a tool of the toolchain and its arguments."""

    tool: str
    arguments: tuple[str, ...]
    reads: str
    """The file that it reads, in the folder that it runs in."""
    writes: str
    plugin: str | None = None
    """The harness's own compiler plugin that it loads: ``NAME`` of ``native/NAME``, as ``NAME.so`` in its folder."""
    files: tuple[tuple[str, str], ...] = ()
    """Names and contents of what else it finds in its folder: decisions to follow."""
    unless: tuple[tuple[Fact, str], ...] = ()
    """Facts that the module which it reads must not have, each with what to say where it has them."""
    leaves: tuple[str, ...] = ()
    """Files that it writes besides."""
    again: Again | None = None
    """None where all processes are known to give the same."""

    @property
    def identity(self) -> dict[str, Any]:
        """What tells its result from another step's, as keys of the cache have it."""
        optional = ("plugin", "files", "unless", "leaves", "again")
        common = {name: value for name, value in asdict(self).items() if name not in optional}
        if self.unless:
            common["unless"] = [fact.value for fact, _ in self.unless]
        if self.plugin is None and not self.files:
            return common
        plugin = native_digest(self.plugin) if self.plugin else None
        return common | {"plugin": plugin, "files": dict(self.files)}


@dataclass(frozen=True, slots=True)
class CompilePlan:
    """From the frozen module to the object."""

    optimise: Step
    generate: Step

    @property
    def identity(self) -> dict[str, Any]:
        """See ``Step.identity``."""
        return {"optimise": self.optimise.identity, "generate": self.generate.identity}


def clang_optimise(
    level: Level,
    target: Target,
    plugin: str | None = None,
    options: tuple[str, ...] = (),
    files: tuple[tuple[str, str], ...] = (),
) -> Step:
    """The reference's first step; with one of the harness's plugins, LLVM ``options`` and ``files`` for it."""
    words = (*_common(level, target), FROZEN, *_extra(plugin, options), "-emit-llvm", "-c", "-o", OPTIMISED)
    return Step("clang", words, FROZEN, OPTIMISED, plugin=plugin, files=files)


def clang_generate(
    level: Level,
    target: Target,
    options: tuple[str, ...] = (),
    plugin: str | None = None,
    files: tuple[tuple[str, str], ...] = (),
) -> Step:
    """The reference's second step; with LLVM ``options``, one of the harness's plugins, and ``files`` for it."""
    words = (*_common(level, target), OPTIMISED, "-Xclang", "-disable-llvm-passes", *_extra(plugin, options))
    return Step("clang", (*words, "-c", "-o", OBJECT), OPTIMISED, OBJECT, plugin=plugin, files=files)


def reference_plan(level: Level, target: Target) -> CompilePlan:
    """Both steps as clang itself runs them."""
    return CompilePlan(clang_optimise(level, target), clang_generate(level, target))


def in_sections(plan: CompilePlan) -> CompilePlan:
    """The same with each function in a section of its own, so that a linker can move them."""
    generate = plan.generate
    return replace(plan, generate=replace(generate, arguments=("-ffunction-sections", *generate.arguments)))


def clang_direct(level: Level, target: Target, output: str) -> Step:
    """What the two steps must equal: clang's own way from the frozen module to an object."""
    return Step("clang", (*_common(level, target), FROZEN, "-c", "-o", output), FROZEN, output)


def _extra(plugin: str | None, options: tuple[str, ...]) -> tuple[str, ...]:
    load = () if plugin is None else (f"-fpass-plugin=./{plugin}.so",)
    return *load, *(word for option in options for word in ("-mllvm", option))


def _common(level: Level, target: Target) -> tuple[str, ...]:
    spec = TARGETS[target]
    return (f"--target={spec.triple}", *spec.cpu, f"-{level.value}", "-ffp-contract=off", "-fPIE", "-x", "ir")
