"""What models of CPUs say beside a clock: of the usual one, and of the very CPU that was timed."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from harness.base.vocabulary import Target
from harness.measure import find_metric
from harness.rank.entries import entries, entries_with
from harness.rank.question import Question, floor
from harness.rank.sides import sides_of
from harness.statistics.values import exact_mean

if TYPE_CHECKING:
    import duckdb

__all__ = ["modelled"]

_MODEL = "mca.cycles"


def modelled(index: "duckdb.DuckDBPyConnection", question: Question) -> dict[str, dict[str, float]]:
    """Policy → CPU → strict of its modelled cycles. Nothing of a metric that no clock takes, or where none were taken.

    The timed CPU is that of the newest run whose times are used; of older runs LLVM's name is not known. A CPU of which
    cycles were taken on some of the timed programs only says on how many.
    """
    if not question.quantity.paired:
        return {}
    query = f"""{entries_with(question)}
SELECT arg_max(model, started), (SELECT count(DISTINCT benchmark) FROM reference)
FROM runs WHERE model IS NOT NULL AND run IN (SELECT run FROM used)"""
    timed, programs = index.execute(query).fetchone() or (None, 0)
    place = Target(question.target)
    found: dict[str, dict[str, float]] = {}
    for name in (_MODEL, *([f"{_MODEL}@{timed}"] if timed else [])):
        asked = replace(question, metric=name)
        counted = (entry for entry in entries(index, asked) if entry.reference is not None)
        cpu = find_metric(name).model(place)
        for side in sides_of(counted, floor(asked)):
            if len(side.results) < programs:
                cpu = f"{find_metric(name).model(place)} on {len(side.results)} of {programs} programs"
            if any(one.completed for one in side.results.values()):
                found.setdefault(side.policy, {})[cpu] = math.exp(exact_mean(np.array(side.means)))
    return found
