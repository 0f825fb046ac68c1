"""What others have published of a suite's instances, beside what is measured here: labelled, and never ranked.

``contest.csv`` beside the suite's definition: a line of names (the first is a heading), then a line for each of the
others, as the teams of a contest: a name, and its cost on each instance; empty where it had none,
``-`` where nothing is known. The suite says which lines are no team's (``contest.no_teams``).
"""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from harness.base.documents import DIGITS
from harness.base.errors import UsageError
from harness.base.reading import MIB, read_text
from harness.base.vocabulary import Origin, Outcome, Split
from harness.problems.instances.domain import Domain
from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.suite import Contest, LoadedInstances, load_instances, suite_names
from harness.rank.words import PUBLISHED

__all__ = ["Published", "PublishedCost", "best_teams", "published_costs", "published_of", "with_teams"]

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
    team: bool = True
    """Whether it competed."""


def published_costs(suite: LoadedInstances) -> list[PublishedCost]:
    """All of them. Raises UsageError for a file that is no such table."""
    digests = {instance.entry.name: instance.digest for instance in suite.instances}
    file = suite.file.with_name(_FILE)
    no_teams = suite.definition.contest.no_teams
    found = _costs(file, digests) if file.is_file() else []
    return [replace(one, team=one.who not in no_teams) for one in found]


def best_teams(suite: LoadedInstances) -> dict[str, int]:
    """Instance → the lowest cost of a team, of those instances that the contest counted: withheld until its end."""
    withheld = {
        one.entry.name
        for one in suite.instances
        if one.origin is Origin.CONTEST and one.entry.split is Split.TEST
    }  # fmt: skip
    best: dict[str, int] = {}
    for one in published_costs(suite):
        if one.team and one.cost is not None and one.instance in withheld:
            best[one.instance] = min(one.cost, best.get(one.instance, one.cost))
    return best


@dataclass(frozen=True)
class Published:
    """What others have published of the instances that were measured."""

    figures: tuple[SolverFigure, ...] = ()
    teams: Mapping[str, int] = field(default_factory=dict)
    """Instance → the best team's cost, of those that the contest counted."""
    public: tuple[str, ...] = ()
    """Instances of the contest that its teams had while they wrote their solvers."""


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


def published_of(domain: Domain[Any], suite: str, measured: Iterable[SolverFigure]) -> Published:
    """Those of the instances that were measured; nothing for a suite that does not come with the harness.

    An instance counts only if it is the very one: its digest is compared.
    """
    if suite not in suite_names(domain):
        return Published()
    loaded = load_instances(domain, suite)
    there = {(figure.benchmark, figure.digest): figure for figure in measured}
    known = {one.entry.name for one in loaded.instances if (one.entry.name, one.digest) in there}
    costs = [one for one in published_costs(loaded) if one.instance in known]
    teams = {name: cost for name, cost in best_teams(loaded).items() if name in known}
    figures = [_figure(loaded.definition.contest, one, there[one.instance, one.digest]) for one in costs]
    public = sorted({one.instance for one in costs if one.team} - teams.keys())
    return Published(tuple(figures), teams, tuple(public))


def with_teams(figures: Iterable[SolverFigure], teams: Mapping[str, int]) -> list[SolverFigure]:
    """The figures, each with the cost of the best team where the contest counted the instance."""
    return [replace(figure, team=teams.get(figure.benchmark)) for figure in figures]


def _figure(contest: Contest, one: PublishedCost, measured: SolverFigure) -> SolverFigure:
    return replace(
        measured,
        policy=one.who,
        policy_class=PUBLISHED,
        outcome=(Outcome.OK if one.cost is not None else Outcome.INFEASIBLE).value,
        detail="" if one.cost is not None else "nothing published",
        cost=one.cost,
        seconds=None,
        cpu=contest.cpu if one.team else None,
        machine=None,
        cores=contest.cores if one.team else None,
        cell=None,
        run=None,
        decisions_digest=None,
        further=dict.fromkeys(measured.further),
        repeats=1,
        failures=0,
        lowest=one.cost,
        highest=one.cost,
    )
