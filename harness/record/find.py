"""Finding a recorded run, and a row of it."""

import re
from pathlib import Path

from harness.base.errors import UsageError
from harness.record.rows import Row
from harness.record.runfile import RunFile, read_run, run_files

__all__ = ["find_row", "find_run"]


def find_run(name: str, results: Path) -> RunFile:
    """The run of this name, of a prefix or digest that only it has, or at this path."""
    path = Path(name)
    if path.is_file() or (path.suffix == ".jsonl" and path.exists()):  # what is no plain file is said to be none
        return read_run(path)
    known, _ = run_files(results)
    wanted = name.removesuffix(".jsonl")
    matching = [p for p in known if p.name == f"{wanted}.jsonl"] or [p for p in known if wanted and wanted in p.stem]
    if len(matching) == 1:
        return read_run(matching[0])
    have = "\n  ".join(p.stem for p in (matching or known)) or "none"
    what = f"{len(matching)} runs match {name!r}" if matching else f"unknown run {name!r}"
    raise UsageError(what, where=str(results), hint=f"there are:\n  {have}")


def find_row(reference: str, results: Path) -> tuple[RunFile, Row]:
    """A row by ``RUN#LINE`` (a line of the run's file) or ``RUN/BENCHMARK/TARGET/POLICY``."""
    if match := re.fullmatch(r"(?P<run>.+)#(?P<line>\d+)", reference):
        run = find_run(match["run"], results)
        line, first = int(match["line"]), run.first_line
        if not first <= line < first + len(run.rows):
            last = first + len(run.rows) - 1
            raise UsageError(
                f"there is no row at line {line}: rows stand at lines {first} to {last}", where=run.path.name
            )
        return run, run.rows[line - first]
    parts = reference.rsplit("/", 3)
    if len(parts) != 4:
        raise UsageError(f"{reference!r} names no row", hint="give RUN#LINE or RUN/BENCHMARK/TARGET/POLICY")
    run = find_run(parts[0], results)
    for row in run.rows:
        if not row.copy_ and (row.benchmark, row.target.value, row.policy) == tuple(parts[1:]):
            return run, row
    raise UsageError(f"no row of {parts[1]}, {parts[2]}, {parts[3]}", where=run.path.name)
