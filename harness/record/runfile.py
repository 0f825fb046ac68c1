"""Writing and reading run files.

While a run goes on, its journal (``harness.record.journal``) takes every finished cell. When it is complete, the
rows are sorted and written to ``SUITE-TRACK-TIME-DIGEST.jsonl`` in one rename, and the journal goes. DIGEST is that of
header and rows: a torn or altered file contradicts its own name.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.base.digest import canonical_json, digest_bytes
from harness.base.errors import PrerequisiteError, UsageError
from harness.base.reading import MIB, read_bytes, shown_size
from harness.base.writing import written
from harness.record.check import check_campaigns, check_header, check_histories, check_rows, is_shown, require_past
from harness.record.lines import canonical_object, parse_header, parse_line
from harness.record.names import REMEDY, SUMS, RunName, digits_of, pinned, stamp_of
from harness.record.rows import READABLE, Block, Campaign, Header, History, Row

__all__ = [
    *("ALLOCATIONS", "EVICTIONS", "LEDGER", "LINES", "MOST_LINES", "RANGES", "SIGNERS", "TRAJECTORIES"),
    *("RunFile", "functions_file", "header_with", "read_run", "results_errors", "run_files", "write_run"),
]

TRAJECTORIES = ".trajectories.parquet"
"""How the names of logged trajectories end (``harness.problems.inlining.trajectories``)."""
ALLOCATIONS = ".allocations.parquet"
RANGES = ".ranges.parquet"
EVICTIONS = ".evictions.parquet"
"""The same of functions, of live ranges and of evictions (``harness.problems.regalloc.trajectories``)."""
_LOGGED = (TRAJECTORIES, ALLOCATIONS, RANGES, EVICTIONS)
LEDGER = "official.jsonl"
SIGNERS = "allowed_signers"
"""Who signed what (``harness.record.ledger``)."""
LINES = ".lines"
"""How the name of the list of a signed run's lines ends."""
_LARGEST = 128 * MIB
MOST_LINES = 250_000
_ORDER = (Campaign, Block, History, Row)
"""In which kinds of lines follow one another."""


@contextmanager
def results_errors(results: Path) -> Iterator[None]:
    """An OSError of writing there becomes PrerequisiteError."""
    try:
        yield
    except OSError as error:
        raise PrerequisiteError(
            f"cannot write results: {error.strerror}",
            where=str(results),
            hint="mend that, or choose another folder with --results; the same command goes on where it stopped",
        ) from None


@dataclass(frozen=True)
class RunFile:
    """A finished run."""

    path: Path
    header: Header
    rows: tuple[Row, ...]
    campaigns: tuple[Campaign, ...] = ()
    blocks: tuple[Block, ...] = ()
    histories: tuple[History, ...] = ()
    unpinned: bool = False
    """Its name carries 48 bits, and no ``SHA256SUMS`` pins the rest: whoever passed it on can have made another file
    of this name."""

    @property
    def first_line(self) -> int:
        """The line of the first row: header, campaigns, blocks and histories stand before them."""
        return 2 + len(self.campaigns) + len(self.blocks) + len(self.histories)


def write_run(
    results: Path,
    header: dict[str, Any],
    rows: list[Row],
    campaigns: Sequence[Campaign] = (),
    blocks: Sequence[Block] = (),
    histories: Sequence[History] = (),
) -> Path:
    """Write a finished run; time and digest become its name. Returns the file."""
    lines = [canonical_json({"campaign": campaign.model_dump(mode="json")}) for campaign in campaigns]
    lines += [canonical_json({"block": block.model_dump(mode="json")}) for block in blocks]
    lines += sorted(canonical_json({"history": history.model_dump(mode="json")}) for history in histories)
    lines += sorted(canonical_json(_shown(row).line()) for row in rows)
    body = b"".join(line + b"\n" for line in lines)
    unnamed = header_with(header, results)
    digest = _digest(unnamed.model_dump(mode="json"), body)[: digits_of(unnamed.schema_version)]
    name = f"{unnamed.suite}-{unnamed.track}-{stamp_of(unnamed.finished)}-{digest}"
    complete = unnamed.model_copy(update={"run": name})
    content = canonical_json({"header": complete.model_dump(mode="json")}) + b"\n" + body
    path = results / f"{name}.jsonl"
    _parse(path, content)  # nothing is written that could not be read
    with results_errors(results):
        with written(path) as file:
            file.write(content)
        _sync_folder(results)
    return path


def header_with(fields: Mapping[str, Any], results: Path) -> Header:
    """The header of a run that has no name yet. Raises UsageError for fields that cannot be recorded."""
    try:
        return Header(run="", **fields)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise UsageError(f"the run cannot be recorded: header.{place}: {fault['msg']}", where=str(results)) from None


def _digest(header: dict[str, Any], body: bytes) -> str:
    """What a run file's name says of its content: the header without the name, and the rows."""
    unnamed = {key: value for key, value in header.items() if key != "run"}
    return digest_bytes(canonical_json(unnamed) + b"\n" + body)


def _shown(row: Row) -> Row:
    """With characters that cannot be seen as escapes in what programs and tools said, and not too much of it."""
    if is_shown(row.detail):
        return row
    text = "".join(c if c == "\n" or is_shown(c) else c.encode("unicode_escape").decode() for c in row.detail[:1000])
    return row.model_copy(update={"detail": text})


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def run_files(results: Path) -> tuple[list[Path], list[Path]]:
    """The finished runs of a results folder, and the files in it that are none, both by name.

    Links are not followed: one that is called like a run is returned as one, and ``read_run`` refuses it. Hidden files
    and folders, and the folder of decisions, are left out.
    """
    runs: list[Path] = []
    others: list[Path] = []
    folders = [results] if results.is_dir() else []
    while folders:
        folder = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                path = folder / entry.name
                if entry.name.startswith(".") or path == results / "decisions":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                elif RunName.parse(entry.name):
                    runs.append(path)
                else:
                    others.append(path)
    known = {functions_file(run) for run in runs}
    named = (SUMS, LEDGER, SIGNERS)
    foreign = [p for p in others if p not in known and p.name not in named and not p.name.endswith((*_LOGGED, LINES))]
    return sorted(runs), sorted(foreign)


def functions_file(run: Path) -> Path:
    """The Parquet file beside a run file, with the rows of single functions."""
    return run.with_suffix(".functions.parquet")


def read_run(path: Path) -> RunFile:
    """A finished run, every line checked (docs/schema.md): the file is read once.

    Raises UsageError that names file and line for a run that is torn, was altered after it was written, has another
    schema, or is not as this harness writes runs.
    """
    if RunName.parse(path.name) is None:
        raise UsageError("not a run file", where=str(path), hint=REMEDY)
    if path.is_symlink():
        raise UsageError("a link, not a run file", where=str(path), hint="put the file itself there")
    content = read_bytes(path, _LARGEST)
    run = _parse(path, content)
    whole = pinned(path.parent).get(path.name)
    if whole is None:
        if not run.unpinned:
            require_past(run.header, str(path))
        return run
    if whole != digest_bytes(content):
        raise UsageError(
            f"another file of this name: its SHA-256 is not the one in {SUMS}", where=str(path), hint=REMEDY
        )
    return replace(run, unpinned=False)


def _parse(path: Path, content: bytes) -> RunFile:
    """The run in the content of a file."""
    where = str(path)
    if len(content) > _LARGEST or content.count(b"\n") > MOST_LINES:
        most = f"{shown_size(_LARGEST)} and {MOST_LINES:,} lines"
        raise UsageError(f"a run file has at most {most}", where=where, hint="run fewer benchmarks or policies at once")
    first, newline, body = content.partition(b"\n")
    if not newline or (body and not body.endswith(b"\n")):
        raise _torn(where)
    header = _header(path, first, body)
    found: dict[type, list[Any]] = {kind: [] for kind in _ORDER}
    last = 0
    lines = body.split(b"\n")[:-1]
    for number, line in enumerate(lines, start=2):
        said = parse_line(line, f"{path}, line {number}", header.schema_version)
        order = _ORDER.index(type(said))
        if order < last or (order == last >= 2 and number > 2 and line < lines[number - 3]):
            raise UsageError("lines are not in the order in which runs are written", where=f"{path}, line {number}")
        last = order
        found[type(said)].append(said)
    campaigns, blocks, histories, rows = (found[kind] for kind in _ORDER)
    starts = [2 + sum(len(found[kind]) for kind in _ORDER[:place]) for place in range(len(_ORDER))]
    of_campaign, of_block, of_history, of_row = ((lambda n, s=start: f"{path}, line {s + n}") for start in starts)
    check_campaigns(header, campaigns, blocks, of_campaign, of_block)
    check_rows(header, rows, of_row)
    check_histories(histories, rows, of_history)
    unpinned = header.schema_version < 6
    return RunFile(path, header, tuple(rows), tuple(campaigns), tuple(blocks), tuple(histories), unpinned)


def _torn(where: str) -> UsageError:
    return UsageError("torn or altered: its content contradicts its name", where=where, hint=REMEDY)


def _header(path: Path, line: bytes, body: bytes) -> Header:
    """The header, and that the file's name agrees with it and with the lines."""
    name, where = RunName.parse(path.name), str(path)
    if name is None:
        raise UsageError("not a run file", where=where, hint=REMEDY)
    fields = canonical_object(line, f"{path}, line 1").get("header")
    schema = fields.get("schema_version") if isinstance(fields, dict) else None
    if not isinstance(fields, dict) or type(schema) is not int:
        raise UsageError("the header is not readable", where=f"{path}, line 1", hint=REMEDY)
    if schema not in READABLE:
        known = " and ".join(map(str, READABLE))
        raise UsageError(f"schema {schema}; this harness reads {known}", where=where)
    if len(name.digest) != digits_of(schema):
        digits = f"{digits_of(schema)} digits of the file's digest, not in {len(name.digest)}"
        raise UsageError(f"names of schema {schema} end in {digits}", where=where, hint=REMEDY)
    if not _digest(fields, body).startswith(name.digest):
        raise _torn(where)
    header = parse_header(line, f"{path}, line 1")
    check_header(header, f"{path}, line 1")
    said = (header.run, header.suite, header.track, stamp_of(header.finished))
    if said != (path.name.removesuffix(".jsonl"), name.suite, name.track, name.time):
        raise UsageError("renamed: its header names another run", where=where, hint=REMEDY)
    return header
