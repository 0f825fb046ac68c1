"""What goes into a sandbox and what comes out: values only."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM

from harness.base.process import last_words, signal_name

__all__ = ["FIRST_GIVEN", "GIB", "MIB", "SCRATCH", "Finished", "Job", "Left", "Limits", "Reason", "grace"]

_LONGEST_WORD = (128 << 10) - 1
"""Bytes of one argument: MAX_ARG_STRLEN of Linux, without the zero byte."""
_LONGEST_COMMAND = 1 << 20
"""Bytes of all of them: half of what Linux takes with the usual limit of the stack, as the guard's own come beside."""
MIB = 1 << 20
GIB = 1 << 30

SCRATCH = "/tmp"  # noqa: S108 - a path inside the sandbox
"""The only folder that can be written to: private, empty at first, gone with the sandbox."""

FIRST_GIVEN = 8
"""The number, in a job, of the first descriptor that it is given; the others follow."""

_GRACE = 0.02
_LEAST_GRACE = 0.1
"""Seconds."""


def grace(seconds: float) -> float:
    """Seconds by which a limit of so many may be exceeded: the guard itself has to wait for a core to end a job."""
    return max(_LEAST_GRACE, _GRACE * seconds)


class Reason(StrEnum):
    """Why a job ended."""

    EXIT = "exit"
    """By itself, with a status."""
    SIGNAL = "signal"
    """By a signal: its own fault, or a kernel limit of one process (``SIGXFSZ`` for a file's size)."""
    START = "start"
    """It could not be started: there is no such program inside, or it is none."""
    WALL = "wall"
    CPU = "cpu"
    MEMORY = "memory"
    FILES = "files"
    OUTPUT = "output"
    STOPPED = "stopped"
    """What it worked for had ended, and it had not (``pair.py``)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may use. All of its processes together, where nothing else is said."""

    wall: float = 60.0
    """Seconds."""
    cpu: float | None = None
    """Seconds of user and system time; None: what ``wall`` leaves room for, on ``Job.cores`` where they are given."""
    memory: int = GIB
    """Bytes resident, files in the scratch folder included."""
    address_space: int | None = None
    """Bytes of address space of each process; None for what reserves more than it uses."""
    processes: int = 32
    """Processes and threads at one time."""
    file_size: int = 256 * MIB
    """Bytes of any one file, standard output and standard error included."""
    files: int = 1000
    """Files and folders in the scratch folder."""
    scratch: int = 256 * MIB
    """Bytes in the scratch folder."""
    output: int = 64 * MIB
    """Bytes of standard output, and of standard error."""
    open_files: int = 256
    """Of each process."""


@dataclass(frozen=True, slots=True)
class Job:
    """One command, and the world that it sees. Paths are those inside unless they are ``Path``."""

    program: str
    """Absolute path."""
    arguments: tuple[str, ...] = ()
    """Without argv[0]."""
    name: str | None = None
    """argv[0]; None: ``program``."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """Where → the host's file. A copy: writable under ``SCRATCH``, read-only elsewhere."""
    system: bool = False
    """Whether it sees the host's ``/usr`` (read-only), with the folders that belong to it."""
    folders: tuple[Path, ...] = ()
    """Host folders and files that it sees read-only, at their own paths."""
    hidden: tuple[Path, ...] = ()
    """Folders within those that it sees empty."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """All of it."""
    unvaried: bool = False
    """Whether that is all of it under any ``Conditions``: a program's start counts its variables."""
    stdin: Path | None = None
    """The host's file; None: empty."""
    results: tuple[str, ...] = ()
    """Files wanted from the scratch folder when it has ended, by path in it; ``**``: all there are."""
    limits: Limits = Limits()
    cores: tuple[int, ...] = ()
    """Those that it runs on, and cannot leave; none: any."""

    def bounded(self) -> "Job":
        """The job with a limit of CPU time too where it is given cores: what these can do in its wall time."""
        if not self.cores or self.limits.cpu is not None:
            return self
        most = len(self.cores) * (self.limits.wall + grace(self.limits.wall))
        return replace(self, limits=replace(self.limits, cpu=most))

    def fault(self) -> str | None:
        """Why the kernel would not start it, as far as its words say; None where they are in order."""
        words = [
            self.program,
            self.name or "",
            *self.arguments,
            *self.files,
            *(f"{k}={v}" for k, v in self.environment.items()),
        ]
        if any("\0" in word for word in words):
            return "an argument, a variable or a file name has a zero byte"
        if max(len(os.fsencode(word)) for word in words) > _LONGEST_WORD:
            return f"an argument is longer than the {_LONGEST_WORD >> 10} KiB that the kernel takes"
        if sum(len(os.fsencode(word)) for word in words) > _LONGEST_COMMAND:
            return f"its arguments are longer than {_LONGEST_COMMAND >> 10} KiB together"
        return None


@dataclass(frozen=True, slots=True)
class Left:
    """What a job left behind."""

    processes: int
    """That still ran when the job itself had ended; they were killed."""
    files: int
    """In the scratch folder, folders and what came in ``Job.files`` included."""
    free: int
    """Bytes of the scratch folder that were not used; 0: it was full."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a job ended."""

    program: str
    reason: Reason
    value: int
    """Exit status, signal number, or errno for ``START``; 0 with a limit."""
    limits: Limits
    wall: float
    """Seconds from its first instruction to its end: the sandbox's own time is not in it."""
    cpu: float
    """Seconds of user and system time of the job and the children that it waited for."""
    total_cpu: float
    """Seconds of everything: orphans and the sandbox's own set-up too; with a control group, also of children that
    nobody waited for."""
    peak_memory: int
    """Bytes resident of its largest process."""
    preemptions: int
    """How often another process took its core (involuntary context switches)."""
    stdout: bytes
    stderr: bytes
    results: Mapping[str, bytes]
    """The files wanted that are there."""
    refused: Mapping[str, str]
    """The files wanted that are not given out, each with the reason."""
    left: Left

    @property
    def ok(self) -> bool:
        """It ended by itself with status 0."""
        return self.reason is Reason.EXIT and self.value == 0

    @property
    def exit(self) -> int | None:
        """Its exit status, if it ended by itself."""
        return self.value if self.reason is Reason.EXIT else None

    @property
    def signal(self) -> int | None:
        """The signal that ended it, if one did."""
        return self.value if self.reason is Reason.SIGNAL else None

    @property
    def out_of_time(self) -> bool:
        """It met the limit of wall time or of CPU time."""
        return self.reason in (Reason.WALL, Reason.CPU)

    @property
    def transient(self) -> bool:
        """It may have ended so because of the machine: out of time, or killed from outside."""
        return self.out_of_time or self.signal in (SIGKILL, SIGTERM, SIGINT)

    @property
    def ending(self) -> str:
        """For people: ``exit status 3``, ``killed by SIGSEGV``, ``stopped at its limit of 60 s``."""
        limits = self.limits
        match self.reason:
            case Reason.EXIT:
                text = f"exit status {self.value}"
            case Reason.SIGNAL:
                text = f"killed by {signal_name(self.value)}"
            case Reason.START:
                text = f"cannot be started: {os.strerror(self.value)}"
            case Reason.WALL:
                text = f"stopped at its limit of {limits.wall:g} s"
            case Reason.CPU:
                text = f"stopped at its limit of {limits.cpu or 0:g} s of CPU time"
            case Reason.MEMORY:
                text = f"stopped at its limit of {limits.memory // MIB} MiB of memory"
            case Reason.FILES:
                text = f"stopped at its limit of {limits.files} files"
            case Reason.OUTPUT:
                text = f"stopped at its limit of {limits.output // MIB} MiB of output"
            case Reason.STOPPED:
                text = "stopped, since it was not needed any more"
        full = not self.ok and self.left.free == 0 and limits.scratch > 0
        return f"{text} (its scratch folder of {limits.scratch // MIB} MiB is full)" if full else text

    def reason_line(self) -> str:
        """One line for people: what ended how, with the last telling line of standard error."""
        return f"{Path(self.program).name}: {self.ending}{last_words(self.stderr)}"
