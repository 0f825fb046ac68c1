"""What each pass of a list does on one module, and the shortest list that does the same."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.base.delta_debugging import fewest
from harness.base.progress import Observer
from harness.freeze import FrozenModule
from harness.problems.passes.session import Session
from harness.sandbox.bench import Bench

__all__ = ["Effect", "Pruned", "effects", "pruned"]

MOST_TESTS = 2000
"""Lists that pruning tries."""


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
    """A part of the list, in its order, that gives the same object. Raises SessionLost."""
    table = tuple(dict.fromkeys(passes))
    observer.stage("leaving passes out", MOST_TESTS)
    tried = 0
    numbers = [table.index(pipeline) for pipeline in passes]
    with Session(frozen.bitcode, table, bench, level=frozen.level) as session:

        def identity(kept: frozenset[int]) -> int:
            nonlocal tried
            tried += 1
            observer.advance(1, f"list {tried}, at most {MOST_TESTS}")
            line = session.line()
            actions = [number for at, number in enumerate(numbers) if at in kept]
            if actions:
                line.apply(*actions)
            found = line.object_size().identity
            line.drop()
            return found

        whole = identity(frozenset(range(len(passes))))
        same = lambda sets: [identity(one) == whole for one in sets]  # noqa: E731
        found = fewest(range(len(passes)), same, most=MOST_TESTS)
    return Pruned(tuple(passes[at] for at in sorted(found.items)), found.complete, found.tests)
