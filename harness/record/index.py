"""The DuckDB index over a results folder: derived, disposable, rebuilt when the files change.

It lives in the cache. A reader opens it read-only and keeps its snapshot while a newer one takes
its place (one rename under a lock).
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from harness.digest import digest_of
from harness.errors import UsageError
from harness.paths import cache_root
from harness.record.runfile import check_run, run_files
from harness.store import cache_errors, make_cache_folder, require_space

if TYPE_CHECKING:
    import duckdb

__all__ = ["open_index"]

_VERSION = 4
_COLUMNS = {
    "cell": "VARCHAR",
    "campaign": "VARCHAR",
    "benchmark": "VARCHAR",
    "target": "VARCHAR",
    "track": "VARCHAR",
    "kind": "VARCHAR",
    "class": "VARCHAR",
    "policy": "VARCHAR",
    "policy_digest": "VARCHAR",
    "seed": "BIGINT",
    "level": "VARCHAR",
    "isolation": "VARCHAR",
    "frozen_digest": "VARCHAR",
    "decisions_digest": "VARCHAR",
    "object_digest": "VARCHAR",
    "outcome": "VARCHAR",
    "detail": "VARCHAR",
    "metric": "VARCHAR",
    "workload": "VARCHAR",
    "function": "VARCHAR",
    "pair": "BIGINT",
    "order": "BIGINT",
    "layout": "BIGINT",
    "value": "DOUBLE",
    "unit": "VARCHAR",
}
"""Columns of table ``rows``, beside ``run``, ``line`` and ``suite`` (docs/schema.md)."""

_VIEWS = """
-- One row per recorded cell.
CREATE VIEW cells AS
SELECT DISTINCT r.run, u.started, u.llvm, r.suite, r.cell, r.benchmark, r.target, r.track, r.class, r.kind,
       r.policy, r.policy_digest, r.seed, r.level, r.isolation, r.frozen_digest, r.decisions_digest, r.object_digest,
       r.outcome, CASE WHEN r.outcome = 'ok' THEN '' ELSE coalesce(r.detail, '') END AS detail,
       b.split, b.origin, b.program_digest
FROM rows r JOIN runs u USING (run) JOIN benchmarks b USING (run, benchmark);
-- One row per measured quantity: of the same cell and metric, the newest, and one taken in the sandbox before others.
CREATE VIEW measurements AS
SELECT r.*, u.started, u.llvm FROM rows r JOIN runs u USING (run) WHERE r.value IS NOT NULL
QUALIFY row_number() OVER (
    PARTITION BY r.cell, r.metric, r.workload, r.function, r.pair
    ORDER BY r.isolation, u.started DESC, r.run DESC) = 1;
"""


def open_index(results: Path, *, warn: bool = True) -> "duckdb.DuckDBPyConnection":
    """A read-only connection to the index of ``results``, built first if the files have changed.

    Raises UsageError for a torn or altered run file. Files that are no run files are named on
    standard error and left out.
    """
    import duckdb

    runs, foreign = run_files(results)
    for path in foreign if warn else ():
        print(f"warning: ignored, not a run file: {path}", file=sys.stderr)
    prefix = digest_of(str(results.resolve()))[:16]
    key = digest_of([_VERSION, [[str(p.relative_to(results)), p.stat().st_size, p.stat().st_mtime_ns] for p in runs]])
    path = cache_root() / "index" / f"{prefix}-{key[:16]}.duckdb"
    # As part of the configuration, not by SET: a second connection of this process would be refused that.
    locked: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "lock_configuration": "true",
    }
    while True:
        if not path.exists():
            _rebuild(path, prefix, runs)
        try:
            return duckdb.connect(str(path), read_only=True, config=locked)
        except duckdb.IOException:
            if path.exists():
                raise
            # A run has ended since, and another process put the next index in this one's place.


def _rebuild(path: Path, prefix: str, runs: list[Path]) -> None:
    import duckdb
    from filelock import FileLock

    root = cache_root()
    scratch = root / "tmp"  # where the cache looks for what killed processes leave
    make_cache_folder(path.parent, root)
    make_cache_folder(scratch, root)
    with cache_errors(root), FileLock(path.parent / f"{prefix}.lock"):
        if path.exists():
            return
        with tempfile.TemporaryDirectory(dir=scratch, prefix=f"{os.getpid()}-") as folder:
            made = Path(folder) / "index.duckdb"
            try:
                _build(made, runs)
            except duckdb.Error:
                require_space(root)
                raise
            for old in path.parent.glob(f"{prefix}-*.duckdb"):
                old.unlink(missing_ok=True)
            os.replace(made, path)


def _build(made: Path, runs: list[Path]) -> None:
    import duckdb

    with duckdb.connect(str(made)) as connection:
        columns = ", ".join(f'"{name}" {kind}' for name, kind in _COLUMNS.items())
        connection.execute(f"CREATE TABLE rows (run VARCHAR, line BIGINT, suite VARCHAR, {columns})")
        connection.execute(
            "CREATE TABLE runs (run VARCHAR, suite VARCHAR, suite_version VARCHAR, track VARCHAR, started VARCHAR,"
            " finished VARCHAR, llvm VARCHAR, llvm_version VARCHAR, commit VARCHAR, dirty BOOLEAN, cpu VARCHAR,"
            " file VARCHAR)"
        )
        connection.execute(
            "CREATE TABLE benchmarks (run VARCHAR, benchmark VARCHAR, split VARCHAR, origin VARCHAR,"
            " program_digest VARCHAR)"
        )
        for path in runs:
            _load(connection, path)
        connection.execute(_VIEWS)
        connection.execute("CHECKPOINT")  # closing does it too, but says nothing of a full disk


def _load(connection: "duckdb.DuckDBPyConnection", path: Path) -> None:
    import duckdb

    header, lines = check_run(path)
    connection.execute(
        "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [header.run, header.suite, header.suite_version, header.track.value, header.started, header.finished]
        + [header.llvm, header.llvm_version, header.commit, header.dirty, header.host.cpu, str(path)],
    )
    facts = [[header.run, n, f.split.value, f.origin, f.program_digest] for n, f in header.benchmarks.items()]
    if facts:
        connection.executemany("INSERT INTO benchmarks VALUES (?, ?, ?, ?, ?)", facts)
    columns = {"header": "JSON", **_COLUMNS}
    typed = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    names = ", ".join(f'"{name}"' for name in _COLUMNS)
    try:
        connection.execute(
            f"INSERT INTO rows SELECT ?, line, ?, {names} FROM ("
            f"  SELECT *, row_number() OVER () AS line"
            f"  FROM read_json(?, format = 'newline_delimited', columns = {{{typed}}}))"
            f" WHERE header IS NULL",
            [header.run, header.suite, str(path)],
        )
    except (duckdb.DataError, duckdb.ProgrammingError) as error:
        raise UsageError(f"rows are not readable: {str(error).splitlines()[0]}", where=str(path)) from None
    loaded = connection.execute("SELECT count(*) FROM rows WHERE run = ? AND benchmark IS NOT NULL", [header.run])
    counted = (loaded.fetchone() or (0,))[0]
    if counted != len(lines):
        raise UsageError(f"{len(lines)} rows, of which {counted} are readable", where=str(path))
