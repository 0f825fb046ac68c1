"""A session and its lines, as an owner in Python has them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from harness.base.digest import digest_of
from harness.base.vocabulary import Level
from harness.problems.passes.session.observations import (
    Graph,
    ObjectSize,
    embedding_of,
    graph_of,
    numbers_of,
    object_size_of,
)
from harness.problems.passes.session.wire import Count, Kind, What, steps_of, steps_request
from harness.problems.programs.session.wire import Reply, Status, request
from harness.problems.programs.session.worker import Worker, worker_job
from harness.sandbox import GIB, Job
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_digest, native_folder

__all__ = ["Line", "Session", "Step", "StepLimits", "session_digest"]

PROGRAM = "session"
_MODULE, _ACTIONS, _VOCABULARY = "module.bc", "actions.txt", "ir2vec.json"
_GENERATED_AT = {Level.O0: 0, Level.O1: 1, Level.O2: 2, Level.O3: 3, Level.OS: 2, Level.OZ: 2}
"""Level of clang's → level of LLVM's code generation."""
_START = 60.0
"""Seconds for the first word: the module is read, and every pipeline."""


@dataclass(frozen=True, slots=True)
class StepLimits:
    """What each step may take, and the session as a whole."""

    seconds: float = 60.0
    """Of CPU time for each action, and for each observation: as much as a step has whose result is measured. Ten times
    as many of wall time.
    """
    memory: int = 2 * GIB
    """Bytes, of all lines together."""
    lasting: float = 86_400.0
    """Seconds from the start to the end."""


@dataclass(frozen=True, slots=True)
class Step:
    """What came of one action."""

    action: int
    changed: bool
    """Whether the passes say that they changed anything."""
    instructions: int
    """Of the module after it: ir.instructions."""


def session_digest() -> str:
    """Of what decides whether a session gives an answer, and which."""
    limits = StepLimits()
    return digest_of([native_digest(PROGRAM), limits.seconds, limits.memory])


class Session:
    """LLVM 22 with one module and a table of pipelines, in a process in the sandbox. Not for two threads at once.

    A pass that crashes, hangs or takes all memory ends the process: whoever asked gets ``SessionLost``, which says what
    was asked and how it ended, and so does everyone who asks later. A context: at its end the process ends.
    """

    def __init__(
        self,
        module: Path,
        pipelines: Sequence[str],
        bench: Bench,
        *,
        level: Level = Level.OZ,
        limits: StepLimits | None = None,
    ) -> None:
        """``module``: bitcode. ``pipelines``: by the numbers of actions, empty for one that does nothing. ``level``: of
        the code that observations of sizes generate.

        Raises SessionLost for a module or pipeline that LLVM does not read, and what ``Sandbox.run`` raises.
        """
        self.pipelines = tuple(pipelines)
        self.limits = limits or StepLimits()
        with bench.store.scratch() as folder:
            table = folder / _ACTIONS
            table.write_text("".join(f"{pipeline}\n" for pipeline in self.pipelines))
            job = _job(module, table, level, self.limits, bench)
            self._worker = Worker(job, bench.sandbox, _START)
        self._first = True

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End the process."""
        self.close()

    @property
    def cpu(self) -> float:
        """CPU seconds that the process has used, when it last answered; in all, once it has ended."""
        return self._worker.cpu

    def close(self) -> None:
        """End the process. Safe to be called again."""
        self._worker.end()

    def line(self) -> "Line":
        """The module as it was read, as a new line."""
        if self._first:
            self._first = False
            return Line(self, 0, ())
        return Line(self, _number(self._ask(request(Kind.OPEN, 0), "reading the module", 1).rest), ())

    def forward(self, kind: Kind, line: int, rest: bytes, steps: int, most: float = math.inf) -> Reply:
        """The answer to the request of somebody else, whatever it is. ``steps``: how many limits of time it has;
        ``most``: seconds of CPU time, whatever they are.

        Raises SessionLost.
        """
        about = f"{kind.name.lower()} of {steps} steps" if kind is Kind.APPLY else kind.name.lower()
        return self._worker.exchange(request(kind, line, rest), about, min(self.limits.seconds * max(steps, 1), most))

    def _ask(self, content: bytes, about: str, steps: int) -> Reply:
        """Raises SessionLost, and ValueError for a request that means nothing."""
        reply = self._worker.exchange(content, about, self.limits.seconds * steps)
        if reply.status is not Status.GOOD:
            raise ValueError(f"{about}: {reply.rest.decode('ascii', 'replace')}")
        return reply


class Line:
    """One module on its way through passes."""

    def __init__(self, session: Session, number: int, actions: tuple[int, ...]) -> None:
        """``number``: of the line in the session's process."""
        self._session = session
        self._number = number
        self.actions = actions
        """What has been run on it, by number, oldest first."""

    def apply(self, *actions: int) -> int:
        """Run actions one after the other; the module's instructions after the last.

        Raises SessionLost, and ValueError for a number that is no action: none has run then.
        """
        return self._apply(actions, Count.LAST)[1][-1]

    def steps(self, *actions: int) -> list[Step]:
        """The same, and what came of each."""
        changed, counts = self._apply(actions, Count.EACH)
        return [Step(*one) for one in zip(actions, map(bool, changed), counts, strict=True)]

    def undo(self, steps: int = 1) -> None:
        """Take the last actions back, exactly: the module is read again, and the others are run again."""
        kept = self.actions[: max(len(self.actions) - steps, 0)]
        self.reset()
        if kept:
            self._apply(kept, Count.NEVER)

    def reset(self) -> None:
        """Read the module again."""
        self._ask(request(Kind.RESET, self._number), "reading the module")
        self.actions = ()

    def fork(self, *, exact: bool = False) -> "Line":
        """A new line that goes on from here.

        A copy, which takes little time, and from which some passes go on otherwise; ``exact``: by running all actions
        again.
        """
        if exact:
            line = self._session.line()
            if self.actions:
                line._apply(self.actions, Count.NEVER)
            return line
        reply = self._ask(request(Kind.FORK, self._number), "copying the module")
        return Line(self._session, _number(reply.rest), self.actions)

    def drop(self) -> None:
        """Forget the line, and give its memory back."""
        self._ask(request(Kind.DROP, self._number), "dropping a line")

    def count(self) -> int:
        """Instructions of blocks that can be reached: the metric ir.instructions."""
        return int(numbers_of(self._see(What.COUNT))[0])

    def autophase(self) -> NDArray[np.int64]:
        """(56,): as ``AUTOPHASE`` names them."""
        return numbers_of(self._see(What.AUTOPHASE))

    def opcodes(self) -> NDArray[np.int64]:
        """Instructions, basic blocks, functions with a body, and instructions of each of LLVM's opcodes from 1 on."""
        return numbers_of(self._see(What.OPCODES))

    def text(self) -> str:
        """The module as text."""
        return self._see(What.TEXT).decode("utf-8", "replace")

    def graph(self) -> Graph:
        """The module in the manner of ProGraML."""
        return graph_of(self._see(What.GRAPH))

    def object_size(self) -> ObjectSize:
        """Of the object that clang makes of the module."""
        return object_size_of(self._see(What.OBJECT))

    def ir2vec(self) -> NDArray[np.float64]:
        """(75,): LLVM's symbolic embedding of the module, by the harness's own vocabulary."""
        return embedding_of(self._see(What.IR2VEC))

    def bitcode(self) -> bytes:
        """The module: the very bytes that opt writes after the same passes, unless the line is a copy's."""
        return self._ask(request(Kind.BITCODE, self._number), "writing the module").rest

    def _see(self, what: What) -> bytes:
        about = f"observing {what.name.lower()}"
        return self._ask(request(Kind.OBSERVE, self._number, bytes([what])), about).rest

    def _apply(self, actions: Sequence[int], count: Count) -> tuple[bytes, tuple[int, ...]]:
        known = range(len(self._session.pipelines))
        unknown = next((action for action in actions if action not in known), None)
        if unknown is not None:
            raise ValueError(f"there is no action {unknown}: they are numbered from 0 to {known.stop - 1}")
        if not actions:
            raise ValueError("no action is named")
        shown = ",".join(self._session.pipelines[action] or "nothing" for action in actions[:3])
        about = f"running {shown}" + (f" and {len(actions) - 3} more" if len(actions) > 3 else "")
        reply = self._ask(steps_request(self._number, actions, count), about, len(actions))
        self.actions += tuple(actions)
        return steps_of(reply.rest, len(actions))

    def _ask(self, content: bytes, about: str, steps: int = 1) -> Reply:
        return self._session._ask(content, about, steps)


def _number(rest: bytes) -> int:
    return int.from_bytes(rest, "little")


def _job(module: Path, table: Path, level: Level, limits: StepLimits, bench: Bench) -> Job:
    words = (_MODULE, _ACTIONS, str(_GENERATED_AT[level]), _VOCABULARY)
    files = {_MODULE: module, _ACTIONS: table, _VOCABULARY: native_folder(PROGRAM) / _VOCABULARY}
    return worker_job(PROGRAM, words, files, bench, lasting=limits.lasting, memory=limits.memory)
