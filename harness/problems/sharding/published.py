"""What others have published of a suite's instances: the contest's teams, and the compiler that the instances are of.

``contest.csv`` beside the suite's definition: a line of names (the first is a heading), then a line a team: its name,
and its cost on each instance; empty where it had none.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

from harness.base.documents import DIGITS
from harness.base.errors import UsageError
from harness.base.reading import MIB, read_text
from harness.problems.sharding.suite import LoadedSharding

__all__ = ["COMPILER", "PublishedCost", "published_costs"]

COMPILER = "XLA"
"""How the compiler's row is called."""
_FILE = "contest.csv"
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


def published_costs(suite: LoadedSharding) -> list[PublishedCost]:
    """All of them. Raises UsageError for a file that is no such table."""
    digests = {problem.entry.name: problem.digest for problem in suite.problems}
    found = [
        PublishedCost(COMPILER, problem.entry.name, problem.digest, problem.entry.xla)
        for problem in suite.problems
        if problem.entry.xla is not None
    ]
    file = suite.file.with_name(_FILE)
    if file.is_file():
        found += _of_teams(file, digests)
    return found


def _of_teams(file: Path, digests: dict[str, str]) -> list[PublishedCost]:
    found: list[PublishedCost] = []
    try:
        table = [row for row in csv.reader(read_text(file, _MOST_BYTES).splitlines()) if row]
    except csv.Error as error:
        raise UsageError(f"not a table: {error}", where=str(file)) from None
    names = table[0][1:] if table else []
    for number, (team, *costs) in enumerate(table[1:], start=2):
        for name, cost in zip(names, costs, strict=False):
            if name not in digests:
                continue
            if cost.strip() and not (cost.strip().isdecimal() and len(cost) <= DIGITS):
                raise UsageError(f"{cost[:DIGITS]!r} is no cost", where=f"{file}, line {number}, {name}")
            found.append(PublishedCost(team, name, digests[name], int(cost) if cost.strip() else None))
    return found
