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
from harness.record.rows import Header
from harness.record.runfile import BLOCK_LINE, CAMPAIGN_LINE, HISTORY_LINE, check_run, run_files
from harness.store import cache_errors, make_cache_folder, require_space
from harness.text import printable

if TYPE_CHECKING:
    import duckdb

__all__ = ["open_index"]

_VERSION = 9
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
    "copy": "BIGINT",
    "level": "VARCHAR",
    "isolation": "VARCHAR",
    "frozen_digest": "VARCHAR",
    "decisions_digest": "VARCHAR",
    "object_digest": "VARCHAR",
    "outcome": "VARCHAR",
    "detail": "VARCHAR",
    "fresh": "VARCHAR",
    "metric": "VARCHAR",
    "workload": "VARCHAR",
    "function": "VARCHAR",
    "value": "DOUBLE",
    "unit": "VARCHAR",
}
"""Columns of table ``rows``, beside ``run``, ``line``, ``suite`` and ``exact`` (docs/schema.md)."""
_EXACT = "CASE WHEN regexp_full_match(CAST(value AS VARCHAR), '-?[0-9]+') THEN TRY_CAST(value AS HUGEINT) END"
"""A whole number as it stands in the file: as DOUBLE, costs of sharding instances lose their last digits."""
_CAMPAIGN = {
    "campaign": "VARCHAR",
    "started": "VARCHAR",
    "finished": "VARCHAR",
    "core": "BIGINT",
    "slice": "DOUBLE",
    "precision": "DOUBLE",
    "budget": "DOUBLE",
    "seconds": "DOUBLE",
    "blocks": "BIGINT",
    "control": "STRUCT(ratio DOUBLE, low DOUBLE, high DOUBLE, pairs BIGINT)",
    "marks": "VARCHAR[]",
}
_BLOCK = {
    "campaign": "VARCHAR",
    "benchmark": "VARCHAR",
    "target": "VARCHAR",
    "workload": "VARCHAR",
    "inputs": "VARCHAR",
    "number": "BIGINT",
    "layout": "BIGINT",
    "passes": "BIGINT",
}
_CONDITIONS = {
    "seconds": "DOUBLE",
    "waited": "DOUBLE",
    "others": "DOUBLE",
    "busy": "DOUBLE",
    "steal": "DOUBLE",
    "pressure": "DOUBLE",
    "load": "DOUBLE",
    "frequency": "DOUBLE",
    "throttled": "BIGINT",
    "idle": "DOUBLE",
    "suspended": "DOUBLE",
}
_SAMPLE = {"object": "VARCHAR", "cpu": "DOUBLE", "wall": "DOUBLE", "preemptions": "BIGINT", "first": "BIGINT"}

_VIEWS = """
-- One row per recorded cell.
CREATE VIEW cells AS
SELECT DISTINCT r.run, u.started, u.llvm, r.suite, r.cell, r.benchmark, r.target, r.track, r.class, r.kind,
       r.policy, r.policy_digest, r.seed, r.level, r.isolation, r.frozen_digest, r.decisions_digest, r.object_digest,
       r.outcome, CASE WHEN r.outcome = 'ok' THEN '' ELSE coalesce(r.detail, '') END AS detail,
       b.split, b.origin, b.program_digest, u.time_scale, u.cores
FROM rows r JOIN runs u USING (run) JOIN benchmarks b USING (run, benchmark) WHERE r.copy IS NULL;
-- One row per recorded cell of a copy: the program under other names and in another order.
CREATE VIEW copies AS
SELECT DISTINCT u.started, u.llvm, r.suite, r.cell, r.copy, r.benchmark, r.target, r.track, r.policy, r.policy_digest,
       r.seed, r.frozen_digest, r.outcome, b.program_digest
FROM rows r JOIN runs u USING (run) JOIN benchmarks b USING (run, benchmark) WHERE r.copy IS NOT NULL;
-- One row per measured quantity: of the same cell and metric, the newest, and one taken in the sandbox before others.
CREATE VIEW measurements AS
SELECT r.*, u.started, u.llvm FROM rows r JOIN runs u USING (run) WHERE r.value IS NOT NULL
QUALIFY row_number() OVER (
    PARTITION BY r.cell, r.metric, r.workload, r.function
    ORDER BY r.isolation, u.started DESC, r.run DESC) = 1;
-- One row per object that failed on a fresh input: a miscompile, whatever other runs say of the same object.
CREATE VIEW refuted AS
SELECT r.suite, r.benchmark, r.target, r.object_digest, r.isolation, r.outcome, r.detail, r.fresh, r.run
FROM rows r JOIN runs u USING (run)
WHERE r.fresh IS NOT NULL AND r.object_digest IS NOT NULL AND r.outcome IN ('wrong-output', 'run-crash')
QUALIFY row_number() OVER (
    PARTITION BY r.suite, r.benchmark, r.target, r.object_digest ORDER BY r.isolation, u.started, r.run) = 1;
-- One row per pair of timed objects in a block: how much faster the second was than the first.
CREATE VIEW pairs AS
SELECT a.run, a.campaign, a.suite, a.benchmark, a.target, a.workload, a.inputs, a.number, a.layout,
       a.object AS object, b.object AS against, ln(b.cpu / a.cpu) AS log_ratio, c.marks, u.cpu AS host, c.started
FROM timings a JOIN timings b USING (run, campaign, benchmark, target, number)
JOIN campaigns c USING (run, campaign) JOIN runs u USING (run)
WHERE a.object <> b.object AND a.cpu > 0 AND b.cpu > 0;
"""


def open_index(results: Path, *, warn: bool = True) -> "duckdb.DuckDBPyConnection":
    """A read-only connection to the index of ``results``, built first if the files have changed.

    Raises UsageError for a torn or altered run file. Files that are no run files are named on
    standard error and left out.
    """
    import duckdb

    runs, foreign = run_files(results)
    for path in foreign if warn else ():
        print(f"warning: ignored, not a run file: {printable(str(path), lines=False)}", file=sys.stderr)
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
        connection.execute(
            f"CREATE TABLE rows (run VARCHAR, line BIGINT, suite VARCHAR, {_typed(_COLUMNS)}, exact HUGEINT)"
        )
        connection.execute(
            "CREATE TABLE runs (run VARCHAR, suite VARCHAR, suite_version VARCHAR, track VARCHAR, started VARCHAR,"
            " finished VARCHAR, llvm VARCHAR, llvm_version VARCHAR, commit VARCHAR, dirty BOOLEAN, cpu VARCHAR,"
            " min_coverage DOUBLE, file VARCHAR, time_scale DOUBLE, cores BIGINT, fresh VARCHAR,"
            " asked_again_after DOUBLE)"
        )
        connection.execute(f"CREATE TABLE campaigns (run VARCHAR, {_typed(_CAMPAIGN)})")
        timed = _typed(_BLOCK | _SAMPLE | _CONDITIONS)
        connection.execute(f"CREATE TABLE timings (run VARCHAR, suite VARCHAR, {timed})")
        connection.execute(
            "CREATE TABLE benchmarks (run VARCHAR, benchmark VARCHAR, split VARCHAR, origin VARCHAR,"
            " program_digest VARCHAR)"
        )
        connection.execute("CREATE TABLE training (run VARCHAR, suite VARCHAR, policy VARCHAR, benchmark VARCHAR)")
        connection.execute(
            "CREATE TABLE instances (run VARCHAR, suite VARCHAR, benchmark VARCHAR, seconds DOUBLE, best HUGEINT,"
            " bound HUGEINT)"
        )
        connection.execute(
            "CREATE TABLE histories (run VARCHAR, suite VARCHAR, cell VARCHAR, benchmark VARCHAR, policy VARCHAR,"
            " seconds DOUBLE, cost HUGEINT)"
        )
        for path in runs:
            _load(connection, path)
        connection.execute(_VIEWS)
        connection.execute("CHECKPOINT")  # closing does it too, but says nothing of a full disk


def _load(connection: "duckdb.DuckDBPyConnection", path: Path) -> None:
    import duckdb

    header, lines = check_run(path)
    connection.execute(
        "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [header.run, header.suite, header.suite_version, header.track.value, header.started, header.finished]
        + [header.llvm, header.llvm_version, header.commit, header.dirty, header.host.cpu, header.min_coverage]
        + [str(path), *((None, None) if (how := header.solving) is None else (how.time_scale, how.cores))]
        + [None if header.fresh is None else header.fresh.seed, header.asked_again_after],
    )
    facts = [[header.run, n, f.split.value, f.origin, f.program_digest] for n, f in header.benchmarks.items()]
    if facts:
        connection.executemany("INSERT INTO benchmarks VALUES (?, ?, ?, ?, ?)", facts)
    seen = [[header.run, header.suite, p, name] for p, names in header.trained_on.items() for name in names]
    if seen:
        connection.executemany("INSERT INTO training VALUES (?, ?, ?, ?)", seen)
    known = header.solving.instances if header.solving else {}
    instances = [[header.run, header.suite, name, one.seconds, one.best, one.bound] for name, one in known.items()]
    if instances:
        connection.executemany("INSERT INTO instances VALUES (?, ?, ?, ?, ?, ?)", instances)
    campaigns = sum(line.startswith(CAMPAIGN_LINE) for line in lines)
    blocks = sum(line.startswith(BLOCK_LINE) for line in lines)
    try:
        loaded = _insert_rows(connection, header, path)
        if blocks or campaigns:
            loaded += _insert_campaigns(connection, header, path)
        if any(line.startswith(HISTORY_LINE) for line in lines):
            loaded += _insert_histories(connection, header, path)
    except (duckdb.DataError, duckdb.ProgrammingError) as error:
        raise UsageError(f"rows are not readable: {str(error).splitlines()[0]}", where=str(path)) from None
    if loaded != len(lines):
        raise UsageError(f"{len(lines)} lines, of which {loaded} are readable", where=str(path))


def _insert_rows(connection: "duckdb.DuckDBPyConnection", header: Header, path: Path) -> int:
    columns = {"header": "JSON", "block": "JSON", "history": "JSON", **_COLUMNS, "value": "JSON"}
    names = ", ".join(f'"{name}"' for name in _COLUMNS)
    connection.execute(
        f"INSERT INTO rows SELECT ?, line, ?, {names}, {_EXACT} FROM ("
        f"  SELECT *, row_number() OVER () AS line FROM {_lines(columns)})"
        f" WHERE benchmark IS NOT NULL",
        [header.run, header.suite, str(path)],
    )
    return _count(connection, "SELECT count(*) FROM rows WHERE run = ?", header.run)


def _insert_campaigns(connection: "duckdb.DuckDBPyConnection", header: Header, path: Path) -> int:
    """The campaigns and their blocks. Returns how many lines of the file these are."""
    campaign = f"STRUCT({_typed(_CAMPAIGN)})"
    connection.execute(
        f"INSERT INTO campaigns SELECT ?, facts.* FROM ("
        f"  SELECT CAST(campaign AS {campaign}) AS facts FROM {_lines({'campaign': 'JSON', 'cell': 'VARCHAR'})}"
        f"  WHERE cell IS NULL AND campaign IS NOT NULL)",
        [header.run, str(path)],
    )
    nested = f"{_typed(_BLOCK)}, samples STRUCT({_typed(_SAMPLE)})[], conditions STRUCT({_typed(_CONDITIONS)})"
    chosen = [
        *(f"block.{name}" for name in _BLOCK),
        *(f'sample."{name}"' for name in _SAMPLE),
        *(f"block.conditions.{name}" for name in _CONDITIONS),
    ]
    connection.execute(
        f"INSERT INTO timings SELECT ?, ?, {', '.join(chosen)} FROM ("
        f"  SELECT block, unnest(block.samples) AS sample FROM {_lines({'block': f'STRUCT({nested})'})}"
        f"  WHERE block IS NOT NULL)",
        [header.run, header.suite, str(path)],
    )
    blocks = "SELECT count(DISTINCT (campaign, benchmark, target, number)) FROM timings WHERE run = ?"
    return _count(connection, blocks, header.run) + _count(
        connection, "SELECT count(*) FROM campaigns WHERE run = ?", header.run
    )


def _insert_histories(connection: "duckdb.DuckDBPyConnection", header: Header, path: Path) -> int:
    """One row an answer. Returns how many lines of the file these are."""
    nested = "STRUCT(cell VARCHAR, benchmark VARCHAR, policy VARCHAR, seconds DOUBLE[], costs VARCHAR[])"
    connection.execute(
        f"INSERT INTO histories SELECT ?, ?, cell, benchmark, policy, seconds, CAST(cost AS HUGEINT) FROM ("
        f"  SELECT history.cell, history.benchmark, history.policy, unnest(history.seconds) AS seconds,"
        f"         unnest(history.costs) AS cost FROM {_lines({'history': nested})} WHERE history IS NOT NULL)",
        [header.run, header.suite, str(path)],
    )
    return _count(connection, "SELECT count(DISTINCT (cell, policy)) FROM histories WHERE run = ?", header.run)


def _lines(columns: dict[str, str]) -> str:
    """SQL of the lines of a run file, which the query's next parameter names."""
    typed = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    return f"read_json(?, format = 'newline_delimited', records = true, columns = {{{typed}}})"


def _count(connection: "duckdb.DuckDBPyConnection", query: str, run: str) -> int:
    return int((connection.execute(query, [run]).fetchone() or (0,))[0])


def _typed(columns: dict[str, str]) -> str:
    return ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
