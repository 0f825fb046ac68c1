"""What others have published of a suite's instances, beside what is measured here: labelled, and never ranked.

``contest.csv`` beside the suite's definition: a line of names (the first is a heading), then a line for each of the
others, as the teams of a contest: a name, and its cost on each instance; empty where it had none,
``-`` where nothing is known.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.base.documents import DIGITS
from harness.base.errors import UsageError
from harness.base.reading import MIB, read_text
from harness.base.vocabulary import Outcome
from harness.problems.instances.domain import Domain
from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.suite import LoadedInstances, load_instances, suite_names
from harness.rank.words import PUBLISHED

__all__ = ["PublishedCost", "published_costs", "published_figures"]

_FILE = "contest.csv"
_UNKNOWN = "-"
_MOST_BYTES = 1 * MIB


@dataclass(frozen=True, slots=True)
class PublishedCost:
    """A cost that others have reached, on a machine of theirs."""

    who: str
    instance: str
    digest: str
    """The instance's, as the suite defines it now."""
    cost: int | None
    """None: no feasible assignment in time."""


def published_costs(suite: LoadedInstances) -> list[PublishedCost]:
    """All of them. Raises UsageError for a file that is no such table."""
    digests = {instance.entry.name: instance.digest for instance in suite.instances}
    file = suite.file.with_name(_FILE)
    return _costs(file, digests) if file.is_file() else []


def _costs(file: Path, digests: dict[str, str]) -> list[PublishedCost]:
    found: list[PublishedCost] = []
    try:
        table = [row for row in csv.reader(read_text(file, _MOST_BYTES).splitlines()) if row]
    except csv.Error as error:
        raise UsageError(f"not a table: {error}", where=str(file)) from None
    names = table[0][1:] if table else []
    for number, (who, *costs) in enumerate(table[1:], start=2):
        for name, cost in zip(names, costs, strict=False):
            if name not in digests or cost.strip() == _UNKNOWN:
                continue
            if cost.strip() and not (cost.strip().isdecimal() and len(cost) <= DIGITS):
                raise UsageError(f"{cost[:DIGITS]!r} is no cost", where=f"{file}, line {number}, {name}")
            found.append(PublishedCost(who, name, digests[name], int(cost) if cost.strip() else None))
    return found


def published_figures(domain: Domain[Any], suite: str, measured: Iterable[SolverFigure]) -> list[SolverFigure]:
    """Those of the instances that were measured; none for a suite that does not come with the harness.

    An instance counts only if it is the very one: its digest is compared.
    """
    if suite not in suite_names(domain):
        return []
    there = {(figure.benchmark, figure.digest): figure for figure in measured}
    return [
        _figure(one, there[one.instance, one.digest])
        for one in published_costs(load_instances(domain, suite))
        if (one.instance, one.digest) in there
    ]


def _figure(one: PublishedCost, measured: SolverFigure) -> SolverFigure:
    return replace(
        measured,
        policy=one.who,
        policy_class=PUBLISHED,
        outcome=(Outcome.OK if one.cost is not None else Outcome.INFEASIBLE).value,
        detail="" if one.cost is not None else "nothing published",
        cost=one.cost,
        seconds=None,
        cpu=None,
        cell=None,
        run=None,
        decisions_digest=None,
        further=dict.fromkeys(measured.further),
    )
