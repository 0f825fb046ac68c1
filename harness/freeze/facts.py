"""Facts of a module that decide whether a pass may run on it, from its text, found once for each module."""

import re
from enum import StrEnum
from pathlib import Path

from harness.base.digest import digest_file, digest_of
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job

__all__ = ["Fact", "facts_of", "facts_of_text"]


class Fact(StrEnum):
    """Something that a module has and a pass would not keep."""

    INVOKES = "invokes"
    """A call whose exceptions are caught, or clean up on their way."""
    ATOMICS = "atomics"
    """An atomic load, store, exchange or fence."""
    COROUTINES = "coroutines"
    """A C++ coroutine that is not yet lowered."""


_SECONDS = 300.0
_MODULE = "module.bc"
_ASSIGNED = rb"\n  (?:%[^\n]*? = )?"
_PATTERNS: dict[Fact, tuple[tuple[bytes, ...], re.Pattern[bytes]]] = {
    Fact.INVOKES: ((b"invoke ",), re.compile(_ASSIGNED + rb"invoke ")),
    Fact.ATOMICS: (
        (b"load atomic ", b"store atomic ", b"cmpxchg ", b"atomicrmw ", b"fence "),
        re.compile(_ASSIGNED + rb"(?:load atomic|store atomic|cmpxchg|atomicrmw|fence) "),
    ),
    Fact.COROUTINES: (
        (b"@llvm.coro.", b"presplitcoroutine"),
        re.compile(rb"\ndeclare [^\n]*@llvm\.coro\.|\nattributes [^\n]* presplitcoroutine"),
    ),
}
"""Fact → words that a module with it has for certain, quick to look for, and the instruction itself. A newline inside a
string constant is written ``\\0A``: no constant looks like an instruction."""


def facts_of_text(ir: bytes) -> frozenset[Fact]:
    """The facts of a module's text."""
    return frozenset(
        fact
        for fact, (words, instruction) in _PATTERNS.items()
        if any(word in ir for word in words) and instruction.search(ir)
    )


def facts_of(bitcode: Path, bench: Bench) -> frozenset[Fact]:
    """The facts of a module, from the cache if they were found before.

    Raises CellError, ``compile-error``, for a file that is no module.
    """
    key = digest_of(["facts", 1, digest_file(bitcode), bench.toolchain.fingerprint.llvm])
    known = bench.store.get("facts", key)
    if isinstance(known, list) and all(word in set(Fact) for word in known):
        return frozenset(map(Fact, known))
    done = run_tool(tool_job("llvm-dis", (_MODULE, "-o", "-"), {_MODULE: bitcode}, (), _SECONDS, bench), bench)
    if not done.ok:
        raise CellError(Outcome.COMPILE_ERROR, done.reason_line(), done.transient)
    found = facts_of_text(done.stdout)
    bench.store.put("facts", key, sorted(found))
    return found
