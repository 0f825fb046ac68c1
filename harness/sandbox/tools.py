"""A tool of the toolchain on files from elsewhere: in the sandbox, where it sees these files and the system's alone.

Sources, modules and objects can make a compiler read any file that its user may read: ``.incbin`` and ``.include`` in
assembly, ``#include`` and ``#embed`` in C, libraries that an object names for the linker. Error messages quote what was
read, and are recorded. In the sandbox there is nothing to read.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.base.process import WAITING
from harness.sandbox import GIB, MIB, SCRATCH, Finished, Job, Limits
from harness.sandbox.bench import Bench

__all__ = ["NO_DATE", "run_tool", "script_job", "tool_job"]

NO_DATE = {"SOURCE_DATE_EPOCH": "0"}
"""The date that every compiler is given, so that ``__DATE__`` is the same on every day."""
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", **NO_DATE}


def tool_job(
    tool: str,
    arguments: Sequence[str],
    files: Mapping[str, Path],
    results: tuple[str, ...],
    timeout: float,
    bench: Bench,
) -> Job:
    """One tool of the toolchain on files, which it finds by these names in the folder that it runs in.

    ``timeout``: CPU seconds. Of wall time it has ten times as many.
    """
    program = bench.toolchain.tool(tool)
    return _job(os.path.realpath(program), arguments, files, results, timeout, bench, name=program)


def script_job(
    script: str, files: Mapping[str, Path], results: tuple[str, ...], timeout: float, bench: Bench, space: int = GIB
) -> Job:
    """Several tools, one after the other, by a shell that ends with the first failure.

    ``timeout``: CPU seconds of all of them together, as of ``tool_job``; ``space``: bytes for files.
    """
    return _job("/bin/sh", ("-euc", script), files, results, timeout, bench, space=space)


def _job(
    program: str,
    arguments: Sequence[str],
    files: Mapping[str, Path],
    results: tuple[str, ...],
    timeout: float,
    bench: Bench,
    name: str | None = None,
    space: int = GIB,
) -> Job:
    limits = Limits(
        wall=WAITING * timeout,
        cpu=timeout,
        memory=8 * GIB,
        address_space=8 * GIB,
        processes=16,
        files=200_000,
        scratch=space,
        file_size=GIB,
        output=512 * MIB,
    )
    return Job(
        program,
        tuple(arguments),
        name=name,
        files={f"{SCRATCH}/{inside}": path for inside, path in files.items()},
        system=True,
        folders=bench.toolchain.folders,
        environment=_ENVIRONMENT,
        results=results,
        limits=limits,
    )


def run_tool(job: Job, bench: Bench) -> Finished:
    """Run it. Raises PrerequisiteError when it fails for want of space on the cache's disk."""
    done = bench.sandbox.run(job)
    if not done.ok:
        bench.store.require_space()
    return done
