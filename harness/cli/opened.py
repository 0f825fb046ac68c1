"""The index of a folder of results, opened for a command: building it is shown where it takes a while."""

from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.display import patience
from harness.record import open_index
from harness.record.backing import Backing

if TYPE_CHECKING:
    import duckdb

__all__ = ["opened_index"]


def opened_index(results: Path, backing: Backing = Backing.CLAIMED) -> "duckdb.DuckDBPyConnection":
    """See ``open_index``."""
    with patience() as observer:
        return open_index(results, backing=backing, observer=observer)
