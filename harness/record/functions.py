"""What single functions have of a run's metrics: a Parquet file beside the run file, outside git.

It can be had again from the run's cells. Columns: docs/schema.md.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from harness.record.rows import Row
from harness.record.runfile import functions_file, results_errors

__all__ = ["FUNCTION_COLUMNS", "write_functions"]

_TEXT = ("cell", "benchmark", "target", "track", "policy", "policy_digest", "object_digest", "metric", "unit")
FUNCTION_COLUMNS = {
    "run": "VARCHAR",
    **dict.fromkeys(_TEXT, "VARCHAR"),
    "seed": "BIGINT",
    "function": "VARCHAR",
    "value": "DOUBLE",
}
"""The columns and their types."""
FunctionsOf = Callable[[str], dict[str, dict[str, int | float]]]
"""Cell → metric → function → value."""


def write_functions(run: Path, rows: Sequence[Row], functions_of: FunctionsOf) -> Path | None:
    """Write the file beside ``run``, in the order of its columns; None where no metric has any functions."""
    import duckdb

    path = functions_file(run)
    found = False
    with results_errors(path.parent), tempfile.TemporaryDirectory(dir=path.parent, prefix=".") as folder:
        lines, made = Path(folder) / "rows.json", Path(folder) / "rows.parquet"
        with lines.open("w") as file:
            for line in _lines(run.stem, rows, functions_of):
                found = True
                file.write(json.dumps(line) + "\n")
        if not found:
            return None
        typed = ", ".join(f"'{name}': '{kind}'" for name, kind in FUNCTION_COLUMNS.items())
        source = f"read_json($lines, format = 'newline_delimited', columns = {{{typed}}})"
        order = "benchmark, target, policy, seed, metric, function"
        with duckdb.connect() as connection:
            query = f"SELECT * FROM {source} ORDER BY {order}"
            connection.execute(f"CREATE TABLE functions AS {query}", {"lines": str(lines)})
            connection.table("functions").write_parquet(str(made), compression="zstd")
        os.replace(made, path)
    return path


def _lines(run: str, rows: Sequence[Row], functions_of: FunctionsOf) -> Iterator[dict[str, object]]:
    by_cell: dict[str, list[Row]] = {}
    for row in rows:
        if row.value is not None:
            by_cell.setdefault(row.cell, []).append(row)
    for cell, measured in by_cell.items():
        functions = functions_of(cell)
        for row in measured:
            shared = {"run": run, "seed": row.seed, **{name: getattr(row, name) for name in _TEXT}}
            for function, value in functions.get(str(row.metric), {}).items():
                yield {**shared, "function": function, "value": value}
