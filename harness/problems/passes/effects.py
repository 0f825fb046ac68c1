"""What each pass of a list does on one module, and the shortest list that does the same."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from harness.base.delta_debugging import fewest
from harness.base.progress import Observer
from harness.freeze import FrozenModule
from harness.problems.passes.session import Session, SessionLost
from harness.sandbox.bench import Bench

__all__ = ["Effect", "Pruned", "effects", "pruned"]

MOST_TESTS = 2000
"""Lists that pruning tries."""
MOST_SECONDS = 600.0
"""Seconds of wall time after which it tries no other: a list of a large program takes a minute."""


@dataclass(frozen=True, slots=True)
class Effect:
    """One pass of a list."""

    position: int
    """From 1; 0 is the frozen module."""
    pipeline: str
    changed: bool
    instructions: int
    """ir.instructions after it."""
    alloc: int
    """size.alloc of the object after it, in bytes."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """The list without what it does not need."""

    passes: tuple[str, ...]
    """No single one can be left out: the object would be another."""
    complete: bool
    """Whether the search came to its end."""
    tried: int
    """Lists."""


def effects(passes: Sequence[str], frozen: FrozenModule, bench: Bench, observer: Observer) -> list[Effect]:
    """The frozen module, then each pass. Raises SessionLost, naming the pass that ends badly."""
    table = tuple(dict.fromkeys(passes))
    observer.stage("running each pass", len(passes))
    with Session(frozen.bitcode, table, bench, level=frozen.level) as session:
        line = session.line()
        found = [Effect(0, "", False, line.count(), line.object_size().alloc)]
        for position, pipeline in enumerate(passes, start=1):
            (step,) = line.steps(table.index(pipeline))
            alloc = line.object_size().alloc if step.changed else found[-1].alloc
            found.append(Effect(position, pipeline, step.changed, step.instructions, alloc))
            observer.advance(1, f"pass {position} of {len(passes)}")
        return found


def pruned(passes: Sequence[str], frozen: FrozenModule, bench: Bench, observer: Observer) -> Pruned:
    """A part of the list, in its order, that gives the same object. Raises SessionLost where the whole list ends the
    session; a part that does is another object.
    """
    observer.stage("leaving passes out", MOST_TESTS)
    with _Objects(passes, frozen, bench) as objects:
        whole = objects.identity(frozenset(range(len(passes))))
        deadline = time.monotonic() + MOST_SECONDS
        tried, in_time = 0, True

        def same(sets: Sequence[frozenset[int]]) -> list[bool]:
            nonlocal tried, in_time
            found = []
            for kept in sets:
                in_time = in_time and time.monotonic() < deadline
                if in_time:
                    tried += 1
                    observer.advance(1, f"list {tried}, at most {MOST_TESTS}")
                found.append(in_time and objects.is_same(kept, whole))
            return found

        found = fewest(range(len(passes)), same, most=MOST_TESTS)
    return Pruned(tuple(passes[at] for at in sorted(found.items)), found.complete and in_time, tried)


class _Objects:
    """What parts of a list make. A context."""

    def __init__(self, passes: Sequence[str], frozen: FrozenModule, bench: Bench) -> None:
        self._table = tuple(dict.fromkeys(passes))
        self._numbers = [self._table.index(pipeline) for pipeline in passes]
        self._frozen, self._bench = frozen, bench
        self._session: Session | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._close()

    def identity(self, kept: frozenset[int]) -> int:
        """Of the object of these passes, by their places. Raises SessionLost."""
        if self._session is None:
            self._session = Session(self._frozen.bitcode, self._table, self._bench, level=self._frozen.level)
        line = self._session.line()
        actions = [number for at, number in enumerate(self._numbers) if at in kept]
        if actions:
            line.apply(*actions)
        found = line.object_size().identity
        line.drop()
        return found

    def is_same(self, kept: frozenset[int], whole: int) -> bool:
        """Whether these passes make the object ``whole``; not, where they crash, hang or take all memory: the next ones
        get a session of their own.
        """
        try:
            return self.identity(kept) == whole
        except SessionLost:
            self._close()
            return False

    def _close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None
