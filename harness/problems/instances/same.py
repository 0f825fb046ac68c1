"""Finds pairs of solvers whose assignments are equal or nearly equal, such as a table that replays recorded ones.

Only nodes on which at least one of the two differs from the plain assignment are compared: the others agree by default.
Independent solvers agree on few of these, except near the optimum; docs/sharding.md has the measured shares, which the
thresholds follow from.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.errors import UsageError
from harness.policy.tracks import facts_of
from harness.problems.instances.cell import assignment_of
from harness.problems.instances.domain import Domain, Integers
from harness.problems.instances.entries import SolverFigure
from harness.rank.question import Question
from harness.rank.remembered import remembered
from harness.record.decisions import load_decisions

if TYPE_CHECKING:
    import duckdb

__all__ = ["Same", "same_assignments"]

_NEARLY = 0.9
_NEARLY_OPTIMAL = 0.99
"""Smallest share of equal nodes, among those compared, at which two assignments are nearly the same. The second applies
where the cheaper one is close to a proven bound, or no bound is known."""
_CLOSE = 0.001
"""Above the bound, as a share of it."""


@dataclass(frozen=True, slots=True)
class Same:
    """Two solvers that printed the same assignments, or nearly."""

    policy: str
    """Of which they were recorded later."""
    other: str
    equal: int
    """Instances of the table on which some assignment of both is the same, and not the plain one."""
    nearly: int
    """Others, on which some of both are nearly the same."""
    share: float
    """Of the nodes that are not as in the plain assignment, those that are equal there, at least."""
    optimal: int
    """Of all these instances, those on which one of the two is proven to be the best."""
    both: int
    """Instances of the table that both have solved."""

    @property
    def words(self) -> str:
        """For people."""
        proven = f" ({self.optimal} of them proven optimal)" if self.optimal else ""
        least = f"{np.floor(10_000 * self.share) / 100:.2f} %"
        agree = f", with at least {least} of the nodes that differ from the plain assignment equal"
        if not self.nearly:
            return f"{self.policy}: same assignments as {self.other} on {self.equal} of {self.both} instances{proven}"
        if not self.equal:
            where = f"nearly the same assignments as {self.other} on {self.nearly} of {self.both} instances"
        else:
            where = (
                f"same assignments as {self.other} on {self.equal} of {self.both} instances, nearly on {self.nearly}"
            )
        return f"{self.policy}: {where}{proven}{agree}"


@dataclass
class _Said:
    """What solvers printed on one instance."""

    costs: dict[str, int] = field(default_factory=dict)
    """Digest of an assignment → what it costs."""
    by_policy: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    plain: set[str] = field(default_factory=set)
    """Of the solver that prints the plain assignment, or of its cost."""
    floor: set[str] = field(default_factory=set)
    """Those of that solver alone."""


_QUERY = """SELECT c.policy, c.benchmark, c.program_digest, c.decisions_digest, min(c.started),
       any_value(CAST(m.exact AS VARCHAR)), any_value(u.file)
FROM cells c JOIN measurements m USING (cell) JOIN runs u ON u.run = c.run
WHERE c.suite = ? AND c.track = ? AND c.outcome = 'ok' AND c.decisions_digest IS NOT NULL AND m.metric = 'cost'
GROUP BY ALL ORDER BY ALL"""


def same_assignments(
    domain: Domain[Any], index: "duckdb.DuckDBPyConnection", question: Question, figures: Sequence[SolverFigure]
) -> list[Same]:
    """Of every two solvers of the table, those that share some, whatever time and cores they had in whichever run."""
    about = {(figure.benchmark, figure.digest): figure for figure in figures}
    names = {figure.policy for figure in figures}
    said: dict[str, _Said] = defaultdict(_Said)
    first: dict[tuple[str, str], str] = {}
    files: dict[str, Path] = {}
    asked = [question.suite, question.track]
    for policy, benchmark, instance, digest, started, cost, file in index.execute(_QUERY, asked).fetchall():
        figure = about.get((benchmark, instance))
        if figure is None:
            continue
        mine = said[benchmark]
        mine.costs[digest] = int(cost)
        mine.by_policy[policy].add(digest)
        is_floor = policy == facts_of(question.track).floor
        mine.floor |= {digest} if is_floor else set()
        mine.plain |= {digest} if is_floor or int(cost) == figure.plain else set()
        first[policy, digest] = min(started, first.get((policy, digest), started))
        files[digest] = Path(file).parent
    bounds = {figure.benchmark: figure.bound for figure in figures}
    everyone = sorted({policy for mine in said.values() for policy in mine.by_policy})
    found = []
    for place, one in enumerate(everyone):
        for other in everyone[place + 1 :]:
            if {one, other} & names:
                both = {b: mine for b, mine in said.items() if mine.by_policy.keys() >= {one, other}}
                shared = {b: _shared(domain, mine, one, other, bounds[b], files) for b, mine in both.items()}
                found += _found(one, other, {b: pairs for b, pairs in shared.items() if pairs}, both, bounds, first)
    return found


_Pairs = list[tuple[str, str, float]]
"""Digests of one and of the other that are the same or nearly, and the share of equal nodes."""


def _found(
    one: str,
    other: str,
    shared: Mapping[str, _Pairs],
    both: Mapping[str, _Said],
    bounds: Mapping[str, int | None],
    first: Mapping[tuple[str, str], str],
) -> list[Same]:
    if not shared:
        return []
    pairs = [pair for mine in shared.values() for pair in mine]
    is_later = min(first[one, a] for a, _, _ in pairs) > min(first[other, b] for _, b, _ in pairs)
    names = (one, other) if is_later else (other, one)
    best = {b: max(share for _, _, share in mine) for b, mine in shared.items()}
    equal = {b for b, mine in shared.items() if any(a == c for a, c, _ in mine)}
    optimal = sum(
        any(bounds[b] == min(both[b].costs[a], both[b].costs[c]) for a, c, _ in mine) for b, mine in shared.items()
    )
    share = min((best[b] for b in shared.keys() - equal), default=1.0)
    return [Same(*names, len(equal), len(shared) - len(equal), share, optimal, len(both))]


def _shared(
    domain: Domain[Any], said: _Said, one: str, other: str, bound: int | None, files: Mapping[str, Path]
) -> _Pairs:
    ours, theirs = (sorted(said.by_policy[policy] - said.plain) for policy in (one, other))
    if not ours or not theirs:
        return []
    plain = sorted(said.floor or said.plain)[:1]
    try:
        shares = remembered(
            "nodes in common", [plain, ours, theirs], lambda: _shares(domain, plain, ours, theirs, files)
        )
    except UsageError:  # the decisions of some row are not here
        return [(digest, digest, 1.0) for digest in ours if digest in theirs]
    return [
        (mine, its, share)
        for mine, line in zip(ours, shares, strict=True)
        for its, share in zip(theirs, line, strict=True)
        if mine == its or share >= _least(min(said.costs[mine], said.costs[its]), bound)
    ]


def _least(cost: int, bound: int | None) -> float:
    return _NEARLY if bound and cost - bound > _CLOSE * bound else _NEARLY_OPTIMAL


def _shares(
    domain: Domain[Any], plain: Sequence[str], ours: Sequence[str], theirs: Sequence[str], files: Mapping[str, Path]
) -> list[list[float]]:
    """Of each two of them, the share of equal nodes, of those that are not plain in both."""
    rest = [_assignment(domain, files[digest], digest) for digest in plain]

    def of(mine: Integers, its: Integers) -> float:
        if len(mine) != len(its):
            return 0.0
        counts = np.ones(len(mine), bool)
        for one in rest:
            counts &= (mine != one) | (its != one)
        return float(np.mean((mine == its)[counts])) if counts.any() else 1.0

    columns = [_assignment(domain, files[digest], digest) for digest in theirs]
    return [[of(_assignment(domain, files[digest], digest), its) for its in columns] for digest in ours]


@lru_cache(maxsize=64)
def _assignment(domain: Domain[Any], folder: Path, digest: str) -> Integers:
    return np.array(assignment_of(domain, load_decisions(folder, digest)), np.int64)
