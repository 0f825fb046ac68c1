"""A job that the harness talks with while it runs, over two pipes, and never waits for longer than it said.

A wait is limited in wall time, or in the CPU time of the job: what it has to say then does not depend on what else
the machine does.
"""

import os
import select
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from threading import Thread

from harness.sandbox.cgroups import Meter
from harness.sandbox.model import Finished, Job
from harness.sandbox.run import Sandbox

__all__ = ["Dialogue", "Gone", "Late", "Patience"]

_DYING = 1.0
"""Seconds from the end of a job's pipes to its own: it is not stopped meanwhile, so that it can say how it ended."""

_LOOK = 0.02
"""Seconds of wall time, at least, between two looks at a job's CPU time."""


class Late(Exception):
    """The job did not take or send everything in time."""


class Gone(Exception):
    """The job has closed its end, as whatever ends does."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a job that works meanwhile."""

    cpu: float
    """Seconds of the job's CPU time; of wall time where nothing counts it."""
    wall: float
    """Seconds of wall time, whatever it has used: a job that sleeps uses none."""


class Dialogue:
    """One job. It reads from ``READ`` and writes to ``WRITE`` (``pair.py``). Not for two threads at once."""

    def __init__(self, job: Job, sandbox: Sandbox) -> None:
        """Start it. Whatever keeps it from being started is raised by ``end``; until then it is gone."""
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        leash, self._leash = os.pipe()
        self._open = True
        self._gone = False
        for descriptor in (self._to, self._from):
            os.set_blocking(descriptor, False)
        self._ended: Future[Finished] = Future()
        self._meter = meter = Meter()
        call = lambda: sandbox.run_with(job, (theirs_in, theirs_out), leash, meter)  # noqa: E731
        self._thread = Thread(target=_run, args=(self._ended, call), name="dialogue", daemon=True)
        self._thread.start()

    @property
    def is_open(self) -> bool:
        """Whether ``end`` was not called yet."""
        return self._open

    def write(self, content: bytes, seconds: float) -> None:
        """Send all of it. Raises Late and Gone, and Gone for good after ``end``."""
        if not self._open:
            raise Gone
        deadline = _Deadline(seconds, self._meter)
        left = memoryview(content)
        while left:
            try:
                left = left[os.write(self._to, left) :]
            except BlockingIOError:
                deadline.wait(self._to, select.POLLOUT)
            except BrokenPipeError:
                self._gone = True
                raise Gone from None

    def read(self, size: int, patience: "float | Patience") -> bytes:
        """So many bytes, within so many seconds of wall time or what it says. Raises Late and Gone."""
        if not self._open:
            raise Gone
        deadline = _Deadline(patience, self._meter)
        parts: list[bytes] = []
        while size > 0:
            try:
                part = os.read(self._from, size)
            except BlockingIOError:
                deadline.wait(self._from, select.POLLIN)
                continue
            if not part:
                self._gone = True
                raise Gone
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def end(self) -> Finished:
        """End it, unless it has ended, and say how. Safe to be called again. Raises what ``Sandbox.run`` raises.

        A job that is gone is given a second to end by itself.
        """
        if self._open:
            self._open = False
            os.close(self._to)
            os.close(self._from)
            if self._gone:
                wait([self._ended], _DYING)
            os.close(self._leash)
        return self._ended.result()


class _Deadline:
    """When a wait that begins now is over."""

    def __init__(self, patience: float | Patience, meter: Meter) -> None:
        self._patience = patience if isinstance(patience, Patience) else Patience(patience, patience)
        self._meter = meter if isinstance(patience, Patience) else None
        self._started = time.monotonic()
        self._before = self._used() or 0.0

    def wait(self, descriptor: int, event: int) -> None:
        """Until the descriptor is ready. Raises Late."""
        waiting = select.poll()
        waiting.register(descriptor, event)
        while (left := self._left()) > 0:
            if waiting.poll(max(left, _LOOK) * 1000):
                return
        raise Late

    def _left(self) -> float:
        """Seconds of wall time in which it cannot be over."""
        wall = time.monotonic() - self._started
        used = self._used()
        cpu = wall if used is None else used - self._before
        return min(self._patience.cpu - cpu, self._patience.wall - wall)

    def _used(self) -> float | None:
        return None if self._meter is None else self._meter.seconds()


def _run(into: "Future[Finished]", call: Callable[[], Finished]) -> None:
    try:
        into.set_result(call())
    except BaseException as error:  # noqa: BLE001 - whoever calls `end` gets it
        into.set_exception(error)
