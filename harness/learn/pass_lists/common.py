"""One list for all programs: changed at random, and kept if the mean gain over them is no less."""

import json
import math
import os
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.learn.pass_lists.evolve import LONGEST, changed
from harness.learn.pass_lists.trials import Actions, Trials

__all__ = ["evolve_common"]

_EARLY = 6
"""Programs after which a list that is far behind is given up."""
_BEHIND = 0.01
"""Mean gain over those that a list may be behind the best and still be tried on the others."""


def evolve_common(
    path: Path,
    programs: Sequence[Trials],
    references: Mapping[str, int],
    pool: Sequence[Actions],
    actions: int,
    seconds: float,
    chance: random.Random,
) -> tuple[float, Actions]:
    """The best mean gain, and its list, after so many seconds. ``path`` keeps what was found, and is gone on from.

    ``references``: program → size.alloc of clang -Oz. ``pool``: lists to begin with, and to take parts of. ``actions``:
    how many the table has. The quickest programs are asked first, and a list that is far behind there is given up.
    """
    best: Actions = ()
    gains: dict[str, float] = {}
    if path.exists():
        best = tuple(json.loads(path.read_text())["actions"])
        gains = _gains(best, programs, references, {}) or {}
    started = time.monotonic()
    waiting = [] if gains else list(pool)
    weights = [1.0 + 0.2 * sum(one.count(number) for one in pool) for number in range(actions)]
    while time.monotonic() - started < seconds:
        tried = waiting.pop() if waiting else changed(best, pool, pool, weights, chance)
        if not tried or len(tried) > LONGEST or tried == best:
            continue
        found = _gains(tried, programs, references, gains)
        if found is None or (gains and _mean(found) < _mean(gains)):
            continue
        if gains and _mean(found) == _mean(gains) and len(tried) >= len(best):
            continue
        if all(one.is_right(tried) for one in programs):
            best, gains = tried, found
            _write(path, best, gains)
            print(
                f"{math.exp(_mean(gains)):.4f} with {len(best)} passes, {time.monotonic() - started:.0f} s", flush=True
            )
    return _mean(gains), best


def _gains(
    actions: Actions, programs: Sequence[Trials], references: Mapping[str, int], best: Mapping[str, float]
) -> dict[str, float] | None:
    """Program → log of size.alloc of clang -Oz over the list's; None where it breaks, or is far behind early."""
    found: dict[str, float] = {}
    for place, one in enumerate(programs, start=1):
        size = one.size(actions)
        if size is None:
            return None
        found[one.name] = math.log(references[one.name] / size)
        if (
            best
            and place % _EARLY == 0
            and _mean(found) < _mean({name: best[name] for name in found}) - _BEHIND / place
        ):
            return None
    return found


def _mean(gains: Mapping[str, float]) -> float:
    return math.fsum(gains.values()) / len(gains) if gains else -math.inf


def _write(path: Path, actions: Actions, gains: Mapping[str, float]) -> None:
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps({"actions": actions, "mean": math.exp(_mean(gains)), "gains": gains}))
    os.replace(beside, path)
