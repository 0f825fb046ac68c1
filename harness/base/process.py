"""Running one trusted tool under limits, and saying exactly how it ended.

Stock compilers, linkers, tar and apt are run here; what is not ours runs in ``harness.sandbox``.
The limits are in place before the tool's first instruction: util-linux's ``prlimit`` sets them and
becomes the tool. ``setpriv`` asks the kernel to kill the tool when the harness dies, however it dies.
"""

import errno
import os
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Event, Lock

from harness.base.errors import PrerequisiteError, StoppedError

__all__ = [
    "WAITING",
    "Ended",
    "Limits",
    "Used",
    "account",
    "counted",
    "find_tool",
    "killable",
    "last_words",
    "run",
    "signal_name",
    "start_again",
    "stop_all",
    "tools_cpu_seconds",
]

MIB = 1 << 20
WAITING = 10
"""Seconds of wall time for each of CPU time, where a tool is held to CPU time: other work on the machine must not make
a failure of a compilation that is slow."""

_COUNTED = 0.8
"""Share of a limit of CPU time that has been used for certain when the kernel ends a command at it: it counts by ticks
then, which a busy machine has run fast, and accounts exactly afterwards."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one command may use."""

    wall: float = 60.0
    """Seconds."""
    cpu: float | None = None
    """Seconds of user and system time of each process, rounded up; None: as many as of wall time."""
    memory: int | None = 8192 * MIB
    """Bytes of address space; None for programs that reserve terabytes (AddressSanitizer)."""
    file_size: int = 1024 * MIB
    """Bytes of any one file that it writes, standard output included."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    argv: tuple[str, ...]
    exit: int | None
    """Exit status, or None when a signal ended it."""
    signal: int | None
    timed_out: bool
    """The harness killed it at its wall limit, or the kernel at its CPU limit."""
    wall: float
    """Seconds from start to end."""
    cpu: float
    """Seconds of user and system time of the command and the children that it waited for."""
    stdout: bytes
    stderr: bytes
    limits: Limits

    @property
    def transient(self) -> bool:
        """It may have ended so because of the machine: out of time, or killed from outside."""
        return self.timed_out or self.signal in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)

    @property
    def ok(self) -> bool:
        """It ended by itself with status 0."""
        return self.exit == 0 and not self.timed_out

    def reason(self) -> str:
        """One line for people: why it ended, with the last telling line of standard error."""
        if self.timed_out:
            by_cpu = self.limits.cpu is not None and self.wall < self.limits.wall
            limit = f" at its limit of {self.limits.cpu:g} s of CPU time" if by_cpu else ""
            how = f"stopped after {self.wall:.1f} s{limit}"
        elif self.signal is not None:
            how = f"killed by {signal_name(self.signal)}"
        else:
            how = f"exit status {self.exit}"
        return f"{Path(self.argv[0]).name}: {how}{last_words(self.stderr)}"


def signal_name(number: int) -> str:
    """``SIGSEGV``; a real-time signal has no name of its own."""
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


_STACK_FRAME = re.compile(r"#\d+ 0x")
_lock = Lock()
_cpu_total = 0.0
_running: set[int] = set()
_stopping = Event()


def tools_cpu_seconds() -> float:
    """CPU seconds of all commands that this process has run so far, in whatever thread."""
    return _cpu_total


@dataclass
class Used:
    """What commands have taken."""

    cpu: float = 0.0
    """Seconds."""


_counting: ContextVar[tuple[Used, ...]] = ContextVar("counting", default=())


@contextmanager
def counted() -> Iterator[Used]:
    """What the commands take that this thread runs meanwhile, in the sandbox or not; other threads' are not in it."""
    used = Used()
    before = _counting.set((*_counting.get(), used))
    try:
        yield used
    finally:
        _counting.reset(before)


def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    limits: Limits,
    env: Mapping[str, str] | None = None,
    stdin: Path | None = None,
) -> Ended:
    """Run ``argv`` in ``cwd`` and wait for its end, or end it and its whole process group.

    ``env`` is the complete environment (default: a minimal fixed one), ``stdin`` a file (default:
    empty). Raises PrerequisiteError when the command cannot be started at all.
    """
    if _stopping.is_set():
        raise StoppedError("stopped")
    command = [os.fspath(part) for part in argv]
    prefix = _limiter(limits)
    _require_executable(command[0])
    out, err = os.memfd_create("stdout"), os.memfd_create("stderr")
    source = os.open(stdin or os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        started = time.monotonic()
        try:
            child = subprocess.Popen(
                [*prefix, *command],
                cwd=cwd,
                env=dict(env) if env is not None else {"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                stdin=source,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except OSError as error:
            raise PrerequisiteError(f"cannot start {command[0]}: {error.strerror}") from None
        with _lock:
            _running.add(child.pid)
            if _stopping.is_set():
                os.killpg(child.pid, signal.SIGKILL)
        try:
            timed_out = _wait(child.pid, limits)
            wall = time.monotonic() - started
        finally:
            with _lock:  # once it is reaped, its number may pass to a stranger
                _running.discard(child.pid)
                status, usage = os.wait4(child.pid, 0)[1:]
        if _stopping.is_set():
            raise StoppedError("stopped")
        child.returncode = os.waitstatus_to_exitcode(status)  # Popen must not wait for it again
        cpu = usage.ru_utime + usage.ru_stime
        account(cpu)
        by_signal = -child.returncode if child.returncode < 0 else None
        return Ended(
            argv=tuple(command),
            exit=None if by_signal else child.returncode,
            signal=by_signal,
            timed_out=timed_out
            or (by_signal in (signal.SIGXCPU, signal.SIGKILL) and cpu > _COUNTED * (limits.cpu or limits.wall)),
            wall=wall,
            cpu=cpu,
            stdout=_content(out),
            stderr=_content(err),
            limits=limits,
        )
    finally:
        for descriptor in (out, err, source):
            os.close(descriptor)


@lru_cache(maxsize=64)
def _limiter(limits: Limits) -> tuple[str, ...]:
    """The command that sets the limits and becomes the command behind it."""
    tools = {name: find_tool(name) for name in ("setpriv", "prlimit")}
    missing = [name for name, path in tools.items() if path is None]
    if missing:
        raise PrerequisiteError(f"missing: {', '.join(missing)}", hint="apt-get install util-linux")
    seconds = int(limits.cpu or limits.wall) + 1
    settings = [f"--cpu={seconds}:{seconds + 1}", f"--fsize={limits.file_size}", "--core=0"]
    if limits.memory is not None:
        settings.append(f"--as={limits.memory}")
    return str(tools["setpriv"]), "--pdeathsig", "KILL", str(tools["prlimit"]), *settings, "--"


def find_tool(name: str) -> str | None:
    """Absolute path of a tool of the system, on PATH or where such tools are."""
    return shutil.which(name) or shutil.which(name, path=os.defpath)


def _require_executable(command: str) -> None:
    """Raise PrerequisiteError for what cannot be started: the limiter would die of it with words of its own."""
    path = command if "/" in command else shutil.which(command, path=os.defpath)
    if path is None or not Path(path).exists():
        raise PrerequisiteError(f"cannot start {command}: {os.strerror(errno.ENOENT)}")
    if not Path(path).is_file() or not os.access(path, os.X_OK):
        raise PrerequisiteError(f"cannot start {command}: {os.strerror(errno.EACCES)}")


def _wait(pid: int, limits: Limits) -> bool:
    """Wait for the end and kill what is left of the group; whether time ran out."""
    pidfd = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        ended = poll.poll(min(limits.wall * 1000, (1 << 31) - 1))
    except BaseException:  # Ctrl-C while waiting: leave nothing running
        os.killpg(pid, signal.SIGKILL)
        raise
    finally:
        os.close(pidfd)
    # The leader is not reaped yet, so its group id cannot have passed to a stranger.
    os.killpg(pid, signal.SIGKILL)
    return not ended


@contextmanager
def killable(pid: int) -> Iterator[None]:
    """While this lasts, ``stop_all`` kills the process group ``pid`` too. Raises StoppedError once it has."""
    with _lock:
        if _stopping.is_set():
            raise StoppedError("stopped")
        _running.add(pid)
    try:
        yield
    finally:
        with _lock:
            _running.discard(pid)
        if _stopping.is_set():  # whatever else it is that went wrong, this is why
            raise StoppedError("stopped")


def account(seconds: float) -> None:
    """A command of this thread has taken so many seconds of CPU time."""
    global _cpu_total
    with _lock:
        _cpu_total += seconds
    for used in _counting.get():
        used.cpu += seconds


def stop_all() -> None:
    """Kill every running command and its group. Until ``start_again``, every ``run`` raises StoppedError."""
    with _lock:
        _stopping.set()
        for pid in _running:
            os.killpg(pid, signal.SIGKILL)


def start_again() -> None:
    """Allow commands again, once nobody works any more that ``stop_all`` was meant for."""
    _stopping.clear()


def _content(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, 0) if size else b""


def last_words(stderr: bytes) -> str:
    """``: `` and the line of standard error that says most: the first error, else the last line above a stack trace."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    lines = [line for line in lines if not _STACK_FRAME.match(line)]  # addresses: other ones each time
    if not lines:
        return ""
    telling = [line for line in lines if "error:" in line.lower() or "assertion" in line.lower()]
    return f": {(telling or lines[-1:])[0][:300]}"
