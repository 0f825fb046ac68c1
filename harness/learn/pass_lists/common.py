"""One list for all modules: changed at random, and kept if the mean gain over them is no less.

A second list can be found beside a first: its gain on a module is then that of the better of the two, so that it serves
where the first does not.
"""

import json
import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.writing import written
from harness.learn.pass_lists.evolve import LONGEST, changed
from harness.learn.pass_lists.trials import Actions, Trials

__all__ = ["Common", "Subject", "asked", "evolve_common"]

_EARLY = 6
"""Modules after which a list that is far behind is given up, and so on each time as many more were asked."""
_BEHIND = 0.01
"""Weighted mean gain over those that a list may be behind the best, over how many times they were asked so far."""
_SAME = 24
"""Modules after which a list that differs nowhere from the best is given up, unless it is shorter."""
_CHECKED = 300.0
"""Seconds between two looks at the outputs of all programs."""


@dataclass(frozen=True)
class Subject:
    """A module that has a say."""

    trials: Trials
    reference: int
    """size.alloc of clang -Oz."""
    weight: float = 1.0
    others: float = -math.inf
    """The gain of the best of the lists that are there already."""

    def gain(self, actions: Actions) -> float | None:
        """log of the reference over the size with this list, or with the best of the others; None where it breaks."""
        size = self.trials.size(actions)
        return None if size is None else max(math.log(self.reference / size), self.others)


@dataclass(frozen=True)
class Common:
    """A list, and what it gains on each module, by the module's name."""

    actions: Actions
    gains: Mapping[str, float]
    mean: float
    """Weighted."""

    def write(self, path: Path) -> None:
        """Keep it."""
        content = {"actions": self.actions, "mean": math.exp(self.mean), "gains": self.gains}
        with written(path) as file:
            file.write(json.dumps(content).encode())


def evolve_common(
    path: Path,
    subjects: Sequence[Subject],
    pool: Sequence[Actions],
    actions: int,
    seconds: float,
    chance: random.Random,
) -> Common | None:
    """The best list that was found in so many seconds. ``path`` keeps what was found, and is gone on from.

    ``pool``: lists to begin with, and to take parts of. ``actions``: how many the table has. A list that is far behind
    on the first modules that it is asked about is given up. None where no list of the pool serves all modules.
    """
    best, sound = None, None
    waiting = list(reversed(pool))
    if path.exists():
        best = sound = asked(tuple(json.loads(path.read_text())["actions"]), subjects, None, chance)
        waiting = []
    started = looked = time.monotonic()
    weights = [1.0 + 0.2 * sum(one.count(number) for one in pool) for number in range(actions)]
    while (now := time.monotonic()) - started < seconds or (waiting and best is None):
        if now - looked > _CHECKED and best is not sound:
            best = sound = _sound(best, subjects, sound, path)
            looked = now
        members = [best.actions] if best else pool
        tried = waiting.pop() if waiting else changed(chance.choice(members), pool, pool, weights, chance)
        if not tried or len(tried) > LONGEST or (best and tried == best.actions):
            continue
        found = asked(tried, subjects, best, chance)
        if found and (best is None or (found.mean, -len(tried)) > (best.mean, -len(best.actions))):
            best = found
            said = f"{math.exp(best.mean):.4f} with {len(best.actions)} passes, {time.monotonic() - started:.0f} s"
            print(said, flush=True)
    return _sound(best, subjects, sound, path)


def _sound(best: Common | None, subjects: Sequence[Subject], before: Common | None, path: Path) -> Common | None:
    """The list, kept, if outputs of all programs are right under it; if not, the one that was so before."""
    if best is None or best is before:
        return before
    if not all(one.trials.is_right(best.actions) for one in subjects):
        print(f"a list that breaks a program is given up: {best.actions}", flush=True)
        return before
    best.write(path)
    return best


def asked(actions: Actions, subjects: Sequence[Subject], best: Common | None, chance: random.Random) -> Common | None:
    """What the list gains on each module; None where it breaks one, or is behind the best on those asked first."""
    found: dict[str, float] = {}
    total = ahead = share = 0.0
    same = True
    for place, one in enumerate(chance.sample(subjects, len(subjects)), start=1):
        name, gain = one.trials.name, one.gain(actions)
        if gain is None:
            return None
        found[name] = gain
        total, share = total + one.weight * gain, share + one.weight
        if best is not None:
            ahead += one.weight * (gain - best.gains[name])
            same &= gain == best.gains[name]
            if place % _EARLY == 0 and ahead / share < -_BEHIND * _EARLY / place:
                return None
            if place == _SAME and same and len(actions) >= len(best.actions):
                return None
    return Common(actions, {one.trials.name: found[one.trials.name] for one in subjects}, total / share)
