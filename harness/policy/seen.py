"""What a policy says that it was made on: whatever names a suite of ours must name something that is there.

A name with a slip of the pen would claim nothing in silence, and the policy would be ranked on what it has seen.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from harness.base.errors import UsageError
from harness.base.text import closest
from harness.base.vocabulary import Split
from harness.suite.known import known_suites
from harness.suite.load import load_suite, suite_file, suite_names

__all__ = ["require_known"]

_NAMES = re.compile(r"([\w.-]+)([:/])([\w.-]+)")


def require_known(trained_on: Iterable[str], where: str) -> None:
    """Raise UsageError, naming ``where``, for an entry that is meant for a suite and names nothing of it.

    Free words (``a corpus of kernels``) and suites that the harness does not know are left as they are.
    """
    for entry in trained_on:
        if fault := _fault(entry):
            message, hint = fault
            raise UsageError(f"trained_on: {entry!r}: {message}", where=where, hint=hint)


def _fault(entry: str) -> tuple[str, str] | None:
    """What is wrong with it, and what to do."""
    suites = known_suites()
    if entry in suites:
        return "which programs of this suite?", f"write {entry}:train, {entry}:test or both, or {entry}/PROGRAM"
    named = _NAMES.fullmatch(entry)
    if named is None:
        return None
    suite, mark, what = named.groups()
    if suite not in suites:
        meant = closest(suite, suites)
        return (f"there is no suite {suite!r}", f"did you mean {meant}{mark}{what}?") if meant else None
    splits = [split.value for split in Split]
    if mark == ":":
        return None if what in splits else (f"there is no split {what!r}", f"there are: {', '.join(splits)}")
    if suite not in suite_names():
        return None  # of instances, which only their problem knows
    facts = suite_file(suite).stat()
    programs = _programs(suite, facts.st_mtime_ns, facts.st_size)
    if what in programs:
        return None
    meant = closest(what, programs)
    hint = f"did you mean {suite}/{meant}?" if meant else f"there are: {', '.join(programs)}"
    return f"{suite} has no program {what!r}", hint


@lru_cache(maxsize=32)
def _programs(suite: str, _changed: int, _size: int) -> tuple[str, ...]:
    """Names of a suite's programs; read once for all policies, as long as the file is the same."""
    return tuple(program.benchmark.name for program in load_suite(suite).programs)
