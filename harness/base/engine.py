"""What an engine is: something that runs independent tasks and hands back each as it ends."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

__all__ = ["Done", "Engine"]

Task = TypeVar("Task")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Done(Generic[Task, Value]):
    """A task that ended: with a value, or with the error that it raised."""

    task: Task
    value: Value | None
    error: BaseException | None


class Engine(Protocol):
    """Runs a function over tasks.

    The function and the tasks must be picklable, so that an engine may run them elsewhere; a task
    carries all that it needs. Order of completion is the engine's.
    """

    workers: int

    def run(self, function: Callable[[Task], Value], tasks: Sequence[Task]) -> Iterator[Done[Task, Value]]:
        """Yield each task as it ends. Closing the iterator cancels what has not started."""
