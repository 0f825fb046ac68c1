"""Writing and reading run files.

While a run goes on, a journal (``.PLAN.journal``) takes one line per finished cell, each synced to
disk. When it is complete, the rows are sorted and written to ``SUITE-TRACK-TIME-DIGEST.jsonl`` in one
rename, and the journal goes. DIGEST is that of header and rows: a torn or altered file contradicts its
own name.
A killed run leaves its journal; the same command reads it and does the rest.
"""

import fcntl
import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.digest import canonical_json, digest_bytes
from harness.errors import PrerequisiteError, UsageError
from harness.record.rows import READABLE, Block, Campaign, Header, History, Row

__all__ = [
    "TRAJECTORIES",
    *("Journal", "RunFile", "functions_file", "read_run", "results_errors", "run_files", "write_run"),
]

TRAJECTORIES = ".trajectories.parquet"
"""How the names of logged trajectories end (``harness.trajectories``)."""

_NAME = re.compile(r"(?P<suite>.+)-(?P<track>[a-z]+)-(?P<time>\d{8}T\d{6}Z)-(?P<digest>[0-9a-f]{12})\.jsonl\Z")
_SHORT = 12
BLOCK_LINE, CAMPAIGN_LINE, HISTORY_LINE = b'{"block":{', b'{"campaign":{', b'{"history":{'


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


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid")
    block: Block


class _Campaign(BaseModel):
    model_config = ConfigDict(extra="forbid")
    campaign: Campaign


class _History(BaseModel):
    model_config = ConfigDict(extra="forbid")
    history: History


@dataclass(frozen=True)
class RunFile:
    """A finished run."""

    path: Path
    header: Header
    rows: tuple[Row, ...]
    campaigns: tuple[Campaign, ...] = ()
    blocks: tuple[Block, ...] = ()
    histories: tuple[History, ...] = ()

    @property
    def first_line(self) -> int:
        """The line of the first row: header, campaigns, blocks and histories stand before them."""
        return 2 + len(self.campaigns) + len(self.blocks) + len(self.histories)


class Journal:
    """The cells and blocks that an unfinished run has done so far. One process at a time holds it."""

    def __init__(self, results: Path, plan: str) -> None:
        """Open the journal of the plan (a digest of the cells asked for), with what it holds already.

        Raises UsageError when another process is doing the same run.
        """
        with results_errors(results):
            results.mkdir(parents=True, exist_ok=True)
            self.path = results / f".{plan[:16]}.journal"
            self._file = self.path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise UsageError(
                "the same run is already going on", where=str(results), hint="wait for it, or use another --results"
            ) from None
        self.cells: dict[str, list[Row]] = {}
        self.histories: dict[str, History] = {}
        """Of cells that have one."""
        self.blocks: list[Block] = []
        self.opened: dict[str, dict[str, Any]] = {}
        """Campaign → what was said of it when it began."""
        self._recover()

    def add(self, cell: str, rows: list[Row], history: History | None = None) -> None:
        """Keep a finished cell; it is on disk when this returns."""
        self.cells[cell] = rows
        entry: dict[str, Any] = {"cell": cell, "rows": [row.line() for row in rows]}
        if history is not None:
            self.histories[cell] = history
            entry["history"] = history.model_dump(mode="json")
        self._write(entry)

    def open_campaign(self, campaign: str, facts: dict[str, Any]) -> None:
        """Keep what is known of a campaign when it begins."""
        self.opened[campaign] = facts
        self._write({"campaign": campaign, "facts": facts})

    def add_block(self, block: Block) -> None:
        """Keep a timed block; it is on disk when this returns."""
        self.blocks.append(block)
        self._write({"block": block.model_dump(mode="json")})

    def _write(self, entry: dict[str, Any]) -> None:
        with results_errors(self.path.parent):
            self._file.write(canonical_json(entry) + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self, *, remove: bool) -> None:
        """Let go of the journal; ``remove`` when its run file is written."""
        if remove:
            self.path.unlink(missing_ok=True)
        with suppress(OSError):  # a cell that could not be written was reported when it was added
            self._file.close()

    def _recover(self) -> None:
        """Whole lines; a torn last one, and all behind it, is cut off."""
        self._file.seek(0)
        good = 0
        for line in self._file.read().splitlines(keepends=True):
            try:
                self._take(json.loads(line if line.endswith(b"\n") else b""))
            except (ValueError, KeyError, TypeError, AttributeError):
                break
            good += len(line)
        self._file.truncate(good)
        self._file.seek(0, os.SEEK_END)

    def _take(self, entry: dict[str, Any]) -> None:
        if "block" in entry:
            self.blocks.append(Block.model_validate(entry["block"]))
        elif "campaign" in entry:
            self.opened[str(entry["campaign"])] = dict(entry["facts"])
        else:
            cell = str(entry["cell"])
            rows = [Row.model_validate(row) for row in entry["rows"]]
            if "history" in entry:
                self.histories[cell] = History.model_validate(entry["history"])
            self.cells[cell] = rows


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
    lines += sorted(canonical_json(row.line()) for row in rows)
    body = b"".join(line + b"\n" for line in lines)
    stamp = re.sub(r"[-:]|\.\d+|\+00:00", "", header["finished"]).rstrip("Z") + "Z"
    unnamed = Header(run="", **header).model_dump(mode="json")
    name = f"{header['suite']}-{header['track']}-{stamp}-{_digest(unnamed, body)}"
    complete = Header(run=name, **header)
    first = canonical_json({"header": complete.model_dump(mode="json")})
    path = results / f"{name}.jsonl"
    with results_errors(results):
        with tempfile.NamedTemporaryFile("wb", dir=results, prefix=".", suffix=".partial", delete=False) as file:
            file.write(first + b"\n" + body)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), 0o644)
        os.replace(file.name, path)
        _sync_folder(results)
    return path


def _digest(header: dict[str, Any], body: bytes) -> str:
    """What a run file's name says of its content: the header without the name, and the rows."""
    unnamed = {key: value for key, value in header.items() if key != "run"}
    return digest_bytes(canonical_json(unnamed) + b"\n" + body)[:_SHORT]


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def run_files(results: Path) -> tuple[list[Path], list[Path]]:
    """The finished runs of a results folder, and the files in it that are none, both by name."""
    if not results.is_dir():
        return [], []
    files = sorted(p for p in results.rglob("*") if p.is_file() and not p.name.startswith("."))
    files = [p for p in files if p.relative_to(results).parts[0] != "decisions"]
    runs = [p for p in files if _NAME.match(p.name)]
    known = {*runs, *(functions_file(run) for run in runs)}
    return runs, [p for p in files if p not in known and not p.name.endswith(TRAJECTORIES)]


def functions_file(run: Path) -> Path:
    """The Parquet file beside a run file, with the rows of single functions."""
    return run.with_suffix(".functions.parquet")


def check_run(path: Path) -> tuple[Header, list[bytes]]:
    """Header and raw row lines of a finished run.

    Raises UsageError for a file that is torn, was altered after it was written, or has a header of
    another schema.
    """
    match = _NAME.match(path.name)
    first, newline, body = path.read_bytes().partition(b"\n")
    remedy = "restore it, or move it out of the results folder"
    if match is None or not newline:
        raise UsageError("not a run file", where=str(path), hint=remedy)
    try:
        fields = json.loads(first)["header"]
        if fields.get("schema_version") not in READABLE:
            known = " and ".join(map(str, READABLE))
            raise UsageError(f"schema {fields.get('schema_version')}; this harness reads {known}", where=str(path))
        if _digest(fields, body) != match["digest"]:
            raise UsageError("torn or altered: its content contradicts its name", where=str(path), hint=remedy)
        header = Header.model_validate(fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"the header is not readable: {str(error).splitlines()[0]}", where=str(path), hint=remedy
        ) from None
    if header.run != path.name.removesuffix(".jsonl"):
        raise UsageError("renamed: its header names another run", where=str(path), hint=remedy)
    return header, body.splitlines()


def read_run(path: Path) -> RunFile:
    """A finished run, every row checked. Raises UsageError that names file and line."""
    header, lines = check_run(path)
    rows: list[Row] = []
    campaigns: list[Campaign] = []
    blocks: list[Block] = []
    histories: list[History] = []
    for number, line in enumerate(lines, start=2):
        try:
            if line.startswith(BLOCK_LINE):
                blocks.append(_Block.model_validate_json(line).block)
            elif line.startswith(CAMPAIGN_LINE):
                campaigns.append(_Campaign.model_validate_json(line).campaign)
            elif line.startswith(HISTORY_LINE):
                histories.append(_History.model_validate_json(line).history)
            else:
                rows.append(Row.model_validate_json(line))
        except ValidationError as error:
            fault = error.errors()[0]
            place = ".".join(str(part) for part in fault["loc"])
            raise UsageError(f"{place}: {fault['msg']}", where=f"{path}, line {number}") from None
    return RunFile(path, header, tuple(rows), tuple(campaigns), tuple(blocks), tuple(histories))
