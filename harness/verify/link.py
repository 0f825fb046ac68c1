"""Linking an object to a program: statically, so that the emulator needs no library folder and a
run's instruction count does not contain a dynamic loader."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.bench import Bench
from harness.errors import CellError
from harness.freeze.commands import driver
from harness.process import Limits, run
from harness.store import Store
from harness.suite.model import Benchmark
from harness.toolchain import TARGETS, Toolchain
from harness.vocabulary import Outcome, Target

__all__ = ["link_command", "link_program", "linked"]


def link_command(benchmark: Benchmark, target: Target, linked_object: str, output: str) -> list[str]:
    """The command that links one object. Debian's clang finds libc and start files by the triple."""
    triple = TARGETS[target].triple
    flags = [f"--target={triple}", "-static", "-fuse-ld=lld"]
    return [driver(benchmark), *flags, linked_object, *benchmark.link, "-o", output]


def link_program(
    benchmark: Benchmark, target: Target, linked_object: Path, output: Path, toolchain: Toolchain, store: Store
) -> None:
    """Link the object. Raises CellError (``compile-error``) when it cannot be linked."""
    command = link_command(benchmark, target, str(linked_object), str(output))
    done = run([toolchain.tool(command[0]), *command[1:]], cwd=output.parent, limits=Limits(wall=120))
    if not done.ok:
        store.require_space(done.stderr)
        raise CellError(Outcome.COMPILE_ERROR, f"cannot be linked: {done.reason()}", done.transient)


@contextmanager
def linked(benchmark: Benchmark, target: Target, linked_object: Path, bench: Bench) -> Iterator[Path]:
    """The object as a program that can be run, for as long as the context lasts. Raises what ``link_program`` does."""
    with bench.store.scratch() as scratch:
        program = scratch / "program"
        link_program(benchmark, target, linked_object, program, bench.toolchain, bench.store)
        yield program
