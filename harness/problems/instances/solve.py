"""Running a solver on an instance, in the sandbox, and reading what it prints while it runs."""

import fcntl
import os
import time
from dataclasses import dataclass
from threading import Thread

from harness.problems.instances.answers import Answers
from harness.sandbox import GIB, Finished, Job, Sandbox

__all__ = ["Attempt", "run_solver"]

_MOST_OUTPUT = GIB
"""Bytes. A solver that prints more is stopped: its pipe is closed."""
_PIECE = 1 << 16
_PIPE = 1 << 20


@dataclass(frozen=True)
class Attempt:
    """One run of a solver."""

    finished: Finished
    answers: Answers

    @property
    def printed_too_much(self) -> bool:
        """It was stopped for that."""
        return self.answers.read > _MOST_OUTPUT


def run_solver(job: Job, answers: Answers, sandbox: Sandbox) -> Attempt:
    """Run the solver to its end or its limit, and read what it prints.

    The moments of answers are counted from when the sandbox is asked for: some hundredths of a second too late.
    """
    ours, theirs = os.pipe2(os.O_CLOEXEC)
    fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, _PIPE)
    started = time.monotonic()
    reader = Thread(target=_read, args=(ours, answers, started), name="answers")
    reader.start()
    try:
        finished = sandbox.run(job, theirs)
    finally:
        os.close(theirs)
        reader.join()
    if finished.exit is not None:
        answers.close(finished.wall)
    return Attempt(finished, answers)


def _read(pipe: int, answers: Answers, started: float) -> None:
    with os.fdopen(pipe, "rb", buffering=0) as stream:
        while answers.read <= _MOST_OUTPUT and (piece := stream.read(_PIECE)):
            answers.feed(piece, time.monotonic() - started)
