"""The journal of an unfinished run (``.PLAN.journal``): one line per finished cell, each synced to disk.

A killed run leaves its journal; the same command reads it and does the rest.
"""

import fcntl
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from harness.digest import canonical_json
from harness.errors import UsageError
from harness.record.rows import Block, History, Row
from harness.record.runfile import results_errors

__all__ = ["Journal"]


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
        self.notes: dict[str, Any] = {}
        """What the run keeps beside its cells."""
        self._recover()

    def add(self, cell: str, rows: list[Row], history: History | None = None) -> None:
        """Keep a finished cell; it is on disk when this returns."""
        self.cells[cell] = rows
        entry: dict[str, Any] = {"cell": cell, "rows": [row.line() for row in rows]}
        if history is not None:
            self.histories[cell] = history
            entry["history"] = history.model_dump(mode="json")
        self._write(entry)

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
        elif "note" in entry:
            self.notes[str(entry["note"])] = entry["value"]
        elif "campaign" in entry:
            self.opened[str(entry["campaign"])] = dict(entry["facts"])
        else:
            cell = str(entry["cell"])
            rows = [Row.model_validate(row) for row in entry["rows"]]
            if "history" in entry:
                self.histories[cell] = History.model_validate(entry["history"])
            self.cells[cell] = rows
