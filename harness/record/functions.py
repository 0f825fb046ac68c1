"""What single functions have of a run's metrics: a Parquet file beside the run file, outside git.

It can be had again from the run's cells. Columns: docs/schema.md.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from harness.record.parquet import schema_of, write_frame
from harness.record.rows import Row
from harness.record.runfile import functions_file

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

    frame = polars.DataFrame(found, schema=schema_of(FUNCTION_COLUMNS))
    write_frame(path, frame.sort("benchmark", "target", "policy", "seed", "metric", "function"))
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
