"""The recorded results that a script prints tables of."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.errors import HarnessError, UsageError
from harness.base.paths import default_results
from harness.cli.opened import opened_index
from harness.rank.question import fingerprints

if TYPE_CHECKING:
    import duckdb


@contextmanager
def recorded_in(words: Sequence[str], track: str) -> Iterator["duckdb.DuckDBPyConnection"]:
    """The index of the folder that is named, or of the project's own. What is wrong with it, and that nothing of the
    track is in it, ends the script with one error. What is printed meanwhile comes out at the end, so that no half of
    a table stands before an error.
    """
    folder = Path(words[0]) if words else default_results()
    printed = StringIO()
    try:
        with redirect_stdout(printed), opened_index(folder) as index:
            if not index.execute("SELECT 1 FROM cells WHERE track = ? LIMIT 1", [track]).fetchall():
                raise UsageError(
                    f"there are no results of track {track}",
                    where=str(folder),
                    hint=f"run `harness run --suite cbench --track {track}` first",
                )
            yield index
    except HarnessError as error:
        sys.exit(f"error: {error}")
    print(printed.getvalue(), end="")


def compiler(index: "duckdb.DuckDBPyConnection") -> str:
    """The fingerprint of the one that was used last."""
    return fingerprints(index)[0][0]
