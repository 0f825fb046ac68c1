"""Progress and remarks for people, on standard error."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from harness.base.progress import Observer, PatientObserver
from harness.base.text import duration, printable

__all__ = ["Display", "LineProgress", "RichProgress", "note", "observer", "patience"]


def note(text: str) -> None:
    """A remark for people: standard error, so that tables stay clean. A terminal that is gone is no reason to stop."""
    if sys.stderr is not None:  # it was closed before we were started
        with suppress(OSError):
            print(printable(text), file=sys.stderr)


class LineProgress:
    """Progress without a terminal: one line every five per cent, or when a stage ends."""

    def __init__(self) -> None:
        self._name, self._total, self._done, self._next = "", 0.0, 0.0, 0.0
        self._started = self._last = self._waited = 0.0
        self._said = ""

    def stage(self, name: str, total: float) -> None:
        """See ``Observer``."""
        self._name, self._total, self._done, self._next = name, total, 0.0, 0.05
        self._started = self._last = time.monotonic()
        self._waited = 0.0

    def advance(self, weight: float, what: str) -> None:
        """See ``Observer``. What is no progress (``waiting: …``) is said once, and its time is no work."""
        now = time.monotonic()
        if weight == 0:
            self._waited += now - self._last
            if what and what != self._said:
                self._said = what
                note(f"{self._name:<7} {what}")
        self._last = now
        self._done += weight
        share = self._done / self._total if self._total else 1.0
        spent = now - self._started
        if share >= self._next or share > 1 - 1e-9:
            self._next = share + 0.05
            left = (spent - self._waited) * (1 - share) / share if share else 0.0
            note(f"{self._name:<7} {share:4.0%}  {duration(spent):>6} spent, {duration(left):>6} left  {what}")

    def close(self) -> None:
        """Nothing to close."""


class RichProgress:
    """Progress on a terminal: a bar a stage, with time spent and left."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("{task.description:<7}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[what]}", style="dim", markup=False),
            console=Console(stderr=True),
        )
        self._tasks: dict[str, TaskID] = {}
        self._task: TaskID | None = None
        self._what = ""
        self._progress.start()

    def stage(self, name: str, total: float) -> None:
        """See ``Observer``. A stage that comes again has the same bar."""
        if name in self._tasks:
            self._progress.reset(self._tasks[name], total=total)
        else:
            self._tasks[name] = self._progress.add_task(name, total=total, what="")
        self._task = self._tasks[name]

    def advance(self, weight: float, what: str) -> None:
        """See ``Observer``."""
        if self._task is not None:
            self._what = printable(what, lines=False) if what else self._what
            self._progress.update(self._task, advance=weight, what=self._what)

    def close(self) -> None:
        """Leave the bars as they are and give the terminal back."""
        self._progress.stop()


def observer() -> LineProgress | RichProgress:
    """The progress display that fits standard error."""
    return RichProgress() if sys.stderr is not None and sys.stderr.isatty() else LineProgress()


class Display(Observer, Protocol):
    """An observer that takes room."""

    def close(self) -> None:
        """Give it back."""


@contextmanager
def patience(make: Callable[[], Display] = observer) -> Iterator[Observer]:
    """Progress of what may be over at once: a display is made after two seconds, and closed in any case."""
    opened: list[Display] = []

    def shown() -> Display:
        opened.append(make())
        return opened[-1]

    try:
        yield PatientObserver(shown)
    finally:
        for one in opened:
            one.close()
