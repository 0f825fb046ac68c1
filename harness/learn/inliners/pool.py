"""Several workers at once, one a thread. A module that ends its worker has no answer, and is counted."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Self, TypeVar

from harness.base.progress import Observer, SilentObserver
from harness.learn.inliners.collector import Collector
from harness.problems.passes.session.worker import SessionLost
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
        """Why workers ended."""

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
        self, stage: str, tasks: Sequence[Task], work: Callable[[Collector, Task], Result]
    ) -> Iterator[Result | None]:
        """What ``work`` makes of each task, in their order; None where the worker was lost. ``stage``: for progress."""
        self._observer.stage(stage, len(tasks))
        for result in self._threads.map(lambda task: self._one(task, work), tasks):
            self._observer.advance(1, "")
            yield result

    def _one(self, task: Task, work: Callable[[Collector, Task], Result]) -> Result | None:
        collector = getattr(self._own, "collector", None)
        if collector is not None and time.monotonic() - collector.started > _RENEWED:
            self._forget(collector)
            collector.close()
            collector = None
        if collector is None:
            collector = Collector(self.bench)
            self._own.collector = collector
            with self._lock:
                self._open.append(collector)
        try:
            return work(collector, task)
        except SessionLost as error:
            self._forget(collector)
            with self._lock:
                self.lost.append(str(error))
            return None

    def _forget(self, collector: Collector) -> None:
        self._own.collector = None
        with self._lock:
            self._open.remove(collector)
            self._ended += collector.cpu
