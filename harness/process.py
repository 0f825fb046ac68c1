"""Running one external command under limits, and saying exactly how it ended.

Every process that the harness starts goes through ``run``. It knows nothing of compilers.
"""

import os
import re
import resource
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock

from harness.errors import PrerequisiteError, StoppedError

__all__ = ["Ended", "Limits", "run", "signal_name", "start_again", "stop_all", "tools_cpu_seconds"]

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one command may use. CPU time is limited to the wall time, rounded up."""

    wall: float = 60.0
    """Seconds."""
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
            how = f"stopped after {self.wall:.1f} s"
        elif self.signal is not None:
            how = f"killed by {signal_name(self.signal)}"
        else:
            how = f"exit status {self.exit}"
        return f"{Path(self.argv[0]).name}: {how}{_last_words(self.stderr)}"


def signal_name(number: int) -> str:
    """``SIGSEGV``; a real-time signal has no name of its own."""
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


_STACK_FRAME = re.compile(r"#\d+ 0x")
_lock = Lock()
_cpu_total = 0.0
_running: set[int] = set()
_stopping = Event()


def tools_cpu_seconds() -> float:
    """CPU seconds of all commands that this process has run so far."""
    return _cpu_total


def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    limits: Limits,
    env: Mapping[str, str] | None = None,
    stdin: Path | None = None,
    argv0: str | None = None,
) -> Ended:
    """Run ``argv`` in ``cwd`` and wait for its end, or end it and its whole process group.

    ``env`` is the complete environment (default: a minimal fixed one), ``stdin`` a file (default:
    empty), ``argv0`` what the program sees as its name. Raises PrerequisiteError when the command
    cannot be started at all.
    """
    if _stopping.is_set():
        raise StoppedError("stopped")
    command = [os.fspath(part) for part in argv]
    executable = command[0]
    shown = [argv0 or executable, *command[1:]]
    out, err = os.memfd_create("stdout"), os.memfd_create("stderr")
    source = os.open(stdin or os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        started = time.monotonic()
        try:
            child = subprocess.Popen(
                shown,
                executable=executable,
                cwd=cwd,
                env=dict(env) if env is not None else {"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                stdin=source,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except OSError as error:
            raise PrerequisiteError(f"cannot start {executable}: {error.strerror}") from None
        with _lock:
            _running.add(child.pid)
            if _stopping.is_set():
                os.killpg(child.pid, signal.SIGKILL)
        timed_out = _wait(child.pid, limits)
        wall = time.monotonic() - started
        with _lock:  # once it is reaped, its number may pass to a stranger
            _running.discard(child.pid)
            status, usage = os.wait4(child.pid, 0)[1:]
        if _stopping.is_set():
            raise StoppedError("stopped")
        child.returncode = os.waitstatus_to_exitcode(status)  # Popen must not wait for it again
        cpu = usage.ru_utime + usage.ru_stime
        _account(cpu)
        by_signal = -child.returncode if child.returncode < 0 else None
        return Ended(
            argv=tuple(command),
            exit=None if by_signal else child.returncode,
            signal=by_signal,
            timed_out=timed_out or (by_signal in (signal.SIGXCPU, signal.SIGKILL) and cpu > limits.wall),
            wall=wall,
            cpu=cpu,
            stdout=_content(out, limits),
            stderr=_content(err, limits),
        )
    finally:
        for descriptor in (out, err, source):
            os.close(descriptor)


def _wait(pid: int, limits: Limits) -> bool:
    """Set the limits, wait for the end, kill what is left of the group; whether time ran out."""
    seconds = int(limits.wall) + 1
    settings = [
        (resource.RLIMIT_CPU, (seconds, seconds + 1)),
        (resource.RLIMIT_FSIZE, (limits.file_size, limits.file_size)),
        (resource.RLIMIT_CORE, (0, 0)),
    ]
    if limits.memory is not None:
        settings.append((resource.RLIMIT_AS, (limits.memory, limits.memory)))
    pidfd = os.pidfd_open(pid)
    try:
        for kind, values in settings:
            try:
                resource.prlimit(pid, kind, values)
            except ProcessLookupError:  # it has ended already
                break
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


def _account(seconds: float) -> None:
    global _cpu_total
    with _lock:
        _cpu_total += seconds


def stop_all() -> None:
    """Kill every running command and its group. Until ``start_again``, every ``run`` raises StoppedError."""
    with _lock:
        _stopping.set()
        for pid in _running:
            os.killpg(pid, signal.SIGKILL)


def start_again() -> None:
    """Allow commands again, once nobody works any more that ``stop_all`` was meant for."""
    _stopping.clear()


def _content(descriptor: int, limits: Limits) -> bytes:
    """What was written, up to the limit: a command may pass it in the instant before it is set."""
    size = min(os.fstat(descriptor).st_size, limits.file_size)
    return os.pread(descriptor, size, 0) if size else b""


def _last_words(stderr: bytes) -> str:
    """The line of standard error that says most: the first error, else the last line above a stack trace."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    lines = [line for line in lines if not _STACK_FRAME.match(line)]  # addresses: other ones each time
    if not lines:
        return ""
    telling = [line for line in lines if "error:" in line.lower() or "assertion" in line.lower()]
    return f": {(telling or lines[-1:])[0][:300]}"
