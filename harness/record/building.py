"""What an index has in it: every line of every run file, and what follows from all of them together.

What a former index of the same folder has is taken over, if nothing of it has changed: a run more is all that is read.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.base.progress import Observer
from harness.base.vocabulary import Isolation
from harness.policy.tracks import all_tracks
from harness.record.backing import mark_backing
from harness.record.names import SUMS
from harness.record.rows import Row
from harness.record.runfile import RunFile, read_run
from harness.record.tables import BLOCK, CAMPAIGN, COLUMNS, CONDITIONS, CONTRADICTIONS, SAMPLE, VIEWS

if TYPE_CHECKING:
    import duckdb

__all__ = ["Facts", "basis", "build", "facts_of"]

_VERSION = 28
Facts = tuple[str, int, int]
"""What tells a file from a changed one: its place in the folder, bytes, and when it was written, in ns since 1970."""


def basis() -> str:
    """What an index depends on besides the files."""
    return digest_of([_VERSION, sorted(all_tracks())])


def facts_of(path: Path, results: Path) -> Facts | None:
    """Those of a file in the folder; None where there is none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return str(path.relative_to(results)), status.st_size, status.st_mtime_ns


def build(
    made: Path, results: Path, runs: Sequence[Path], official: list[str], observer: Observer, before: Path | None
) -> int:
    """Build it, and return when its last run ended, in seconds since 1970.

    ``official``: names of the runs that are; ``before``: a former index of the folder, as it was built. Raises
    UsageError for a run file that is none, and for a run that is there twice.
    """
    import duckdb

    for name, paths in groupby(sorted(runs, key=lambda path: (path.name, path)), key=lambda path: path.name):
        if len(both := list(paths)) > 1:
            raise UsageError(f"the run is here twice, also as {both[1]}", where=str(both[0]), hint=f"keep one {name}")
    # Before anything is read: what changes meanwhile is read again the next time.
    facts = {run: facts_of(run, results) or (str(run.relative_to(results)), -1, -1) for run in runs}
    sums = [facts_of(folder / SUMS, results) for folder in sorted({run.parent for run in runs})]
    made_by = digest_of([basis(), [one for one in sums if one]])
    had = _taken_over(made, before, made_by, facts) if before else frozenset()
    new = [run for run in runs if run not in had]
    with duckdb.connect(str(made)) as connection:
        if not had:
            _create(connection, made_by)
        observer.stage("index", sum(facts[run][1] for run in new))
        for path in new:
            run = read_run(path)
            _load(connection, run)
            connection.execute("INSERT INTO files VALUES (?, ?, ?)", facts[path])
            observer.advance(facts[path][1], run.header.run)
        connection.execute("DROP TABLE IF EXISTS contradictions")
        connection.execute("DROP TABLE IF EXISTS backing")
        connection.execute(CONTRADICTIONS, [list(_deterministic())])
        mark_backing(connection, official, list(_deterministic()))
        ends = connection.execute("SELECT finished FROM runs").fetchall()
        connection.execute("CHECKPOINT")  # closing does it too, but says nothing of a full disk
    return max((int(datetime.fromisoformat(end).timestamp()) for (end,) in ends), default=0)


def _taken_over(made: Path, before: Path, made_by: str, facts: Mapping[Path, Facts]) -> frozenset[Path]:
    """The runs that a former index has, which is copied to begin with; none where it was built otherwise, or has what
    has changed or is gone.
    """
    import duckdb

    try:
        shutil.copyfile(before, made)
        with duckdb.connect(str(made), read_only=True) as connection:
            said = connection.execute("SELECT basis FROM basis").fetchall()
            known = connection.execute("SELECT file, bytes, written FROM files").fetchall()
    except (OSError, duckdb.Error):  # it is of a former version, or has gone since
        said, known = [], []
    runs = {fact: run for run, fact in facts.items()}
    if known and said == [(made_by,)] and all(fact in runs for fact in known):
        return frozenset(runs[fact] for fact in known)
    made.unlink(missing_ok=True)
    return frozenset()


def _create(connection: "duckdb.DuckDBPyConnection", made_by: str) -> None:
    """All tables and views, but those that are made of all runs together."""
    connection.execute(f"CREATE TABLE rows (run VARCHAR, line BIGINT, suite VARCHAR, {_typed(COLUMNS)}, exact HUGEINT)")
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
    connection.execute("CREATE TABLE files (file VARCHAR, bytes BIGINT, written BIGINT)")
    connection.execute("CREATE TABLE basis AS SELECT ? AS basis", [made_by])
    connection.execute(VIEWS)


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
