"""What policies say of themselves, as runs recorded it: which are deterministic searches, which are ceilings."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from harness.rank.question import Question
from harness.rank.sides import Side
from harness.statistics.values import exact_mean

if TYPE_CHECKING:
    import duckdb

__all__ = ["CEILING", "DETERMINISTIC", "completed", "problems_of", "said", "shares_of_ceiling"]

DETERMINISTIC = "deterministic"
"""A search that finds the same whenever it is asked: it has one seed."""
CEILING = "ceiling"
"""The best that is known of each program, whatever it took to find: a measure for others, and never ranked."""
_NOTHING = 1e-4
"""A ceiling that is not above the reference by so much, in logarithms, measures nobody."""


def said(index: "duckdb.DuckDBPyConnection", question: Question, what: str) -> set[str]:
    """Policies that say so of themselves."""
    query = f"SELECT DISTINCT policy FROM said WHERE {question.in_suites} AND what = ?"
    return {str(name) for (name,) in index.execute(query, [what]).fetchall()}


def problems_of(index: "duckdb.DuckDBPyConnection", question: Question) -> dict[str, str]:
    """Policy → the problem that it decides, as the latest of its runs has it."""
    query = f"""
SELECT m.policy, arg_max(m.problem, u.started) FROM measurements m JOIN runs u USING (run)
WHERE m.{question.in_suites} GROUP BY m.policy"""
    return {str(policy): str(problem) for policy, problem in index.execute(query).fetchall()}


def shares_of_ceiling(sides: Iterable[Side], ceilings: Container[str], problems: Mapping[str, str]) -> dict[str, float]:
    """Policy → what it reaches of a ceiling's gain, on the programs that the ceiling has: log strict over log strict;
    below 0 where it loses. Of several ceilings of its problem that counts which has most programs, and of these the
    highest: what passes can do is no measure of who decides about inlining.

    Without policies whose problem has no ceiling among the sides, or none above the reference, and without those that
    completed nothing.
    """
    of: dict[str, list[Side]] = defaultdict(list)
    for side in sides:
        if any(one.completed for one in side.results.values()):
            of[problems[side.policy]].append(side)
    return {policy: share for every in of.values() for policy, share in _shares(every, ceilings).items()}


def _shares(every: Sequence[Side], ceilings: Container[str]) -> dict[str, float]:
    """Of the policies of one problem."""
    places = {side.policy: completed(side) for side in every if side.policy in ceilings}
    gains = {side.policy: _mean(side, places[side.policy]) for side in every if side.policy in places}
    best = max(gains, key=lambda name: (len(places[name]), gains[name]), default="")
    if gains.get(best, 0.0) < _NOTHING:
        return {}
    return {side.policy: _mean(side, places[best]) / gains[best] for side in every}


def completed(side: Side) -> list[int]:
    """Which of the programs, in their order."""
    return [place for place, one in enumerate(side.results.values()) if one.completed]


def _mean(side: Side, places: Sequence[int]) -> float:
    return exact_mean(np.array([side.means[place] for place in places]))
