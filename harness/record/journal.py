"""The journal of an unfinished run (``.PLAN.journal``): one line per finished cell, each synced to disk.

A killed run leaves its journal; the same command reads it and does the rest. Each line carries a code (HMAC-SHA256)
over its entry and the code of the line before, with a key that the user's cache holds: an edited, foreign or reordered
line is noticed. Whoever can read the key can make such lines, of course.
"""

import fcntl
import hmac
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import TypeAdapter, ValidationError

from harness.base.digest import canonical_json
from harness.base.errors import PrerequisiteError, UsageError
from harness.base.paths import cache_root
from harness.base.reading import read_bytes
from harness.base.store import cache_errors, make_cache_folder
from harness.base.writing import written
from harness.record.lines import canonical_object
from harness.record.rows import Block, History, Row
from harness.record.runfile import results_errors

__all__ = ["Journal", "entry_name"]

_KEY = "journal.key"
"""In the cache: 32 random bytes that only its owner can read."""
_KEY_BYTES = 32
_LARGEST = 1 << 30
_ROWS = TypeAdapter(list[Row])


class Journal:
    """The cells and blocks that an unfinished run has done so far. One process at a time holds it."""

    def __init__(self, results: Path, plan: str) -> None:
        """Open the journal of the plan (a digest of the cells asked for), with what it holds already.

        Raises UsageError when another process is doing the same run.
        """
        self._key = _key()
        with results_errors(results):
            results.mkdir(parents=True, exist_ok=True)
        self.path = results / f".{plan[:16]}.journal"
        self._file = _held(self.path)
        self.cells: dict[str, list[Row]] = {}
        self.histories: dict[str, History] = {}
        """Of cells that have one."""
        self.blocks: list[Block] = []
        self.opened: dict[str, dict[str, Any]] = {}
        """Campaign → what was said of it when it began."""
        self.notes: dict[str, Any] = {}
        """What the run keeps beside its cells."""
        self._code = plan
        """Of the last line, or before the first the plan."""
        try:
            self._recover()
        except UsageError:
            self._file.close()
            raise

    def add(self, cell: str, rows: list[Row], history: History | None = None, *, sync: bool = True) -> None:
        """Keep a finished cell; it is on disk when this returns, or without ``sync`` when the next one is."""
        self.cells[cell] = rows
        entry: dict[str, Any] = {"cell": cell, "rows": [row.line() for row in rows]}
        if history is not None:
            self.histories[cell] = history
            entry["history"] = history.model_dump(mode="json")
        self._write(entry, sync=sync)

    def note(self, name: str, value: Any) -> None:
        """Keep a JSON value that the run needs when it goes on."""
        self.notes[name] = value
        self._write({"note": name, "value": value})

    def open_campaign(self, campaign: str, facts: dict[str, Any]) -> None:
        """Keep what is known of a campaign when it begins."""
        self.opened[campaign] = facts
        self._write({"campaign": campaign, "facts": facts})

    def add_block(self, block: Block) -> None:
        """Keep a timed block; it is on disk when this returns."""
        self.blocks.append(block)
        self._write({"block": block.model_dump(mode="json")})

    def _write(self, entry: dict[str, Any], *, sync: bool = True) -> None:
        self._code = self._code_of(entry)
        with results_errors(self.path.parent):
            self._file.write(canonical_json({"code": self._code, "entry": entry}) + b"\n")
            self._file.flush()
            if sync:
                os.fsync(self._file.fileno())

    def _code_of(self, entry: dict[str, Any]) -> str:
        return hmac.digest(self._key, f"{self._code}\n".encode() + canonical_json(entry), "sha256").hex()

    def close(self, *, remove: bool) -> None:
        """Let go of the journal; ``remove`` when its run file is written."""
        if remove and _is_at(self.path, self._file):  # else somebody took it away, and what is there is another's
            self.path.unlink(missing_ok=True)
        with suppress(OSError):  # a cell that could not be written was reported when it was added
            self._file.close()

    def _recover(self) -> None:
        """All whole lines. What follows the last is a line that a kill tore: it is cut off."""
        if os.fstat(self._file.fileno()).st_size > _LARGEST:
            raise UsageError(f"larger than {_LARGEST:,} bytes", where=str(self.path), hint=_REMEDY)
        self._file.seek(0)
        *lines, torn = self._file.read().split(b"\n")
        for number, line in enumerate(lines, start=1):
            self._take(line, f"{self.path}, line {number}")
        if torn:
            self._file.truncate(sum(map(len, lines)) + len(lines))
        self._file.seek(0, os.SEEK_END)

    def _take(self, line: bytes, where: str) -> None:
        said = canonical_object(line, where, _REMEDY)
        entry, code = said.get("entry"), said.get("code")
        if not isinstance(entry, dict) or not isinstance(code, str):
            raise UsageError("not a line of a journal", where=where, hint=_REMEDY)
        if not hmac.compare_digest(self._code_of(entry).encode(), code.encode()):
            raise UsageError(
                f"altered, or written with another key than {cache_root() / _KEY}: its code does not fit",
                where=where,
                hint=_REMEDY,
            )
        try:
            self._keep(entry)
        except (ValidationError, KeyError, TypeError, ValueError) as error:  # written by another version
            raise UsageError(f"not readable: {str(error).splitlines()[0]}", where=where, hint=_REMEDY) from None
        self._code = code

    def _keep(self, entry: dict[str, Any]) -> None:
        if "block" in entry:
            self.blocks.append(Block.model_validate_json(canonical_json(entry["block"]), strict=True))
        elif "note" in entry:
            self.notes[str(entry["note"])] = entry["value"]
        elif "campaign" in entry:
            self.opened[str(entry["campaign"])] = dict(entry["facts"])
        else:
            cell = str(entry["cell"])
            rows = _ROWS.validate_json(canonical_json(entry["rows"]), strict=True)
            if not rows or any(cell != entry_name(row.cell, row.policy, row.copy_) for row in rows):
                raise ValueError(f"rows of another cell than {cell!r}")
            if "history" in entry:
                self.histories[cell] = History.model_validate_json(canonical_json(entry["history"]), strict=True)
            self.cells[cell] = rows


_REMEDY = "remove the file: its cells are done again, most of them from the cache"


def entry_name(key: str, policy: str, copy: int = 0) -> str:
    """Name of a cell in a run's journal: two policies that decide alike share a key, not their rows."""
    return f"{key}:{policy}:{copy}" if copy else f"{key}:{policy}"


def _held(path: Path) -> BinaryIO:
    """The journal's file, made if there is none, and locked. Raises UsageError when another process has it."""
    while True:
        with results_errors(path.parent):
            if path.is_symlink():
                raise UsageError("a link, not a journal", where=str(path), hint="remove it")
            # Not through a link, and without waiting for somebody at the other end of a FIFO.
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            file = os.fdopen(os.open(path, flags, 0o644), "a+b")
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise UsageError("not a regular file", where=str(path), hint="remove it")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise UsageError(
                "the same run is already going on",
                where=str(path.parent),
                hint="wait for it, or use another --results",
            ) from None
        if _is_at(path, file):
            return file
        file.close()  # its owner removed it between our opening and locking it


def _is_at(path: Path, file: BinaryIO) -> bool:
    """Whether the open file is the one that the path names."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.lstat())
    except FileNotFoundError:
        return False


def _key() -> bytes:
    """The user's key, made when it is first needed."""
    from filelock import FileLock

    root = cache_root()
    path = root / _KEY
    make_cache_folder(root, root)
    with cache_errors(root), FileLock(root / f"{_KEY}.lock"):
        if not path.exists():
            with written(path, 0o600) as file:
                file.write(os.urandom(_KEY_BYTES))
        status = path.lstat()
    key = read_bytes(path, _KEY_BYTES)
    if len(key) != _KEY_BYTES or not stat.S_ISREG(status.st_mode) or status.st_mode & 0o077:
        raise PrerequisiteError(
            "not a key that only you can read", where=str(path), hint="remove it, and the journals of unfinished runs"
        )
    return key
