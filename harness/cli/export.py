"""``harness export``."""

from pathlib import Path

from harness.base.errors import UsageError
from harness.base.paths import default_results
from harness.cli.opened import opened_index
from harness.cli.output import Format, note, tell
from harness.problems.registry import suite_called
from harness.problems.verbs import exports

__all__ = ["export"]

_QUERY = """SELECT rows.*, runs.started, runs.llvm, runs.llvm_version, runs.commit, runs.dirty, runs.cpu
FROM rows JOIN runs USING (run)"""


def export(output: Path, suite: str | None, results: Path | None) -> int:
    """Write every row, with its run's provenance, in the format that the file's ending names."""
    others, suite = exports(), suite_called(suite)
    if output.suffix in others:
        return tell(others[output.suffix](output, suite, results or default_results()), Format.TABLE)
    writers = {".csv": "write_csv", ".json": "write_json", ".parquet": "write_parquet"}
    if output.suffix not in writers:
        raise UsageError(
            f"cannot write {output.suffix or 'a file without an ending'}",
            hint=f"use {', '.join((*writers, *others))}",
        )
    with opened_index(results or default_results()) as index:
        where, values = (" WHERE rows.suite = ?", [suite]) if suite else ("", [])
        frame = index.sql(f"{_QUERY}{where} ORDER BY rows.run, rows.line", params=values).to_arrow_table()
    import polars

    table = polars.DataFrame(frame)
    if table.is_empty():
        which = f" of suite {suite!r}" if suite else ""
        raise UsageError(
            f"there are no rows{which} to export", hint=f"run `harness run --suite {suite or 'cbench'}` first"
        )
    try:
        with output.open("wb") as file:  # a library that is given a path may read it as a pattern
            getattr(table, writers[output.suffix])(file)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", where=str(output)) from None
    note(f"{table.height} rows in {output}")
    return 0
