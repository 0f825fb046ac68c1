"""``harness suites`` and ``harness fetch``."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.base.errors import HarnessError, UsageError
from harness.cli.output import Column, Format, emit, note, observer, tell
from harness.problems.protocol import Benchmarks, SuiteAsked
from harness.problems.registry import all_benchmarks, benchmarks_of, require_own
from harness.run.engines import local_engine
from harness.sandbox.bench import open_bench

__all__ = ["fetch", "suites"]

_SUITES = (
    Column("suite", "name"),
    Column("version", "version"),
    Column("benchmarks", "programs", right=True),
    Column("description", "description"),
)


def suites(words: Sequence[str], declared: Mapping[str, Any], trust: bool, format_: Format) -> int:
    """``[]``: all suites; ``[NAME]``: one; ``[WORD, NAME, BENCHMARK…]``: what the word asks of it."""
    known = {word for sort in all_benchmarks().values() for word in sort.suite_words}
    word, names = (words[0], words[1:]) if words and words[0] in known else ("", words)
    if not word and not names:
        records = [sort.facts(name) for sort in all_benchmarks().values() for name in sort.names()]
        emit(sorted(records, key=lambda record: str(record["name"])), _SUITES, format_)
        return 0
    if not names:
        every = sorted(name for sort in all_benchmarks().values() if word in sort.suite_words for name in sort.names())
        raise UsageError("which suite?", hint=f"harness suites {word} NAME; there are: {', '.join(every)}")
    folder, sort = benchmarks_of(names[0])
    require_own(f"suites {word}".strip(), declared, folder, names[0])
    if word:
        if word not in sort.suite_words:
            raise UsageError(f"{names[0]} is a suite of {sort.called}, of which nothing is said by `suites {word}`")
        answer = sort.suite_words[word]
    elif len(names) > 1:
        hint = "to check one: harness suites check NAME"
        raise UsageError(f"one suite at a time, not {' '.join(names)!r}", hint=hint)
    else:
        return _show(names[0], sort, format_)
    with _asked(names[0], names[1:], declared, trust) as asked:
        found = answer(asked)
    return tell(found, format_)


def _show(suite: str, sort: Benchmarks, format_: Format) -> int:
    bench = None
    try:
        bench = open_bench()
    except HarnessError as error:
        note(f"warning: sizes cannot be shown: {error}")
    progress = observer()
    try:
        found = sort.show(suite, bench, progress)
    finally:
        progress.close()
    return tell(found, format_)


def fetch(suite: str, folder: Path | None, declared: Mapping[str, Any]) -> int:
    """Fetch everything that the suite needs and that is not in the cache, or all of it from ``folder``."""
    if folder is not None and not folder.is_dir():
        raise UsageError("there is no such folder", where=str(folder))
    owner, sort = benchmarks_of(suite)
    require_own("fetch", declared, owner, suite)
    with _asked(suite, (), declared, trust=False) as asked:
        found = sort.fetch(asked, folder)
    return tell(found, Format.TABLE)


@contextmanager
def _asked(suite: str, benchmarks: Sequence[str], declared: Mapping[str, Any], trust: bool) -> Iterator[SuiteAsked]:
    """With progress that is closed when the answer is there."""
    jobs = declared.get("jobs") or len(os.sched_getaffinity(0))
    progress = observer()
    try:
        yield SuiteAsked(suite, benchmarks, declared, open_bench(trust=trust), local_engine(jobs), progress)
    finally:
        progress.close()
