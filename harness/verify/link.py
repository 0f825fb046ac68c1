"""Linking an object to a program: statically, so that the emulator needs no library folder and a
run's instruction count does not contain a dynamic loader.

clang is asked once what it has the linker do. The linker is then started by itself: starting clang each time would
cost almost as much as linking.
"""

import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path

from harness.base.errors import CellError, PrerequisiteError
from harness.base.process import Limits, run
from harness.base.vocabulary import Outcome, Target
from harness.freeze.commands import driver
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job
from harness.suite.model import Benchmark
from harness.toolchain import TARGETS, Toolchain

__all__ = ["link_command", "link_program", "linked"]

_OBJECT, _PROGRAM, _ORDER = "program.o", "program", "order.txt"
_SECONDS = 120.0
_UNDEFINED, _SHOWN = re.compile(r"undefined symbol: (\S+)"), 8
_ASKING = Limits(wall=60)
_SHUFFLED = (".text*", ".rodata*", ".data", ".data.*", ".bss*")


def link_command(
    benchmark: Benchmark, target: Target, linked_object: str, output: str, layout: int | None = None
) -> list[str]:
    """The command that links one object. Debian's clang finds libc and start files by the triple.

    ``layout``: seed (0 to 2**32 - 3) of a random order of code and data sections, the program's own among libc's;
    None: the linker's order. Sections whose order has a meaning (start-up code, constructors) keep it.
    """
    triple = TARGETS[target].triple
    flags = [f"--target={triple}", "-static", "-fuse-ld=lld", *(f"-Wl,{option}" for option in _shuffling(layout))]
    return [driver(benchmark), *flags, linked_object, *benchmark.link, "-o", output]


def _shuffling(layout: int | None) -> list[str]:
    """The linker's options for a layout."""
    if layout is None:
        return []
    seed = layout + 1  # the linker takes 0 for "another order each time"
    return [f"--shuffle-sections={kind}={seed}" for kind in _SHUFFLED]


@lru_cache(maxsize=64)
def _linker_words(toolchain: Toolchain, command: tuple[str, ...]) -> tuple[str, ...]:
    """What clang has the linker do for its ``command``: the linker's words. Raises PrerequisiteError."""
    own = toolchain.tool("ld.lld")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, _OBJECT).touch()  # clang leaves out what is not there
        done = run([toolchain.tool(command[0]), "-###", *command[1:]], cwd=Path(folder), limits=_ASKING)
    said = done.stderr.decode(errors="replace").strip().splitlines()
    words = shlex.split(said[-1]) if done.ok and said else []
    if not words or os.path.realpath(words[0]) != os.path.realpath(own):
        raise PrerequisiteError(
            f"{command[0]} does not link by the linker of its own installation",
            where=own,
            hint="`clang -### -fuse-ld=lld` says what it would do; `harness doctor` checks the installation",
        )
    return tuple(words[1:])


def link_program(
    benchmark: Benchmark,
    target: Target,
    linked_object: Path,
    output: Path,
    bench: Bench,
    layout: int | None = None,
    order: Sequence[str] = (),
) -> None:
    """Link the object, in the sandbox: an object can name files for the linker to read.

    ``order``: of functions, of those that are in sections of their own; they stand before all others.
    Raises CellError (``compile-error``) when it cannot be linked.
    """
    words = [*_linker_words(bench.toolchain, tuple(link_command(benchmark, target, _OBJECT, _PROGRAM)))]
    words += _shuffling(layout)
    files = {_OBJECT: linked_object}
    with ExitStack() as stack:
        if order:
            files[_ORDER] = stack.enter_context(bench.store.scratch()) / _ORDER
            files[_ORDER].write_text("".join(f"{name}\n" for name in order))
            words += [f"--symbol-ordering-file={_ORDER}", "--no-warn-symbol-ordering"]
        done = run_tool(tool_job("ld.lld", words, files, (_PROGRAM,), _SECONDS, bench), bench)
    if not done.ok:
        undefined = dict.fromkeys(_UNDEFINED.findall(done.stderr.decode(errors="replace")))
        names = f"undefined: {', '.join([*undefined][:_SHOWN])}; is a library missing in `link`?"
        why = names if undefined else done.reason_line()
        raise CellError(Outcome.COMPILE_ERROR, f"cannot be linked: {why}", done.transient)
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
