"""Parquet files in a results folder, beside runs and outside git: columns, and their types by polars' names."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.errors import UsageError
from harness.base.reading import MIB, read_bytes
from harness.base.writing import written
from harness.record.runfile import results_errors

__all__ = ["read_frame", "schema_of", "write_frame"]

if TYPE_CHECKING:
    import polars

_LARGEST = 2048 * MIB


def schema_of(columns: Mapping[str, str]) -> dict[str, Any]:
    """Column → type."""
    import polars

    return {name: getattr(polars, kind)() for name, kind in columns.items()}


def write_frame(path: Path, frame: "polars.DataFrame") -> None:
    """Write the file, all or nothing. Raises PrerequisiteError where that cannot be done."""
    with results_errors(path.parent):
        # An open file: a library that is given a path may read it as a pattern.
        with written(path) as file:
            frame.write_parquet(file, compression="zstd")


def read_frame(path: Path, columns: Mapping[str, str], what: str) -> "polars.DataFrame":
    """What was written with these columns. Raises UsageError for anything else. ``what``: the file, for people."""
    import io

    import polars

    if path.is_symlink():
        raise UsageError(f"a link, not {what}", where=str(path), hint="put the file itself there")
    try:
        frame = polars.read_parquet(io.BytesIO(read_bytes(path, _LARGEST)))
    except polars.exceptions.PolarsError as error:
        raise UsageError(f"not {what}: {str(error).splitlines()[0]}", where=str(path)) from None
    if dict(frame.schema) != schema_of(columns):
        raise UsageError(f"not {what}: its columns are others", where=str(path))
    return frame
