"""The reference's object of a program: clang's own plan at a level, on the module frozen at that level."""

from pathlib import Path

from harness.apply.compile import compile_plan
from harness.apply.plan import reference_plan
from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.sandbox.bench import Bench
from harness.suite.load import Program

__all__ = ["reference_object"]


def reference_object(program: Program, level: Level, target: Target, bench: Bench) -> tuple[Path, str]:
    """Object and digest of the program compiled by the reference plan of a level."""
    frozen = freeze(program, target, level, bench)
    compiled = compile_plan(frozen, reference_plan(level, target), bench)
    return compiled.object, compiled.digest
