"""The session of a search: a process in the sandbox that has one module in memory, and compiles it under decisions."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from harness.freeze import FrozenModule
from harness.problems.inlining.ask import TRIED_SHARE
from harness.problems.inlining.replay import RULES
from harness.problems.inlining.sites import Site, body_of, log_of, parse_log, sites_of
from harness.problems.programs.session.wire import Status, request
from harness.problems.programs.session.worker import Worker, worker_job
from harness.sandbox import GIB
from harness.sandbox.bench import Bench

__all__ = ["PROGRAM", "SECONDS", "TRYING_SECONDS", "Compiled", "Compiling"]

PROGRAM = "inline_session"
"""Of ``native/``."""
SECONDS = 60.0
"""CPU seconds that one compilation may take."""
TRYING_SECONDS = 30 * SECONDS
"""That trials of all functions may take together."""
_MEMORY = 4 * GIB
_START = 30.0
"""Seconds for the first word."""
_LASTING = 86_400.0
_MODULE = "module.bc"
_TABLE, _TRIALS, _NAMES = range(3)
_OBJECT = struct.Struct("<QQ")
_FUNCTION = struct.Struct("<II")
_TRIED = struct.Struct("<BBqd")
_GONE = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Compiled:
    """What became of the module."""

    alloc: int
    """Bytes of the object: size.alloc."""
    text: int
    """size.text."""
    code: dict[str, int]
    """Bytes of each function that is still there."""
    unwind: dict[str, int]
    """Bytes that each of them has of the unwind table."""
    sites: tuple[Site, ...]
    """All call sites, in the inliner's order."""


class Compiling:
    """The process. Not for two threads at once. Its methods raise SessionLost once it is gone."""

    def __init__(self, frozen: FrozenModule, bench: Bench) -> None:
        """Raises SessionLost for a module that LLVM does not read, and what ``Sandbox.run`` raises."""
        words = (_MODULE, *RULES)
        job = worker_job(PROGRAM, words, {_MODULE: frozen.bitcode}, bench, lasting=_LASTING, memory=_MEMORY)
        self._worker = Worker(job, bench.sandbox, _START)
        self._names = self._ask(_NAMES, b"", _START).decode("ascii").split()

    @property
    def cpu(self) -> float:
        """CPU seconds that the process has used, when it last answered; in all, once it has ended."""
        return self._worker.cpu

    def close(self) -> None:
        """End the process. Safe to be called again."""
        self._worker.end()

    def under(self, sites: Sequence[Site], *, most: float = SECONDS) -> Compiled:
        """The module under these decisions; LLVM's heuristic decides all others. ``most``: CPU seconds."""
        return self._compiled(self._ask(_TABLE, log_of(body_of(sites)).encode("ascii"), most))

    def by_trial(self, *, by_text: bool, least: int, only_calls: bool, most: float = TRYING_SECONDS) -> Compiled:
        """The module with every function decided by trial, as docs/inlining.md says: inlined where that saves at least
        so many bytes, of what is loaded or ``by_text`` of code. ``only_calls``: also those that are called once.
        """
        asked = _TRIED.pack(by_text, only_calls, least, TRIED_SHARE)
        return self._compiled(self._ask(_TRIALS, asked, most))

    def _ask(self, kind: int, rest: bytes, seconds: float) -> bytes:
        reply = self._worker.exchange(request(kind, 0, rest), "compiling the program", seconds)
        assert reply.status is Status.GOOD, "it is asked what it can answer"
        return reply.rest

    def _compiled(self, rest: bytes) -> Compiled:
        alloc, text = _OBJECT.unpack_from(rest)
        end = _OBJECT.size + _FUNCTION.size * len(self._names)
        sizes = zip(self._names, _FUNCTION.iter_unpack(rest[_OBJECT.size : end]), strict=True)
        there = {name: size for name, size in sizes if size[0] != _GONE}
        sites = sites_of(parse_log(rest[end:].decode("ascii")))
        return Compiled(
            alloc,
            text,
            {name: code for name, (code, _) in there.items()},
            {name: unwind for name, (_, unwind) in there.items()},
            tuple(sites),
        )
