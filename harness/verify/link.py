"""Linking an object to a program: statically, so that the emulator needs no library folder and a
run's instruction count does not contain a dynamic loader."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.bench import Bench
from harness.errors import CellError
from harness.freeze.commands import driver
from harness.suite.model import Benchmark
from harness.toolchain import TARGETS
from harness.tools import run_tool
from harness.vocabulary import Outcome, Target

__all__ = ["link_command", "link_program", "linked"]

_OBJECT, _PROGRAM = "program.o", "program"
_SECONDS = 120.0
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
    bench: Bench,
    layout: int | None = None,
) -> None:
    """Link the object, in the sandbox: an object can name files for the linker to read.

    Raises CellError (``compile-error``) when it cannot be linked.
    """
    driver_name, *words = link_command(benchmark, target, _OBJECT, _PROGRAM, layout)
    done = run_tool(driver_name, words, {_OBJECT: linked_object}, (_PROGRAM,), _SECONDS, bench)
    if not done.ok:
        raise CellError(Outcome.COMPILE_ERROR, f"cannot be linked: {done.reason_line()}", done.transient)
    if _PROGRAM not in done.results:
        raise CellError(Outcome.COMPILE_ERROR, f"cannot be linked: the program is {done.refused[_PROGRAM]}")
    output.write_bytes(done.results[_PROGRAM])
    output.chmod(0o755)


@contextmanager
def linked(benchmark: Benchmark, target: Target, linked_object: Path, bench: Bench) -> Iterator[Path]:
    """The object as a program that can be run, for as long as the context lasts. Raises what ``link_program`` does."""
    with bench.store.scratch() as scratch:
        program = scratch / "program"
        link_program(benchmark, target, linked_object, program, bench)
        yield program
