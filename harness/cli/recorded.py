"""``harness recorded``: the project's own results, copied into a results folder."""

import os
import shutil
import tempfile
from pathlib import Path

from harness.base.errors import UsageError
from harness.base.paths import RECORDED, default_results
from harness.cli.output import note
from harness.record.names import SUMS
from harness.record.runfile import results_errors, run_files

__all__ = ["recorded"]

_DECISIONS = "decisions"


def recorded(results: Path | None) -> int:
    """Copy run files, and the decisions that they name, that are not there yet. Each appears whole or not at all."""
    folder = (results or default_results()).resolve()
    runs = [str(file.relative_to(RECORDED)) for file in run_files(RECORDED)[0]]
    if not runs:
        raise UsageError("this harness was built without recorded results", where=str(RECORDED))
    if folder == RECORDED.resolve():
        note(f"nothing to copy: {len(runs)} recorded runs are in {folder}, which is the project's own folder")
        return 0
    names = [Path(name) for name in runs] + [
        Path(_DECISIONS, one.name) for one in (RECORDED / _DECISIONS).glob("*.zst")
    ]
    missing = [name for name in names if not (folder / name).exists()]
    with results_errors(folder):
        (folder / _DECISIONS).mkdir(parents=True, exist_ok=True)
        for name in missing:
            _copy(RECORDED / name, folder / name)
        _pin(folder, runs)
    copied = sum(name.parent == Path() for name in missing)
    note(f"{copied} of {len(runs)} recorded runs copied into {folder}; {len(runs) - copied} were there")
    return 0


def _copy(source: Path, place: Path) -> None:
    with tempfile.NamedTemporaryFile(dir=place.parent, prefix=".", delete=False) as file:
        try:
            with source.open("rb") as content:
                shutil.copyfileobj(content, file)
            os.fchmod(file.fileno(), 0o644)
            Path(file.name).rename(place)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def _pin(folder: Path, runs: list[str]) -> None:
    """Add the lines of SHA256SUMS that pin files copied, if there are any."""
    sums = RECORDED / SUMS
    lines = [line for line in sums.read_text().splitlines() if line[66:] in runs] if sums.is_file() else []
    own = folder / SUMS
    there = own.read_text().splitlines() if own.is_file() else []
    if new := [line for line in lines if line not in there]:
        own.write_text("".join(f"{line}\n" for line in (*there, *new)))
