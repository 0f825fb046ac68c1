"""C and C++ that others have written, compiled in the sandbox: one job, and one way to say what is wrong with it."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.base.errors import CellError
from harness.base.process import WAITING
from harness.base.vocabulary import Outcome
from harness.sandbox import GIB, MIB, SCRATCH, Finished, Job, Limits
from harness.sandbox.bench import Bench

__all__ = ["SECONDS", "compile_foreign", "compiled", "does_not_compile"]

SECONDS = 60.0
"""CPU seconds for a file of a submission, or as many as a compile step has where those are more."""
_SHOWN = 3
_ERROR = re.compile(
    r"^(?:\./)?(\S+:\d+:\d+): (?:fatal )?error: (.*)$"
    r"|^.*?((?:undefined reference to|multiple definition of) .*)$"
    r"|^(?:\S*/)?(ld(?:\.lld)?: .*[^:])$",
    re.MULTILINE,
)


def compile_foreign(
    driver: str,
    words: Sequence[str],
    files: Mapping[str, Path],
    result: str,
    bench: Bench,
    seconds: float | None = None,
) -> Finished:
    """Run a compiler of the toolchain (``clang``, ``clang++``) on these files, which it finds by these names.

    ``seconds``: of CPU time. Of wall time it has ten times as many.
    """
    program = bench.toolchain.tool(driver)
    timeout = seconds or max(SECONDS, bench.compile_timeout)
    limits = Limits(
        wall=WAITING * timeout,
        cpu=timeout,
        memory=4 * GIB,
        address_space=8 * GIB,
        processes=16,
        scratch=GIB,
        file_size=512 * MIB,
        files=1000,
    )
    job = Job(
        os.path.realpath(program),
        tuple(words),
        name=program,
        files={f"{SCRATCH}/{name}": path for name, path in files.items()},
        system=True,
        folders=bench.toolchain.folders,
        environment={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        results=(result,),
        limits=limits,
    )
    return bench.sandbox.run(job)


def compiled(done: Finished, result: str, name: str) -> bytes:
    """What the compiler wrote. Raises CellError, as ``does_not_compile`` says; ``name``: of the submission's file."""
    if not done.ok or result not in done.results:
        raise does_not_compile(done, name)
    return done.results[result]


def does_not_compile(done: Finished, name: str) -> CellError:
    """``policy-error`` with the compiler's first messages, which name the file's lines; ``policy-timeout`` for a file
    that takes too long."""
    if done.out_of_time:
        return CellError(Outcome.POLICY_TIMEOUT, f"{name} does not compile: {done.ending}", done.transient)
    errors = [
        found[3] or found[4] or f"{found[1]}: {found[2]}"
        for found in _ERROR.finditer(done.stderr.decode(errors="replace"))
    ]
    more = f" (and {len(errors) - _SHOWN} more errors)" if len(errors) > _SHOWN else ""
    words = f"{'; '.join(errors[:_SHOWN])}{more}" if errors else done.reason_line()
    return CellError(Outcome.POLICY_ERROR, f"{name} does not compile: {words}", done.transient and not errors)
