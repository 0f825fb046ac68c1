"""What a job needs before it starts: its descriptors opened, its streams made."""

import os
import shutil
import socket
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from harness.sandbox.bubblewrap import STATUS
from harness.sandbox.model import Job

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """A job made ready to start."""

    command: list[str]
    job: Job
    """With the paths that it sees."""
    descriptors: dict[int, int]
    """Theirs → ours."""
    scratch: str
    """Where the job runs, as it sees it."""
    status: socket.socket
    """Our end of the guard's socket."""
    streams: tuple[int, int]
    """Standard output and standard error."""
    close_theirs: Callable[[], None]
    patience: float = 0.0
    """Seconds that all of it may take."""
    given: int = 0
    """How many descriptors the job is given."""


def prepare(command: list[str], job: Job, opened: Mapping[int, Path], scratch: str, stack: ExitStack) -> Prepared:
    """Open and make what the command needs; ``stack`` closes it again."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    stack.callback(ours.close)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    theirs_only = stack.enter_context(ExitStack())
    theirs_only.callback(theirs.close)
    descriptors = {STATUS: theirs.fileno()}
    streams = os.memfd_create("stdout"), os.memfd_create("stderr")
    for number, stream in enumerate(streams, start=1):
        stack.callback(os.close, stream)
        descriptors[number] = stream
    for number, path in {0: job.stdin or Path(os.devnull), **opened}.items():
        descriptor = _copy(path) if number == 0 and job.stdin else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        theirs_only.callback(os.close, descriptor)
        descriptors[number] = descriptor
    return Prepared(command, job, descriptors, scratch, ours, streams, theirs_only.close)


def _copy(path: Path) -> int:
    """A descriptor to read a copy: with the file's own, a job could open it again to write, and see its path."""
    copy = os.memfd_create("stdin")
    try:
        with open(path, "rb") as source, open(copy, "wb", closefd=False) as target:
            shutil.copyfileobj(source, target, 1 << 20)
        return os.open(f"/proc/self/fd/{copy}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(copy)
