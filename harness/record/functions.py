"""What single functions have of a run's metrics: a Parquet file beside the run file, outside git.

It can be had again from the run's cells. Columns: docs/schema.md.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from harness.record.rows import Row
from harness.record.runfile import functions_file, results_errors

__all__ = ["FUNCTION_COLUMNS", "write_functions"]

_TEXT = ("cell", "benchmark", "target", "track", "policy", "policy_digest", "object_digest", "metric", "unit")
FUNCTION_COLUMNS = {
    "run": "String",
    **dict.fromkeys(_TEXT, "String"),
    "seed": "Int64",
    "function": "String",
    "value": "Float64",
}
"""The columns and their types (of polars)."""
FunctionsOf = Callable[[str], dict[str, dict[str, int | float]]]
"""Cell → metric → function → value."""


def write_functions(run: Path, rows: Sequence[Row], functions_of: FunctionsOf) -> Path | None:
    """Write the file beside ``run``, in the order of its columns; None where no metric has any functions."""
    path = functions_file(run)
    found = list(_lines(run.stem, rows, functions_of))
    if not found:
        return None
    import polars

    schema = {name: getattr(polars, kind)() for name, kind in FUNCTION_COLUMNS.items()}
    frame = polars.DataFrame(found, schema=schema)
    frame = frame.sort("benchmark", "target", "policy", "seed", "metric", "function")
    with results_errors(path.parent):
        # An open file: a library that is given a path may read it as a pattern.
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=".", delete=False) as file:
            frame.write_parquet(file, compression="zstd")
            os.fchmod(file.fileno(), 0o644)
        os.replace(file.name, path)
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
                yield {**shared, "function": function, "value": float(value)}
