"""What a run has recorded so far: synced to its journal cell by cell, and put into the run file when it ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.base.writing import remove_partial
from harness.record.decisions import DECISIONS, has_decisions, store_decisions
from harness.record.journal import Journal, entry_name
from harness.record.rows import History, Row

__all__ = ["Recorded", "Recorder", "remove_leftovers"]


def remove_leftovers(results: Path) -> None:
    """Remove what killed runs were writing into a folder of results."""
    for folder in (results, results / DECISIONS):
        remove_partial(folder)


@dataclass(frozen=True)
class Recorded:
    """What one task adds to a run."""

    rows: Sequence[Row]
    decisions: str | None = None
    """The decisions file, as text."""
    history: History | None = None


@dataclass
class Recorder:
    """The rows of a run."""

    journal: Journal
    results: Path
    """Folder of run files; decisions stand in it."""
    rows: list[Row] = field(default_factory=list)
    histories: list[History] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    """Tasks whose rows are among these."""

    def recall(self, entry: str) -> bool:
        """Take what the journal has of a task, if it has something and that is not taken already.

        What has lost its decisions is nothing: the task is done again, and gives them.
        """
        if entry in self.taken:
            return True
        rows = self.journal.cells.get(entry)
        named = {row.decisions_digest for row in rows or ()} - {None}
        if not rows or not all(has_decisions(self.results, str(digest)) for digest in named):
            return False
        self.taken.add(entry)
        self.rows += rows
        self.histories += [self.journal.histories[entry]] if entry in self.journal.histories else []
        return True

    def add(self, entry: str, recorded: Recorded, *, sync: bool = True) -> None:
        """Keep what a task gave; it is on disk when this returns.

        Without ``sync``, when the next one is: what the cache has is not lost.
        """
        if recorded.decisions is not None:
            store_decisions(self.results, recorded.decisions.encode())
        self.journal.add(entry, list(recorded.rows), recorded.history, sync=sync)
        self.taken.add(entry)
        self.rows += recorded.rows
        self.histories += [] if recorded.history is None else [recorded.history]

    def replace(self, rows: Mapping[str, Row]) -> None:
        """Put one row in the place of all that a task had, by the name of its entry."""
        self.rows = [row for row in self.rows if entry_name(row.cell, row.policy, row.copy_) not in rows]
        self.rows += rows.values()
        for name, row in rows.items():
            self.journal.add(name, [row])
