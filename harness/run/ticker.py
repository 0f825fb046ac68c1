"""Progress by the second while one long task after the other runs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from harness.base.progress import Observer
from harness.problems.protocol import Task

__all__ = ["Ticker"]

_TICK = 1.0
"""Seconds."""


class Ticker:
    """Moves the progress on while a task runs that has a limit of seconds, its weight: by seconds, up to the limit."""

    def __init__(self, observer: Observer, tasks: Sequence[Task[Any]]) -> None:
        self._observer, self._left = observer, list(tasks)
        self._told = 0.0  # seconds of the task that runs now
        self._since = monotonic()
        self._ended = Event()
        self._lock = Lock()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Tick meanwhile."""
        thread = Thread(target=self._tick, name="ticker", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join()

    def finished(self, task: Task[Any]) -> None:
        """This task has ended: all of its seconds are done."""
        with self._lock:
            self._left.remove(task)
            told, self._told, self._since = self._told, 0.0, monotonic()
            if told < task.weight:
                self._observer.advance(task.weight - told, task.name)

    def _tick(self) -> None:
        while not self._ended.wait(_TICK):
            with self._lock:
                if not self._left:
                    return
                task = self._left[0]
                spent = min(monotonic() - self._since, task.weight)
                if spent > self._told:
                    self._observer.advance(spent - self._told, task.name)
                    self._told = spent
