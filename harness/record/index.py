"""The DuckDB index over a results folder: derived, disposable, rebuilt when the files change.

It lives in the cache. A reader opens it read-only and keeps its snapshot while a newer one takes its place (one rename
under a lock). Its name carries when the last of its runs ended, and its digest: one that was altered is built again.
"""

import os
import re
import sys
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.digest import digest_file, digest_of
from harness.base.errors import PrerequisiteError, UsageError
from harness.base.paths import cache_root
from harness.base.progress import Observer, SilentObserver
from harness.base.store import cache_errors, make_cache_folder, require_space
from harness.base.text import printable
from harness.record.backing import Backing, official_runs
from harness.record.building import basis, build, facts_of
from harness.record.ledger import evidence
from harness.record.names import SUMS
from harness.record.runfile import LEDGER, SIGNERS, read_run, run_files

if TYPE_CHECKING:
    import duckdb

__all__ = ["open_index", "require_folder", "require_sound"]

_SHORT = 16
"""Digits of digests in an index's name; of its own content twice as many."""
_NOBODY = SilentObserver()


def open_index(
    results: Path,
    *,
    warn: bool = True,
    backing: Backing = Backing.CLAIMED,
    observer: Observer = _NOBODY,
) -> "duckdb.DuckDBPyConnection":
    """A read-only connection to the index of ``results``, built first if the files have changed, which takes some
    seconds for a hundred megabytes (``observer`` is told); of runs that have at least this ``backing``.

    Raises UsageError for a torn or altered run file. Files that are no run files are named on
    standard error and left out.
    """
    import duckdb

    require_folder(results)
    runs, foreign = run_files(results)
    for path in foreign if warn else ():
        print(f"warning: ignored, not a run file: {printable(str(path), lines=False)}", file=sys.stderr)
    # As part of the configuration, not by SET: a second connection of this process would be refused that.
    locked: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "lock_configuration": "true",
    }
    runs = runs if backing is Backing.CLAIMED else _behind(results, runs, backing, observer)
    while True:
        path = _built(results, runs, observer, backing)
        try:
            connection = duckdb.connect(str(path), read_only=True, config=locked)
        except duckdb.IOException:
            if path.exists():
                raise
            # A run has ended since, and another process put the next index in this one's place.
            continue
        return connection


def require_folder(results: Path) -> None:
    """Raise UsageError where something else than a folder is in the place of results; there may be nothing yet."""
    if results.exists() and not results.is_dir():
        raise UsageError(
            "is a file, and no folder of results",
            where=str(results),
            hint="name the folder in which the run files are (`harness` takes it by --results or HARNESS_RESULTS)",
        )


def require_sound(results: Path, observer: Observer = _NOBODY) -> None:
    """Raise what ``open_index`` does, before there is something to lose."""
    if runs := run_files(results)[0]:
        _built(results, runs, observer)


def _behind(results: Path, runs: list[Path], backing: Backing, observer: Observer) -> list[Path]:
    """The runs that have at least this backing, of all that there are."""
    with open_index(results, warn=False, observer=observer) as index:
        found = index.execute("SELECT run FROM backing WHERE list_contains(?, backing)", [list(backing.at_least)])
        names = {name for (name,) in found.fetchall()}
    kept = [run for run in runs if run.stem in names]
    if runs and not kept:
        hint = "harness official makes one" if backing is Backing.OFFICIAL else "record the same on another machine"
        raise UsageError(f"no run here is {backing}", where=str(results), hint=hint)
    return kept


def _built(results: Path, runs: list[Path], observer: Observer, backing: Backing = Backing.CLAIMED) -> Path:
    """The index of these files, built if there is none. Raises UsageError for a run file that is none."""
    prefix = digest_of([str(results.resolve()), backing])[:16]
    sums = [*sorted({run.parent / SUMS for run in runs}), results / LEDGER, results / SIGNERS, *evidence(results)]
    key = digest_of([basis(), [facts_of(path, results) for path in (*runs, *sums)]])
    folder = cache_root() / "index"
    if "?" in str(folder):  # DuckDB takes what follows for options, and puts its log elsewhere
        raise PrerequisiteError(
            "DuckDB cannot open files below a folder with '?' in its name",
            where=str(folder),
            hint="set HARNESS_CACHE to another folder",
        )
    path = _known(folder, prefix, key) or _rebuild(folder, prefix, key, results, runs, observer)
    if (_end_of_last(path) or 0) > time.time():  # it may have been built while the clock was wrong
        for run in runs:
            read_run(run)
    return path


def _end_of_last(index: Path) -> int | None:
    """When the last run of an index ended, in seconds since 1970, as its name says; None of a name that does not."""
    words = index.stem.split("-")
    return int(words[2]) if len(words) == 4 and re.fullmatch(r"[0-9]{1,12}", words[2]) else None


def _known(folder: Path, prefix: str, key: str) -> Path | None:
    """The index of these files, as it was built; None where there is none."""
    return _whole(folder, f"{prefix}-{key[:_SHORT]}-*")


def _whole(folder: Path, named: str) -> Path | None:
    """An index of such a name, as it was built; None where there is none."""
    try:
        for path in folder.glob(f"{named}.duckdb"):
            if _end_of_last(path) is None:
                continue
            status = path.lstat()
            if path.stem.endswith(_digest_of_index(path, status.st_size, status.st_mtime_ns)):
                return path
    except OSError:  # another process has put the next one in its place
        return None
    return None


@lru_cache(maxsize=8)
def _digest_of_index(path: Path, _size: int, _modified: int) -> str:
    """Digest of an index's file, taken again when it has changed."""
    return digest_file(path)[: 2 * _SHORT]


def _rebuild(folder: Path, prefix: str, key: str, results: Path, runs: list[Path], observer: Observer) -> Path:
    import duckdb
    from filelock import FileLock

    root = cache_root()
    scratch = root / "tmp"  # where the cache looks for what killed processes leave
    make_cache_folder(folder, root)
    make_cache_folder(scratch, root)
    with cache_errors(root), FileLock(folder / f"{prefix}.lock"):
        if (known := _known(folder, prefix, key)) is not None:
            return known
        with tempfile.TemporaryDirectory(dir=scratch, prefix=f"{os.getpid()}-") as temporary:
            made = Path(temporary) / "index.duckdb"
            try:
                last = build(made, results, runs, official_runs(results), observer, _whole(folder, f"{prefix}-*"))
            except duckdb.Error:
                require_space(root)
                raise
            path = folder / f"{prefix}-{key[:_SHORT]}-{last}-{digest_file(made)[: 2 * _SHORT]}.duckdb"
            for old in folder.glob(f"{prefix}-*.duckdb"):
                old.unlink(missing_ok=True)
            os.replace(made, path)
            return path
