"""One run of a program on one workload, in a fresh folder with a fixed environment.

Environment, folder layout, argv[0] and redirections are always the same: they shift instruction
counts, and a program that prints them would otherwise differ between machines.
"""

import hashlib
import os
import re
import shutil
import signal
import stat
from dataclasses import dataclass
from pathlib import Path

from harness.errors import CellError
from harness.process import Ended, Limits, run, signal_name
from harness.suite.workloads import ReadyWorkload
from harness.vocabulary import Outcome

__all__ = ["Runner", "execute", "result_digest"]

ENVIRONMENT = {"PATH": "/nonexistent", "LC_ALL": "C", "TZ": "UTC", "HOME": "/nonexistent"}
_EMULATED_TIMEOUT_FACTOR = 10.0
_LARGEST_OUTPUT = 256 << 20


@dataclass(frozen=True, slots=True)
class Runner:
    """How programs of a target are started."""

    emulator: str | None = None
    memory: int | None = 4 << 30
    """Bytes of address space; an emulator and the sanitizers reserve more than they use."""
    environment: tuple[tuple[str, str], ...] = ()
    """Added to the fixed environment."""


def execute(program: Path, ready: ReadyWorkload, folder: Path, runner: Runner) -> str:
    """Run the program and return the digest of its result.

    ``folder`` is empty; the workload's files are put there first. Raises CellError: ``run-crash``,
    ``run-timeout``, or ``wrong-output`` for an exit status or an output file that cannot be right.
    """
    workload = ready.workload
    for name, source in ready.files.items():
        destination = folder / name
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, destination)
    factor = _EMULATED_TIMEOUT_FACTOR if runner.emulator else 1.0
    prefix = [runner.emulator, "-0", "program", str(program)] if runner.emulator else [str(program)]
    ended = run(
        [*prefix, *workload.args],
        cwd=folder,
        limits=Limits(wall=workload.timeout * factor, memory=runner.memory, file_size=_LARGEST_OUTPUT),
        env={**ENVIRONMENT, **dict(runner.environment)},
        stdin=folder / workload.stdin if workload.stdin else None,
        argv0=None if runner.emulator else "program",
    )
    where = f"workload {workload.name}"
    if ended.timed_out:
        raise CellError(Outcome.RUN_TIMEOUT, f"{where}: stopped after {ended.wall:.1f} s", transient=True)
    if died_of := _signal_of(ended, emulated=runner.emulator is not None):
        raise CellError(Outcome.RUN_CRASH, f"{where}: killed by {signal_name(died_of)}", ended.transient)
    if ended.exit != workload.exit:
        raise CellError(Outcome.WRONG_OUTPUT, f"{where}: exit status {ended.exit}, not {workload.exit}{_words(ended)}")
    return result_digest(ended.stdout, folder, ready, where)


def result_digest(stdout: bytes, folder: Path, ready: ReadyWorkload, where: str) -> str:
    """SHA-256 of filtered standard output and of every declared output file."""
    workload = ready.workload
    drop = [re.compile(pattern.encode()) for pattern in workload.drop]
    lines = stdout.splitlines(keepends=True) if drop else [stdout]
    digest = hashlib.sha256(b"".join(line for line in lines if not any(p.search(line) for p in drop)))
    for name in workload.outputs:
        content = _output_file(folder / name)
        if content is None:
            raise CellError(Outcome.WRONG_OUTPUT, f"{where}: it did not write {name}")
        digest.update(f"\0{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _output_file(path: Path) -> bytes | None:
    """A regular file's content; None for anything else (a link or a FIFO is not followed)."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_OUTPUT:
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_LARGEST_OUTPUT)


def _signal_of(ended: Ended, *, emulated: bool) -> int | None:
    if ended.signal is not None:
        return ended.signal
    # qemu-user kills itself by the guest's signal; through a shell it would be 128 + signal.
    if emulated and ended.exit is not None and ended.exit > 128 and ended.exit - 128 in set(signal.Signals):
        return ended.exit - 128
    return None


def _words(ended: Ended) -> str:
    lines = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    telling = [line for line in lines if "runtime error:" in line or "ERROR: AddressSanitizer" in line] or lines[-1:]
    return f" ({telling[0].strip()[:200]})" if telling else ""
