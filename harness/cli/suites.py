"""``harness suites`` and ``harness fetch``."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.base.errors import HarnessError, PrerequisiteError, UsageError
from harness.base.paths import SUITES
from harness.cli.output import Column, Format, emit, note, observer, tell
from harness.problems.protocol import SuiteAsked
from harness.problems.registry import all_benchmarks, benchmarks_of, require_own
from harness.run.engines import local_engine
from harness.sandbox.bench import COMPILE_TIMEOUT, open_bench

__all__ = ["ask", "fetch", "list_suites", "show"]

_SUITES = (
    Column("suite", "name"),
    Column("version", "version"),
    Column("benchmarks", "programs", right=True),
    Column("description", "description"),
)


def list_suites(format_: Format) -> int:
    """Every suite that comes with the harness, or with a package that is installed beside it."""
    records = [sort.facts(name) for sort in all_benchmarks().values() for name in sort.names()]
    if not records:
        raise PrerequisiteError(
            "the suites that come with the harness are missing", where=str(SUITES), hint="install the harness again"
        )
    emit(sorted(records, key=lambda record: str(record["name"])), _SUITES, format_)
    return 0


def ask(
    word: str, suite: str | None, benchmarks: Sequence[str], declared: Mapping[str, Any], trust: bool, format_: Format
) -> int:
    """What the word asks of a suite. Raises UsageError where it means nothing for a suite of this sort."""
    if suite is None:
        every = sorted(name for sort in all_benchmarks().values() if word in sort.suite_words for name in sort.names())
        raise UsageError("which suite?", hint=f"harness suites {word} NAME; there are: {', '.join(every)}")
    folder, sort = benchmarks_of(suite)
    require_own(f"suites {word}", declared, folder, suite)
    if word not in sort.suite_words:
        raise UsageError(f"`suites {word}` does not apply to {suite}, which is a suite of {sort.called}")
    with _asked(suite, benchmarks, declared, trust) as asked:
        found = sort.suite_words[word](asked)
    return tell(found, format_)


def show(suite: str, format_: Format) -> int:
    """The suite's benchmarks; without a workbench, what can be said of them without one."""
    sort, bench = benchmarks_of(suite)[1], None
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
        bench = open_bench(declared.get("compile_timeout", COMPILE_TIMEOUT), trust=trust)
        yield SuiteAsked(suite, benchmarks, declared, bench, local_engine(jobs), progress)
    finally:
        progress.close()
