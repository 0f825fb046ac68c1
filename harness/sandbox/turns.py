"""Several jobs on one core in turns: while one runs, the others stand still.

The speed of a shared machine changes by several per cent within tens of milliseconds. Jobs that are run one
after the other meet different machines; jobs that take turns of a few milliseconds meet the same one.
"""

import select
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from harness.sandbox.model import Finished, Job
from harness.sandbox.run import Sandbox

__all__ = ["NextTurns", "run_in_turns"]

NextTurns = Callable[[Sequence[int]], Sequence[tuple[int, float]]]
"""From the jobs that have not ended (by number) to who runs next, in this order, and for how many seconds."""

_READY, _STOPPED = b"r", b"s"
_LATE = 30.0
"""Seconds that a job may be late to stand still, or to be ready, before it gets no more turns."""


def run_in_turns(sandbox: Sandbox, jobs: Sequence[Job], next_turns: NextTurns) -> tuple[list[Finished], float]:
    """Run the jobs, each in a sandbox of its own, never two at a time. Returns when all have ended.

    Also returns the seconds from the first turn to the end of the last.

    Nothing runs before every sandbox is ready. ``next_turns`` is asked again whenever its answer is used up.
    Raises what ``Sandbox.run`` raises, when all have ended.
    """
    patience = sum(job.limits.wall for job in jobs) + _LATE
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(len(jobs), thread_name_prefix="turns"))
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in jobs]
        for ours, _ in pairs:
            stack.callback(ours.close)  # before the pool is waited for: without turns, what still waits ends
        running = [
            pool.submit(sandbox.run_in_turns, job, theirs, patience)
            for job, (_, theirs) in zip(jobs, pairs, strict=True)
        ]
        seconds = _give_turns([ours for ours, _ in pairs], next_turns)
        return [future.result() for future in running], seconds


def _give_turns(sockets: Sequence[socket.socket], next_turns: NextTurns) -> float:
    alive = [number for number, channel in enumerate(sockets) if _answer(channel) == _READY]
    started = time.monotonic()
    while alive:
        for number, seconds in next_turns(tuple(alive)):
            if number in alive and not _turn(sockets[number], seconds):
                alive.remove(number)
                sockets[number].close()
    return time.monotonic() - started


def _turn(channel: socket.socket, seconds: float) -> bool:
    """Let a job run; whether it goes on afterwards."""
    try:
        channel.send(str(max(1, round(seconds * 1e6))).encode())
    except OSError:
        return False
    return _answer(channel, seconds) == _STOPPED


def _answer(channel: socket.socket, seconds: float = 0.0) -> bytes:
    """What the job's guard says; nothing when it is gone or too late."""
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    if not poll.poll((seconds + _LATE) * 1000):
        return b""
    try:
        return channel.recv(16)
    except OSError:
        return b""
