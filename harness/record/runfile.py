"""Writing and reading run files.

While a run goes on, its journal (``harness.record.journal``) takes every finished cell. When it is complete, the
rows are sorted and written to ``SUITE-TRACK-TIME-DIGEST.jsonl`` in one rename, and the journal goes. DIGEST is that of
header and rows: a torn or altered file contradicts its own name.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.digest import canonical_json, digest_bytes
from harness.errors import PrerequisiteError, UsageError
from harness.record.rows import READABLE, Block, Campaign, Header, History, Row

__all__ = [
    "TRAJECTORIES",
    *("RunFile", "check_run", "functions_file", "read_run", "results_errors", "run_files", "write_run"),
]

TRAJECTORIES = ".trajectories.parquet"
"""How the names of logged trajectories end (``harness.trajectories``)."""

_NAME = re.compile(
    r"(?P<suite>.+)-(?P<track>[a-z]+)-(?P<time>\d{8}T\d{6}Z)-(?P<digest>[0-9a-f]{12}(?:[0-9a-f]{20})?)\.jsonl\Z"
)
_DIGITS, _DIGITS_BEFORE_6 = 32, 12
"""Hexadecimal digits of the digest in a name: 128 bits. Until schema 5 they were 48 bits, and two files of one name
took three minutes to make."""
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
    digest = _digest(unnamed, body)[: _digits(unnamed["schema_version"])]
    name = f"{header['suite']}-{header['track']}-{stamp}-{digest}"
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
    return digest_bytes(canonical_json(unnamed) + b"\n" + body)


def _digits(schema: int) -> int:
    return _DIGITS if schema >= 6 else _DIGITS_BEFORE_6


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
        digits = _digits(fields["schema_version"])
        if len(match["digest"]) != digits:
            raise UsageError(
                f"names of schema {fields['schema_version']} end in {digits} digits of the file's digest, not in "
                f"{len(match['digest'])}",
                where=str(path),
                hint=remedy,
            )
        if not _digest(fields, body).startswith(match["digest"]):
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
