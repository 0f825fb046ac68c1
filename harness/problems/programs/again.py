"""The second asking, at the end of a run: until then what a policy that runs code of its own gave is provisional.

A policy that looks at the clock, at addresses or at chance cannot know what it said a minute ago.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from harness.apply.decisions import Decisions
from harness.base.engine import Engine, each
from harness.base.errors import CellError
from harness.base.moment import Moment, anchored, remaining
from harness.base.progress import Observer
from harness.policy import is_asked_again
from harness.problems.programs.cell import Cell, CellResult, CellTask
from harness.problems.programs.deciding import decide_again
from harness.sandbox.bench import Bench

__all__ = ["Provisional", "asked_again", "asks_again"]

_TICK = 1.0
"""Seconds between two looks at the clock."""
_WORD = 15.0
"""Seconds between two words on how long the wait is."""


@dataclass(frozen=True)
class Provisional:
    """A cell whose policy has been asked once, and what came of it."""

    task: CellTask
    result: CellResult
    first: Moment
    """When the policy had answered."""


def asks_again(cells: Sequence[Cell]) -> bool:
    """Whether a policy of these cells is asked twice."""
    policies = [cell.policy for cell in cells if cell.target in cell.policy.manifest.targets]
    return any(is_asked_again(policy) for policy in policies)


def asked_again(
    provisional: Sequence[tuple[CellTask, CellResult]], bench: Bench, engine: Engine, observer: Observer
) -> Iterator[tuple[CellTask, CellResult]]:
    """Ask the policies of provisional cells again, each when its time has come; yields what is final.

    A policy that decides otherwise now has the outcome ``not-replayable``; one that does not answer in time this time
    has that outcome, and the next run only asks it again.
    """
    now = Moment.now()
    waiting = [Provisional(task, result, anchored(result.asked or now, now)) for task, result in provisional]
    if waiting:
        observer.stage("again", len(waiting))
    said = -_WORD
    while waiting:
        now = Moment.now()
        left = {one.task.entry: remaining(one.first, now, bench.asked_again_after) for one in waiting}
        due = [one for one in waiting if left[one.task.entry] == 0]
        waiting = [one for one in waiting if left[one.task.entry] > 0]
        for one, final in each(engine, partial(_ask, bench=bench), due):
            observer.advance(1, one.task.name)
            one.task.keep(final, bench)
            yield one.task, final
        if waiting and not due:
            soonest, latest = min(left.values()), max(left.values())
            speaks = now.uptime - said >= _WORD
            said = now.uptime if speaks else said
            cells = f"{len(waiting)} cell{'s' if len(waiting) > 1 else ''}"
            observer.advance(0, f"waiting: the policies of {cells} are asked again in {latest:.0f} s" if speaks else "")
            time.sleep(min(soonest, _TICK))


def _ask(one: Provisional, bench: Bench) -> CellResult:
    """The final result."""
    cell, result, frozen = one.task.cell, one.result, one.task.frozen
    assert frozen is not None
    first = Decisions.parse((result.decisions or "").encode(), cell.name)
    try:
        decide_again(cell.policy, frozen, cell.seed, bench, first)
    except CellError as error:
        return result.withdrawn(error)
    return replace(result, asked=None)
