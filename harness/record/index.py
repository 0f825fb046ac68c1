"""The DuckDB index over a results folder: derived, disposable, rebuilt when the files change.

It lives in the cache. A reader opens it read-only and keeps its snapshot while a newer one takes its place (one rename
under a lock). Its name carries when the last of its runs ended, and its digest: one that was altered is built again.
"""

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.digest import digest_file, digest_of
from harness.base.errors import PrerequisiteError, UsageError
from harness.base.paths import cache_root
from harness.base.progress import Observer, SilentObserver
from harness.base.store import cache_errors, make_cache_folder, require_space
from harness.base.text import printable
from harness.base.vocabulary import Isolation
from harness.policy.tracks import all_tracks
from harness.record.backing import Backing, mark_backing, official_runs
from harness.record.ledger import evidence
from harness.record.names import SUMS
from harness.record.rows import Row
from harness.record.runfile import LEDGER, SIGNERS, RunFile, read_run, run_files
from harness.record.tables import BLOCK, CAMPAIGN, COLUMNS, CONDITIONS, CONTRADICTIONS, SAMPLE, VIEWS

if TYPE_CHECKING:
    import duckdb

__all__ = ["open_index", "require_folder", "require_sound"]

_VERSION = 27
_SHORT = 16
"""Digits of digests in an index's name; of its own content twice as many."""
_NOBODY = SilentObserver()


def open_index(
    results: Path,
    *,
    warn: bool = True,
    backing: Backing = Backing.CLAIMED,
    observer: Observer = _NOBODY,
) -> "duckdb.DuckDBPyConnection":
    """A read-only connection to the index of ``results``, built first if the files have changed, which takes some
    seconds for a hundred megabytes (``observer`` is told); of runs that have at least this ``backing``.

    Raises UsageError for a torn or altered run file. Files that are no run files are named on
    standard error and left out.
    """
    import duckdb

    require_folder(results)
    runs, foreign = run_files(results)
    for path in foreign if warn else ():
        print(f"warning: ignored, not a run file: {printable(str(path), lines=False)}", file=sys.stderr)
    # As part of the configuration, not by SET: a second connection of this process would be refused that.
    locked: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "lock_configuration": "true",
    }
    runs = runs if backing is Backing.CLAIMED else _behind(results, runs, backing, observer)
    while True:
        path = _built(results, runs, observer, backing)
        try:
            connection = duckdb.connect(str(path), read_only=True, config=locked)
        except duckdb.IOException:
            if path.exists():
                raise
            # A run has ended since, and another process put the next index in this one's place.
            continue
        return connection


def require_folder(results: Path) -> None:
    """Raise UsageError where something else than a folder is in the place of results; there may be nothing yet."""
    if results.exists() and not results.is_dir():
        raise UsageError(
            "is a file, and no folder of results", where=str(results), hint="name the folder with --results"
        )


def require_sound(results: Path, observer: Observer = _NOBODY) -> None:
    """Raise what ``open_index`` does, before there is something to lose."""
    if runs := run_files(results)[0]:
        _built(results, runs, observer)


def _behind(results: Path, runs: list[Path], backing: Backing, observer: Observer) -> list[Path]:
    """The runs that have at least this backing, of all that there are."""
    with open_index(results, warn=False, observer=observer) as index:
        found = index.execute("SELECT run FROM backing WHERE list_contains(?, backing)", [list(backing.at_least)])
        names = {name for (name,) in found.fetchall()}
    kept = [run for run in runs if run.stem in names]
    if runs and not kept:
        hint = "harness official makes one" if backing is Backing.OFFICIAL else "record the same on another machine"
        raise UsageError(f"no run here is {backing}", where=str(results), hint=hint)
    return kept


def _built(results: Path, runs: list[Path], observer: Observer, backing: Backing = Backing.CLAIMED) -> Path:
    """The index of these files, built if there is none. Raises UsageError for a run file that is none."""
    prefix = digest_of([str(results.resolve()), backing])[:16]
    sums = [*sorted({run.parent / SUMS for run in runs}), results / LEDGER, results / SIGNERS, *evidence(results)]
    key = digest_of([_VERSION, sorted(all_tracks()), [_facts(path, results) for path in (*runs, *sums)]])
    folder = cache_root() / "index"
    if "?" in str(folder):  # DuckDB takes what follows for options, and puts its log elsewhere
        raise PrerequisiteError(
            "DuckDB cannot open files below a folder with '?' in its name",
            where=str(folder),
            hint="set HARNESS_CACHE to another folder",
        )
    path = _known(folder, prefix, key) or _rebuild(folder, prefix, key, runs, official_runs(results), observer)
    if (_end_of_last(path) or 0) > time.time():  # it may have been built while the clock was wrong
        for run in runs:
            read_run(run)
    return path


def _end_of_last(index: Path) -> int | None:
    """When the last run of an index ended, in seconds since 1970, as its name says; None of a name that does not."""
    words = index.stem.split("-")
    return int(words[2]) if len(words) == 4 and re.fullmatch(r"[0-9]{1,12}", words[2]) else None


def _facts(path: Path, results: Path) -> list[str | int] | None:
    """What tells a file from a changed one; None where there is none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return [str(path.relative_to(results)), status.st_size, status.st_mtime_ns]


def _size(path: Path) -> int:
    """Bytes; 0 of what is none, which reading it will say."""
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _known(folder: Path, prefix: str, key: str) -> Path | None:
    """The index of these files, as it was built; None where there is none."""
    try:
        for path in folder.glob(f"{prefix}-{key[:_SHORT]}-[0-9]*-*.duckdb"):
            if _end_of_last(path) is None:
                continue
            status = path.lstat()
            if path.stem.endswith(_digest_of_index(path, status.st_size, status.st_mtime_ns)):
                return path
    except OSError:  # another process has put the next one in its place
        return None
    return None


@lru_cache(maxsize=8)
def _digest_of_index(path: Path, _size: int, _modified: int) -> str:
    """Digest of an index's file, taken again when it has changed."""
    return digest_file(path)[: 2 * _SHORT]


def _rebuild(folder: Path, prefix: str, key: str, runs: list[Path], official: list[str], observer: Observer) -> Path:
    import duckdb
    from filelock import FileLock

    root = cache_root()
    scratch = root / "tmp"  # where the cache looks for what killed processes leave
    make_cache_folder(folder, root)
    make_cache_folder(scratch, root)
    with cache_errors(root), FileLock(folder / f"{prefix}.lock"):
        if (known := _known(folder, prefix, key)) is not None:
            return known
        with tempfile.TemporaryDirectory(dir=scratch, prefix=f"{os.getpid()}-") as temporary:
            made = Path(temporary) / "index.duckdb"
            try:
                last = _build(made, runs, official, observer)
            except duckdb.Error:
                require_space(root)
                raise
            path = folder / f"{prefix}-{key[:_SHORT]}-{last}-{digest_file(made)[: 2 * _SHORT]}.duckdb"
            for old in folder.glob(f"{prefix}-*.duckdb"):
                old.unlink(missing_ok=True)
            os.replace(made, path)
            return path


def _build(made: Path, runs: list[Path], official: list[str], observer: Observer) -> int:
    """Build it, and return when its last run ended, in seconds since 1970."""
    import duckdb

    for name, paths in groupby(sorted(runs, key=lambda path: (path.name, path)), key=lambda path: path.name):
        if len(both := list(paths)) > 1:
            raise UsageError(f"the run is here twice, also as {both[1]}", where=str(both[0]), hint=f"keep one {name}")
    with duckdb.connect(str(made)) as connection:
        connection.execute(
            f"CREATE TABLE rows (run VARCHAR, line BIGINT, suite VARCHAR, {_typed(COLUMNS)}, exact HUGEINT)"
        )
        connection.execute(
            "CREATE TABLE runs (run VARCHAR, suite VARCHAR, suite_version VARCHAR, track VARCHAR, started VARCHAR,"
            " finished VARCHAR, llvm VARCHAR, llvm_version VARCHAR, commit VARCHAR, dirty BOOLEAN, cpu VARCHAR,"
            " min_coverage DOUBLE, file VARCHAR, time_scale DOUBLE, cores BIGINT, fresh VARCHAR,"
            " asked_again_after DOUBLE, unpinned BOOLEAN, packages VARCHAR, machine VARCHAR, model VARCHAR)"
        )
        connection.execute("CREATE TABLE runtimes (run VARCHAR, target VARCHAR, runtime VARCHAR)")
        connection.execute("CREATE TABLE linked (run VARCHAR, benchmark VARCHAR, target VARCHAR, runtime VARCHAR)")
        connection.execute(f"CREATE TABLE campaigns (run VARCHAR, isolation VARCHAR, {_typed(CAMPAIGN)})")
        timed = _typed(BLOCK | SAMPLE | CONDITIONS)
        connection.execute(f"CREATE TABLE timings (run VARCHAR, suite VARCHAR, {timed})")
        connection.execute(
            "CREATE TABLE benchmarks (run VARCHAR, benchmark VARCHAR, split VARCHAR, origin VARCHAR,"
            " program_digest VARCHAR, workloads VARCHAR, cluster VARCHAR)"
        )
        connection.execute("CREATE TABLE training (run VARCHAR, suite VARCHAR, policy VARCHAR, benchmark VARCHAR)")
        connection.execute("CREATE TABLE said (run VARCHAR, suite VARCHAR, policy VARCHAR, what VARCHAR)")
        connection.execute(
            "CREATE TABLE instances (run VARCHAR, suite VARCHAR, benchmark VARCHAR, seconds DOUBLE, best HUGEINT,"
            " bound HUGEINT, plain HUGEINT)"
        )
        connection.execute(
            "CREATE TABLE histories (run VARCHAR, suite VARCHAR, cell VARCHAR, benchmark VARCHAR, policy VARCHAR,"
            " seconds DOUBLE, cost HUGEINT)"
        )
        ends = [0]
        sizes = {path: _size(path) for path in runs}
        observer.stage("index", sum(sizes.values()))
        for path in runs:
            run = read_run(path)
            ends.append(int(datetime.fromisoformat(run.header.finished).timestamp()))
            _load(connection, run)
            observer.advance(sizes[path], run.header.run)
        connection.execute(CONTRADICTIONS, [list(_deterministic())])
        mark_backing(connection, official, list(_deterministic()))
        connection.execute(VIEWS)
        connection.execute("CHECKPOINT")  # closing does it too, but says nothing of a full disk
    return max(ends)


def _load(connection: "duckdb.DuckDBPyConnection", run: RunFile) -> None:
    """The run, from what was checked: nothing is read again, and DuckDB is given no path."""
    header, how = run.header, run.header.solving
    about: list[Any] = [header.run, header.suite, header.suite_version, header.track, header.started, header.finished]
    about += [header.llvm, header.llvm_version, header.commit, header.dirty, header.host.cpu, header.min_coverage]
    about += [str(run.path), *((None, None) if how is None else (how.time_scale, how.cores))]
    about += [None if header.fresh is None else header.fresh.seed, header.asked_again_after, run.unpinned]
    about += [", ".join(header.packages), header.host.identity, header.host.llvm]
    _insert(connection, "runs", [about])
    benchmarks = [
        [header.run, name, facts.split.value, facts.origin, facts.program_digest, facts.workloads, facts.cluster]
        for name, facts in header.benchmarks.items()
    ]
    _insert(connection, "benchmarks", benchmarks)
    _insert(connection, "runtimes", [[header.run, target, digest] for target, digest in header.runtime.items()])
    linked = [
        [header.run, name, target, digest]
        for name, facts in header.benchmarks.items()
        for target, digest in facts.runtime.items()
    ]
    _insert(connection, "linked", linked)
    seen = [[header.run, header.suite, p, name] for p, names in header.trained_on.items() for name in names]
    _insert(connection, "training", seen)
    words = [("deterministic", one) for one in header.deterministic] + [("ceiling", one) for one in header.ceilings]
    _insert(connection, "said", [[header.run, header.suite, policy, what] for what, policy in words])
    known = how.instances.items() if how else ()
    instances = [
        [header.run, header.suite, name, i.seconds, *map(_text, (i.best, i.bound, i.plain))] for name, i in known
    ]
    _insert(connection, "instances", instances)
    rows = [_row(header.run, header.suite, line, row) for line, row in enumerate(run.rows, run.first_line)]
    _insert(connection, "rows", rows)
    campaigns = [one.model_dump(mode="json") for one in run.campaigns]
    isolation = max((row.isolation for row in run.rows), default=Isolation.SANDBOX)  # trusted, if any row is
    _insert(connection, "campaigns", [[header.run, isolation, *(one[name] for name in CAMPAIGN)] for one in campaigns])
    blocks = [one.model_dump(mode="json") for one in run.blocks]
    timings = [
        [header.run, header.suite]
        + [*(b[n] for n in BLOCK), *(sample[n] for n in SAMPLE), *(b["conditions"][n] for n in CONDITIONS)]
        for b in blocks
        for sample in b["samples"]
    ]
    _insert(connection, "timings", timings)
    answers = [
        [header.run, header.suite, h.cell, h.benchmark, h.policy, seconds, str(cost)]
        for h in run.histories
        for seconds, cost in zip(h.seconds, h.costs, strict=True)
    ]
    _insert(connection, "histories", answers)


def _deterministic() -> Iterator[str]:
    """Metrics that must repeat exactly."""
    from harness.measure import all_metrics

    return (metric.name for metric in all_metrics().values() if metric.deterministic)


def _row(run: str, suite: str, line: int, row: Row) -> list[Any]:
    said = row.line()
    value = row.value
    exact = str(value) if isinstance(value, int) else None
    said["metric_version"] = row.metric_version
    said["value"] = None if value is None else float(value)
    fields = [said.get(name) for name in COLUMNS]
    return [run, line, suite, *fields, exact]


def _text(value: int | None) -> str | None:
    """Of a whole number that may have more than 64 bits: DuckDB casts it."""
    return None if value is None else str(value)


def _insert(connection: "duckdb.DuckDBPyConnection", table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Append rows to a table, as one text of JSON: by way of Arrow, pandas would be imported too, for nothing."""
    if not rows:
        return
    kinds = (str(kind) for _, kind, *_ in connection.execute(f"DESCRIBE {table}").fetchall())
    shape = {f"c{number}": ["VARCHAR" if kind == "HUGEINT" else kind] for number, kind in enumerate(kinds)}
    columns = json.dumps(dict(zip(shape, zip(*rows, strict=True), strict=True)), allow_nan=False)
    said = "SELECT from_json(?, ?) AS said"
    each = ", ".join(f"unnest(said.{name})" for name in shape)
    connection.execute(f"INSERT INTO {table} SELECT {each} FROM ({said})", [columns, json.dumps(shape)])


def _typed(columns: dict[str, str]) -> str:
    return ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
