"""The process of a session, and what is said when it is lost."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from harness.base.errors import HarnessError
from harness.base.process import WAITING
from harness.problems.programs.session.wire import SIZE, Reply, reply_of
from harness.sandbox import MIB, SCRATCH, Finished, Job, Limits, Reason
from harness.sandbox.bench import Bench
from harness.sandbox.dialogue import Dialogue, Gone, Late, Patience
from harness.sandbox.run import Sandbox
from harness.toolchain.native import llvm_program

__all__ = ["SessionLost", "Worker", "worker_job"]

_LONGEST = 1 << 30
"""Bytes of an answer: the text of a module of a hundred megabytes has ten times as many."""


class SessionLost(HarnessError):
    """The process of a session is gone, and every line of it."""

    def __init__(self, message: str, why: Reason | None) -> None:
        """``why``: how the process ended; None: it was ended, since it did not answer in time."""
        super().__init__(message)
        self.why = why


class Worker:
    """One process. Not for two threads at once."""

    def __init__(self, job: Job, sandbox: Sandbox, patience: float) -> None:
        """Start it, and wait for its first word as ``exchange`` does.

        Raises SessionLost for a process that ends before, and what ``Sandbox.run`` raises.
        """
        self.cpu = 0.0
        """CPU seconds that the process has used, when it last answered; in all, once it has ended."""
        self._dialogue = Dialogue(job, sandbox)
        self._talk(b"", "the start", patience)

    def exchange(self, request: bytes, about: str, patience: float) -> Reply:
        """Ask, and wait for the answer until the process has used so many seconds of CPU time, or ten times as many
        seconds of wall time have gone by. ``about``: what is asked, for messages.

        Raises SessionLost, and never answers again then.
        """
        if not self._dialogue.is_open:
            raise SessionLost(f"{about}: the session has ended", Reason.STOPPED)
        return self._talk(request, about, patience)

    def end(self) -> None:
        """End it. Safe to be called again."""
        with suppress(HarnessError):
            self._finished()

    def _finished(self) -> Finished:
        finished = self._dialogue.end()
        self.cpu = max(self.cpu, finished.total_cpu)
        return finished

    def _talk(self, request: bytes, about: str, patience: float) -> Reply:
        try:
            self._dialogue.write(request, patience)
            (size,) = SIZE.unpack(self._dialogue.read(SIZE.size, Patience(patience, WAITING * patience)))
            if size > _LONGEST:
                raise ValueError("the session's process sends what is no answer")
            reply = reply_of(self._dialogue.read(size, patience))
            self.cpu = reply.cpu
            return reply
        except Late:
            self.end()
            raise SessionLost(f"{about}: no answer within {patience:g} s of CPU time", None) from None
        except Gone:
            finished = self._finished()
            raise SessionLost(f"{about}: {finished.reason_line()}", finished.reason) from None
        except ValueError as error:
            self.end()
            raise SessionLost(f"{about}: {error}", Reason.STOPPED) from None


def worker_job(
    program: str, words: tuple[str, ...], files: Mapping[str, Path], bench: Bench, *, lasting: float, memory: int
) -> Job:
    """One of the harness's own programs that answer requests. ``files``: that it finds in its folder. ``lasting``:
    seconds of wall time, from its start to its end; ``memory``: bytes.
    """
    inside = f"/{program}"
    return Job(
        inside,
        words,
        files={
            inside: llvm_program(program, bench.toolchain, bench.store),
            **{f"{SCRATCH}/{name}": path for name, path in files.items()},
        },
        system=True,
        folders=bench.toolchain.folders,
        limits=Limits(
            wall=lasting,
            memory=memory,
            processes=1,
            files=10,
            scratch=256 * MIB,
            file_size=256 * MIB,
            output=MIB,
            open_files=16,
        ),
    )
