"""A job that the harness talks with while it runs, over two pipes, and never waits for longer than it said."""

import os
import select
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread

from harness.sandbox.model import Finished, Job
from harness.sandbox.run import Sandbox

__all__ = ["Dialogue", "Gone", "Late"]

_DYING = 1.0
"""Seconds from the end of a job's pipes to its own: it is not stopped meanwhile, so that it can say how it ended."""


class Late(Exception):
    """The job did not take or send everything in time."""


class Gone(Exception):
    """The job has closed its end, as whatever ends does."""


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
        call = lambda: sandbox.run_with(job, (theirs_in, theirs_out), leash)  # noqa: E731
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
        deadline = time.monotonic() + seconds
        left = memoryview(content)
        while left:
            try:
                left = left[os.write(self._to, left) :]
            except BlockingIOError:
                _wait(self._to, select.POLLOUT, deadline)
            except BrokenPipeError:
                self._gone = True
                raise Gone from None

    def read(self, size: int, seconds: float) -> bytes:
        """So many bytes. Raises Late and Gone."""
        if not self._open:
            raise Gone
        deadline = time.monotonic() + seconds
        parts: list[bytes] = []
        while size > 0:
            try:
                part = os.read(self._from, size)
            except BlockingIOError:
                _wait(self._from, select.POLLIN, deadline)
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


def _wait(descriptor: int, event: int, deadline: float) -> None:
    """Until the descriptor is ready. Raises Late."""
    waiting = select.poll()
    waiting.register(descriptor, event)
    left = deadline - time.monotonic()
    if left <= 0 or not waiting.poll(left * 1000):
        raise Late


def _run(into: "Future[Finished]", call: Callable[[], Finished]) -> None:
    try:
        into.set_result(call())
    except BaseException as error:  # noqa: BLE001 - whoever calls `end` gets it
        into.set_exception(error)
