"""Figures that papers print, beside standings of the same metric: never ranked, since compiler, programs or setting
differ, and what differs is said.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from harness.base.paths import SUITES
from harness.rank.question import Question

__all__ = ["Elsewhere", "elsewhere", "elsewhere_lines"]

_FILE = SUITES / "published.csv"
_SAME = "same"
"""In the column ``note``: as in the line above."""
HEADING = "published elsewhere and never ranked; ratios as they were printed:"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """One printed ratio, reference over policy; above 1 is better."""

    approach: str
    who: str
    suite: str
    metric: str
    reference: str
    ratio: float
    sd: float | None
    """Over trainings or seeds."""
    low: float | None
    high: float | None
    """Over programs."""
    note: str
    """What differs."""

    @property
    def shown(self) -> str:
        """The figure."""
        spread = "" if self.sd is None else f" ± {self.sd:.3f}"
        span = "" if self.low is None or self.high is None else f" ({self.low:.3f} to {self.high:.3f})"
        return f"{self.ratio:.3f}{spread}{span}"


@lru_cache(maxsize=1)
def _all() -> tuple[Elsewhere, ...]:
    return tuple(_read())


def _read() -> Iterator[Elsewhere]:
    note = ""
    with _FILE.open(newline="") as file:
        for line in csv.DictReader(file):
            note = note if line["note"] == _SAME else line["note"]
            sd, low, high = (float(line[name]) if line[name] else None for name in ("sd", "low", "high"))
            who = line["approach"], line["who"], line["suite"]
            yield Elsewhere(*who, line["metric"], line["reference"], float(line["ratio"]), sd, low, high, note)


def elsewhere(question: Question) -> list[Elsewhere]:
    """What was printed of the suite, by the same metric and reference; of an approach that was tried on no suite of
    ours, what was printed at all.
    """
    from harness.suite.load import suite_names

    here = {name.casefold() for name in suite_names()}
    mine = {name.casefold() for name in question.suites}
    found = [
        one
        for one in _all()
        if (one.metric == question.metric or question.metric.startswith(f"{one.metric}."))
        and one.reference == question.reference
    ]
    comparable = {one.approach for one in found if one.suite.casefold() in here}
    return [one for one in found if one.suite.casefold() in mine or one.approach not in comparable]


def elsewhere_lines(question: Question) -> tuple[str, ...]:
    """For people, a line for each approach and suite; none where nothing was printed."""
    found = elsewhere(question)
    lines = [
        f"  {approach}, {suite}: {'; '.join(f'{one.who} {one.shown}' for one in group)} [{note}]"
        for (approach, suite, note), group in groupby(found, key=lambda one: (one.approach, one.suite, one.note))
    ]
    return (HEADING, *lines) if lines else ()
