"""What models of CPUs say beside a clock: of the usual one, and of the very CPU that was timed."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from harness.base.vocabulary import Target
from harness.measure import find_metric
from harness.policy.tracks import facts_of
from harness.rank.entries import entries, entries_with
from harness.rank.question import Question, floor
from harness.rank.sides import sides_of
from harness.statistics.values import exact_mean

if TYPE_CHECKING:
    import duckdb

__all__ = ["modelled", "modelled_together"]

_MODEL = "mca.cycles"
_UNTOLD = ("not measured", "not run")
"""Outcomes of programs on which a policy says nothing of the metric: they did not fail."""
_ENOUGH = 0.8
"""Of the timed programs, the least share on which a figure speaks for a policy."""


def modelled(index: "duckdb.DuckDBPyConnection", question: Question) -> dict[str, dict[str, float]]:
    """Policy → CPU → strict of its modelled cycles, over the timed programs of which they were taken. Nothing of a
    metric that no clock takes, and of a policy that was modelled on few of the timed programs.
    """
    found: dict[str, dict[str, float]] = {}
    for model in _models(index, question):
        for policy, places in model.places.items():
            if len(places) >= _ENOUGH * model.programs:
                found.setdefault(policy, {})[model.called(len(places))] = _ratio(places.values())
    return found


def modelled_together(index: "duckdb.DuckDBPyConnection", question: Question, a: str, b: str) -> dict[str, float]:
    """CPU → how much better A is by modelled cycles, as a ratio, over the timed programs that both were modelled on."""
    found = {}
    for model in _models(index, question):
        ours, theirs = model.places.get(a, {}), model.places.get(b, {})
        if both := [ours[name] - theirs[name] for name in ours if name in theirs]:
            found[model.called(len(both))] = _ratio(both)
    return found


@dataclass(frozen=True, slots=True)
class _Model:
    """What one CPU's model says."""

    cpu: str
    programs: int
    """That were timed."""
    places: Mapping[str, Mapping[str, float]]
    """Policy → program → what it counts as in strict, in logarithms; of those that cycles were taken of, or failed."""

    def called(self, programs: int) -> str:
        """The CPU, and of how many programs, if those are not all."""
        return self.cpu if programs == self.programs else f"{self.cpu} on {programs} of {self.programs} programs"


def _models(index: "duckdb.DuckDBPyConnection", question: Question) -> Iterator[_Model]:
    """Of the usual CPU, and of that which was timed: in the newest run whose times are used. Of older runs LLVM's name
    is not known.
    """
    if not question.quantity.paired:
        return
    home = question if question.reference else replace(question, reference=facts_of(question.track).references[0])
    programs = {entry.benchmark for entry in entries(index, home) if entry.reference is not None}
    query = f"""{entries_with(home)}
SELECT arg_max(model, started) FROM runs WHERE model IS NOT NULL AND run IN (SELECT run FROM used)"""
    (timed,) = index.execute(query).fetchone() or (None,)
    for name in (_MODEL, *([f"{_MODEL}@{timed}"] if timed else [])):
        asked = replace(home, metric=name)
        found = [one for one in entries(index, asked) if one.reference is not None and one.benchmark in programs]
        untold = {(one.policy, one.benchmark) for one in found if one.outcome in _UNTOLD}
        places = {
            side.policy: {
                program: place
                for program, place in zip(side.results, side.means, strict=True)
                if (side.policy, program) not in untold
            }
            for side in sides_of(found, floor(asked))
        }
        yield _Model(find_metric(name).model(Target(question.target)), len(programs), places)


def _ratio(places: Iterable[float]) -> float:
    return math.exp(exact_mean(np.array(sorted(places))))
