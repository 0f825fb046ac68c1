"""What an engine is: something that runs independent tasks and hands back each as it ends."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, cast

from harness.base.progress import Observer

__all__ = ["Done", "Engine", "each", "stage"]

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


def each(engine: Engine, function: Callable[[Task], Value], tasks: Sequence[Task]) -> Iterator[tuple[Task, Value]]:
    """Every task with what the function gives, as they end. Raises the first error."""
    for done in engine.run(function, tasks):
        if done.error is not None:
            raise done.error
        yield done.task, cast("Value", done.value)  # None may be a value


def stage(
    name: str,
    function: Callable[[Task], Value],
    tasks: Sequence[Task],
    engine: Engine,
    observer: Observer,
    label: Callable[[Task], str],
    weight: Callable[[Task], float] = lambda _: 1.0,
) -> list[tuple[Task, Value]]:
    """The same as one stage of a run, which the observer is told of unless there is nothing to do.

    ``label``: what a task is called; ``weight``: its share of the stage.
    """
    if not tasks:
        return []
    observer.stage(name, sum(map(weight, tasks)))
    found: list[tuple[Task, Value]] = []
    for task, value in each(engine, function, tasks):
        found.append((task, value))
        observer.advance(weight(task), label(task))
    return found
