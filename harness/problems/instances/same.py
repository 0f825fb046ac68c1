"""Assignments that two solvers share: a table that replays what was recorded is seen by them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.policy.tracks import facts_of
from harness.problems.instances.entries import SolverFigure
from harness.rank.question import Question

if TYPE_CHECKING:
    import duckdb

__all__ = ["Same", "same_assignments"]


@dataclass(frozen=True, slots=True)
class Same:
    """Two solvers that printed the same assignments."""

    policy: str
    """Of which they were recorded later."""
    other: str
    equal: int
    """Instances of the table on which some assignment of both is the same, and not the plain one."""
    optimal: int
    """Of them, those on which it is proven to be the best."""
    both: int
    """Instances of the table that both have solved."""

    @property
    def words(self) -> str:
        """For people."""
        proven = f" ({self.optimal} of them proven optimal)" if self.optimal else ""
        return f"{self.policy}: same assignments as {self.other} on {self.equal} of {self.both} instances{proven}"


_QUERY = """SELECT c.policy, c.benchmark, c.decisions_digest, min(c.started), any_value(CAST(m.exact AS VARCHAR))
FROM cells c JOIN measurements m USING (cell)
WHERE c.suite = ? AND c.track = ? AND c.outcome = 'ok' AND c.decisions_digest IS NOT NULL AND m.metric = 'cost'
GROUP BY ALL"""


def same_assignments(
    index: "duckdb.DuckDBPyConnection", question: Question, figures: Sequence[SolverFigure]
) -> list[Same]:
    """Of every two solvers of the table, those that share some, whatever time and cores they had in whichever run."""
    about = {figure.benchmark: figure for figure in figures}
    names = {figure.policy for figure in figures}
    said: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    first: dict[tuple[str, str], str] = {}
    plain: dict[str, set[str]] = defaultdict(set)
    optimal: set[str] = set()
    for policy, benchmark, digest, started, cost in index.execute(_QUERY, [question.suite, question.track]).fetchall():
        figure = about.get(benchmark)
        if figure is None:
            continue
        if policy == facts_of(question.track).floor or int(cost) == figure.plain:
            plain[benchmark].add(digest)
        if int(cost) == figure.bound:
            optimal.add(digest)
        said[policy][benchmark].add(digest)
        first[policy, digest] = min(started, first.get((policy, digest), started))
    found = []
    everyone = sorted(said)
    for place, one in enumerate(everyone):
        for other in everyone[place + 1 :]:
            if not {one, other} & names:
                continue
            shared = {b: (said[one][b] & said[other][b]) - plain[b] for b in said[one].keys() & said[other].keys()}
            equal = {benchmark: digests for benchmark, digests in shared.items() if digests}
            if equal:
                digests = set().union(*equal.values())
                is_later = min(first[one, d] for d in digests) > min(first[other, d] for d in digests)
                proven = sum(bool(mine & optimal) for mine in equal.values())
                pair = (one, other) if is_later else (other, one)
                found.append(Same(*pair, equal=len(equal), optimal=proven, both=len(shared)))
    return found
