"""The worker that compiles modules as ``clang -Oz`` does, under policies that explore; ``native/collect`` is its other
end. No run ever starts it: what is measured is compiled by clang itself.
"""

import re
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from harness.problems.inlining.replay import RULES
from harness.problems.programs.session.wire import Reply, Status
from harness.problems.programs.session.worker import Worker, worker_job
from harness.sandbox import GIB
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_folder

__all__ = ["HEURISTIC", "PARTS", "PROGRAM", "Collector", "Compiled", "Exploration", "Steps"]

PROGRAM = "collect"
_HEAD = struct.Struct("<IBI")
_COMPILE = struct.Struct("<BBfQ")
_COUNT = struct.Struct("<I")
_SIZES = struct.Struct("<QQQQI")
_COUNTS = struct.Struct("<II")
_GONE = 0xFFFFFFFF
_START = 30.0
"""Seconds for the first word."""
_LASTING = 86_400.0
"""Seconds from the start to the end."""
_STEP = np.dtype([("caller", "<u4"), ("callee", "<u4"), ("logit", "<f4"), ("inline", "<u4")])


PARTS = tuple(re.findall(r"^  PART\((\w+)\)", (native_folder("inline") / "size.h").read_text(), re.MULTILINE))
"""What the model of size counts, by the names of ``native/inline/size.h``."""


class _Wanted(IntEnum):
    POLICY = 0
    COMPILE = 1


class _How(IntEnum):
    HEURISTIC = 0
    NETWORK = 1
    TABLE = 2


@dataclass(frozen=True, slots=True)
class Exploration:
    """How the network decides. Without heat it takes the likelier decision."""

    heat: float = 0.0
    """The logit is divided by it, and is the logarithm of the odds of inlining then."""
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """What a policy was asked in one compilation, in order."""

    features: NDArray[np.int64]
    """(questions, features): those that the network asks for, or all; none without a network."""
    inline: NDArray[np.bool_]
    """(questions,): what was decided."""
    logits: NDArray[np.float32]
    """(questions,): of inlining; 0 where no network was asked."""
    callers: NDArray[np.int64]
    """(questions,): numbers of functions in the module's order; -1 for one that it did not begin with."""
    callees: NDArray[np.int64]
    """The same of what is called."""


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """What became of a module."""

    alloc: int
    """Bytes of the object: the metric size.alloc."""
    text: int
    """The metric size.text."""
    unwind: int
    """Bytes of its unwind table."""
    digest: int
    """Of the object: 64 bits."""
    functions: NDArray[np.int64]
    """(functions,): bytes of code of each that the module defined, in its order; -1 for one that is gone."""
    unwinds: NDArray[np.int64]
    """(functions,): bytes of its part of the unwind table; -1 for one that is gone."""
    steps: Steps
    parts: NDArray[np.int64] | None
    """(functions, parts): what each consists of before code is generated, if that was asked for: ``PARTS``."""
    table: bytes
    """The decisions, if they were asked for."""


HEURISTIC = Exploration(heat=-1.0)
"""LLVM's own heuristic decides."""


class Collector:
    """One process. Not for two threads at once. A context: at its end the process ends.

    A module that crashes LLVM, hangs or takes all memory ends the process: SessionLost.
    """

    def __init__(self, bench: Bench, *, seconds: float = 60.0, memory: int = 4 * GIB) -> None:
        """``seconds``: for each module. ``memory``: in bytes."""
        self.seconds = seconds
        self.started = time.monotonic()
        job = worker_job(PROGRAM, RULES, {}, bench, lasting=_LASTING, memory=memory)
        self._worker = Worker(job, bench.sandbox, _START)

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

    def use(self, network: bytes) -> None:
        """Take this network from now on (``harness.learn.inliners.network``). Raises ValueError for what is none."""
        self._ask(_Wanted.POLICY, network, "reading a network", _START)

    def compile(
        self,
        bitcode: bytes,
        how: Exploration = HEURISTIC,
        *,
        forced: Mapping[int, bool] | None = None,
        table: bytes | None = None,
        all_features: bool = False,
        with_decisions: bool = False,
        with_parts: bool = False,
        once_for_callee: bool = False,
        closed: bool = False,
    ) -> Compiled:
        """Compile a module. ``forced``: number of a function → whether calls of it are inlined, whatever ``how`` says.
        ``table``: decisions to follow, LLVM's heuristic for what they do not have.

        ``all_features``: all of ``STATIC_FEATURES``, not only those that the network asks for. ``once_for_callee``:
        all calls of a function are decided as the first. ``closed``: functions that the module calls are called
        nowhere else.

        Raises SessionLost, and ValueError for what is no module.
        """
        deciding = _How.HEURISTIC if how is HEURISTIC else _How.NETWORK
        deciding = _How.TABLE if table is not None else deciding
        given = table or b""
        asked = (all_features, with_decisions, with_parts, once_for_callee, closed)
        flags = sum(int(flag) << place for place, flag in enumerate(asked))
        pairs = [part for number, inline in (forced or {}).items() for part in (number, int(inline))]
        request = (
            _COMPILE.pack(deciding, flags, max(how.heat, 0.0), how.seed),
            struct.pack(f"<I{len(pairs)}I", len(pairs) // 2, *pairs),
            _COUNT.pack(len(given)),
            given,
            bitcode,
        )
        reply = self._ask(_Wanted.COMPILE, b"".join(request), "compiling a module", self.seconds)
        return _compiled(reply.rest, with_parts=with_parts)

    def _ask(self, kind: _Wanted, rest: bytes, about: str, seconds: float) -> Reply:
        request = _HEAD.pack(_HEAD.size - 4 + len(rest), kind, 0) + rest
        reply = self._worker.exchange(request, about, seconds)
        if reply.status is not Status.GOOD:
            raise ValueError(f"{about}: {reply.rest.decode('ascii', 'replace')}")
        return reply


def _compiled(rest: bytes, *, with_parts: bool) -> Compiled:
    """What ``native/collect/main.cpp`` says."""
    alloc, text, unwind, digest, functions = _SIZES.unpack_from(rest)
    at = _SIZES.size
    sizes = _numbers(np.frombuffer(rest, "<u4", 2 * functions, at)).reshape(functions, 2)
    at += 8 * functions
    questions, width = _COUNTS.unpack_from(rest, at)
    at += _COUNTS.size
    asked = np.frombuffer(rest, _STEP, questions, at)
    at += _STEP.itemsize * questions
    features = np.frombuffer(rest, "<i8", questions * width, at).reshape(questions, width)
    at += 8 * questions * width
    steps = Steps(
        features,
        asked["inline"].astype(np.bool_),
        asked["logit"].astype(np.float32),
        _numbers(asked["caller"]),
        _numbers(asked["callee"]),
    )
    parts = None
    if with_parts:
        parts = np.frombuffer(rest, "<i8", functions * len(PARTS), at).reshape(functions, len(PARTS))
        at += 8 * functions * len(PARTS)
    return Compiled(alloc, text, unwind, digest, sizes[:, 0], sizes[:, 1], steps, parts, rest[at:])


def _numbers(values: NDArray[np.integer]) -> NDArray[np.int64]:
    wide = values.astype(np.int64)
    wide[wide == _GONE] = -1
    return wide
