"""Engines on this machine. Workers are threads: the work itself is done by compiler processes,
which a thread starts and waits for without holding the interpreter."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import TypeVar

from harness.base.engine import Done, Engine
from harness.base.process import start_again, stop_all

__all__ = ["InProcess", "LocalPool", "local_engine"]

Task = TypeVar("Task")
Value = TypeVar("Value")


def local_engine(jobs: int) -> Engine:
    """The engine for ``--jobs N``."""
    return InProcess() if jobs == 1 else LocalPool(jobs)


class InProcess:
    """One task after the other, in the order given."""

    workers = 1

    def run(self, function: Callable[[Task], Value], tasks: Sequence[Task]) -> Iterator[Done[Task, Value]]:
        """See ``Engine.run``."""
        for task in tasks:
            yield _attempt(function, task)


class LocalPool:
    """``workers`` tasks at a time."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, function: Callable[[Task], Value], tasks: Sequence[Task]) -> Iterator[Done[Task, Value]]:
        """See ``Engine.run``."""
        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="worker")
        try:
            futures: list[Future[Done[Task, Value]]] = [pool.submit(_attempt, function, task) for task in tasks]
            for future in as_completed(futures):
                yield future.result()
        except KeyboardInterrupt:  # do not wait for compilers that nobody will ask again
            pool.shutdown(wait=False, cancel_futures=True)  # first: whose command is killed takes the next task
            stop_all()
            pool.shutdown(wait=True)
            start_again()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _attempt(function: Callable[[Task], Value], task: Task) -> Done[Task, Value]:
    try:
        return Done(task, function(task), None)
    except Exception as error:  # noqa: BLE001 - handed to the caller, who knows which errors end the run
        return Done(task, None, error)
