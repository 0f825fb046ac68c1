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

_SHUFFLED = (".text*", ".rodata*", ".data", ".data.*", ".bss*")


def link_command(
    benchmark: Benchmark, target: Target, linked_object: str, output: str, layout: int | None = None
) -> list[str]:
    """The command that links one object. Debian's clang finds libc and start files by the triple.

    ``layout``: seed (0 to 2**32 - 3) of a random order of code and data sections, the program's own among libc's;
    None: the linker's order. Sections whose order has a meaning (start-up code, constructors) keep it.
    """
    triple = TARGETS[target].triple
    flags = [f"--target={triple}", "-static", "-fuse-ld=lld"]
    if layout is not None:
        seed = layout + 1  # the linker takes 0 for "another order each time"
        flags += [f"-Wl,--shuffle-sections={kind}={seed}" for kind in _SHUFFLED]
    return [driver(benchmark), *flags, linked_object, *benchmark.link, "-o", output]


def link_program(
    benchmark: Benchmark,
    target: Target,
    linked_object: Path,
    output: Path,
    toolchain: Toolchain,
    store: Store,
    layout: int | None = None,
) -> None:
    """Link the object. Raises CellError (``compile-error``) when it cannot be linked."""
    command = link_command(benchmark, target, str(linked_object), str(output), layout)
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
