"""Several workers at once, one a thread. A module that ends its workers has no answer, and is counted."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Self, TypeVar

from harness.base.progress import Observer, SilentObserver
from harness.learn.inliners.collector import Collector
from harness.problems.programs.session.worker import SessionLost
from harness.sandbox.bench import Bench

__all__ = ["Pool"]

_RENEWED = 6 * 3600.0
"""Seconds after which a worker is replaced between two tasks: its sandbox ends it some time."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class Pool:
    """A context: at its end the workers end."""

    def __init__(self, bench: Bench, jobs: int, observer: Observer | None = None) -> None:
        """``jobs``: workers. ``observer``: is told of every task that ends."""
        self.bench = bench
        self._observer = observer or SilentObserver()
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="collector")
        self._own = threading.local()
        self._lock = threading.Lock()
        self._open: list[Collector] = []
        self._ended = 0.0
        self.lost: list[str] = []
        """Why tasks have no answer."""

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """End all workers."""
        self._threads.shutdown(cancel_futures=True)
        for collector in self._open:
            collector.close()

    @property
    def cpu(self) -> float:
        """CPU seconds that all workers have used."""
        with self._lock:
            return self._ended + sum(collector.cpu for collector in self._open)

    def each(
        self, stage: str, tasks: Sequence[Task], work: Callable[[Collector, Task], Result], *, tries: int = 2
    ) -> Iterator[Result | None]:
        """What ``work`` makes of each task, in their order; None where so many workers were lost over it: where the
        machine was short of memory, or another has ended the first, the second one is good. ``stage``: for progress.

        Raises SessionLost where no worker can be started.
        """
        self._observer.stage(stage, len(tasks))
        for result in self._threads.map(lambda task: self._one(task, work, tries), tasks):
            self._observer.advance(1, "")
            yield result

    def _one(self, task: Task, work: Callable[[Collector, Task], Result], tries: int) -> Result | None:
        why = ""
        for _ in range(tries):
            collector = self._ready()
            try:
                return work(collector, task)
            except SessionLost as error:
                why = str(error)
                self._forget(collector)
        with self._lock:
            self.lost.append(why)
        return None

    def _ready(self) -> Collector:
        """This thread's worker. Raises SessionLost where none can be started: that is no module's fault."""
        collector: Collector | None = getattr(self._own, "collector", None)
        if collector is not None and time.monotonic() - collector.started > _RENEWED:
            self._forget(collector)
            collector = None
        if collector is None:
            collector = self._started()
            self._own.collector = collector
            with self._lock:
                self._open.append(collector)
        return collector

    def _started(self) -> Collector:
        with suppress(SessionLost):
            return Collector(self.bench)
        return Collector(self.bench)  # the machine may have been short of memory; not twice

    def _forget(self, collector: Collector) -> None:
        """End it, if it has not ended."""
        collector.close()
        self._own.collector = None
        with self._lock:
            self._open.remove(collector)
            self._ended += collector.cpu
