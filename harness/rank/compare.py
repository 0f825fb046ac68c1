"""Two policies side by side, program by program."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from harness.rank.conclusion import in_class, not_ranked, sentence, together
from harness.rank.contest import NEVER, Contest, Result, finite_ratio, known, lost, mean_value, result, timed
from harness.rank.figures import figures_sql, pairs_sql, ratio_sql, same_object_sql
from harness.rank.modelled import modelled_together
from harness.rank.question import Question, benchmarks_called, quote
from harness.rank.standings import detectable, tree_effect, word_of
from harness.rank.unanswered import no_rows
from harness.statistics import Verdict, pair_chance

if TYPE_CHECKING:
    import duckdb

__all__ = ["Comparison", "Summary", "Versus", "compare", "compare_sql", "compare_with", "versus"]


@dataclass(frozen=True)
class Comparison:
    """One program under two policies."""

    benchmark: str
    a: float | None
    b: float | None
    """The metric's value; over seeds, the geometric mean of those that completed."""
    ratio: float | None
    """``b`` / ``a``, or what the pairs give: above 1, A is better (smaller). None unless every seed completed."""
    same_object: bool
    """Both policies gave the same object: the ratio is exactly 1."""
    outcome_a: str
    outcome_b: str
    low: float | None = None
    high: float | None = None
    """95 % interval of the ratio: of the measurement, and of seeds. None for what one seed gave exactly."""
    verdict: str | None = None
    """Of A: ``better``, ``worse``, ``equal``; of times and of several seeds also ``unresolved``, of times
    ``equivalent`` (within half a percent). None without a ratio, and of times that only marked campaigns took."""
    pairs: int | None = None
    """Independent pairs; None where none are needed."""
    mde: float | None = None
    """Smallest difference, as a ratio less 1, that would be seen with 80 % power. None for what is exact."""
    remark: str = ""
    """Why there is no ratio, or no verdict."""
    never_together: bool = False
    """The two were never timed together; ``remark`` says how to do it."""

    def record(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return asdict(self)


@dataclass(frozen=True)
class Summary:
    """A comparison in few numbers, over the programs that both policies completed."""

    mean: float | None
    """Geometric mean of ``ratio``: above 1, A is better. None when no program has a ratio."""
    wins: int
    """Programs on which A is better; ``losses``: B is; ``ties``: equal, or shown to be equivalent."""
    losses: int
    ties: int
    completed: int
    programs: int
    """All programs that either policy was run on."""
    low: float | None
    high: float | None
    """95 % interval for programs like these: of the mean, or of ``strict`` where a program failed."""
    these_low: float | None
    these_high: float | None
    """Of the mean, for these programs."""
    p: float | None
    """Of the sign flips of clusters, over all programs that either was run on. None where nothing may be concluded."""
    mde: float | None
    """Smallest difference on programs like these, as a ratio less 1, that would be seen with 80 % power."""
    conclusion: str
    """One sentence."""
    unresolved: int = 0
    """Programs on which the two were not told apart."""
    strict: float | None = None
    """Where a program failed, the geometric mean over all, with what failures count as. None where none failed."""
    failed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Policy → the programs that it did not complete."""
    modelled: Mapping[str, float] = field(default_factory=dict)
    """Of a time: CPU → how much better A is by modelled cycles, as a ratio."""
    in_class: str = ""
    """Where one of the two is a reference of the track, the verdict that the standings have of the other."""

    def record(self) -> dict[str, Any]:
        """What is said of all programs, as ``--json`` prints it with each of them."""
        names = ("mean", "strict", "p", "conclusion")
        return {name: getattr(self, name) for name in names} | {"mean_low": self.low, "mean_high": self.high}


@dataclass(frozen=True)
class Versus:
    """The whole comparison."""

    rows: tuple[Comparison, ...]
    """The largest gain of A first."""
    summary: Summary
    clusters: int
    """Of the programs, those that share code taken for one."""

    @property
    def benchmarks(self) -> int:
        """All programs that either policy was run on."""
        return len(self.rows)


def compare_with(question: Question, a: str, b: str) -> str:
    """Common table expressions: those of ``figures_sql``, the sides ``x`` and ``y``, and those of ``pairs_sql``."""
    same = same_object_sql(question, "x.object_digest", "y.object_digest")
    duel = f""", duel AS (
  SELECT DISTINCT x.benchmark, x.object_digest AS object, y.object_digest AS against
  FROM x JOIN y USING (benchmark) WHERE x.value IS NOT NULL AND y.value IS NOT NULL AND NOT {same}
)"""
    return f"""{figures_sql(question, (a, b))}, program AS (
  SELECT benchmark, any_value(cluster) AS cluster FROM newest
  WHERE policy IN ({quote(a)}, {quote(b)}) GROUP BY benchmark
), side AS (  -- each under every seed of its own
  SELECT s.policy, s.seed, p.benchmark, p.cluster, f.value, f.object_digest, coalesce(f.outcome, 'not run') AS outcome,
         coalesce(f.detail, '') AS detail
  FROM (SELECT DISTINCT policy, seed FROM latest) s CROSS JOIN program p
  LEFT JOIN figure f ON f.benchmark = p.benchmark AND f.policy = s.policy AND f.seed = s.seed
), x AS (
  SELECT * FROM side WHERE policy = {quote(a)}
), y AS (
  SELECT * FROM side WHERE policy = {quote(b)}
){duel if question.quantity.paired else ""}{pairs_sql(question)}"""


def compare_sql(question: Question, a: str, b: str) -> str:
    """The query behind ``compare``: one row a program and pair of seeds."""
    same = same_object_sql(question, "x.object_digest", "y.object_digest")
    paired = question.quantity.paired
    ratio = f"CASE WHEN {same} THEN 1 ELSE {ratio_sql(question, 'y.value', 'x.value')} END AS ratio"
    timed = """
LEFT JOIN timed ON timed.benchmark = x.benchmark AND object = x.object_digest AND against = y.object_digest"""
    return f"""{compare_with(question, a, b)}
SELECT x.benchmark, x.cluster, x.seed AS seed_a, y.seed AS seed_b, x.value AS a, y.value AS b,
       {"pairs" if paired else ratio}, {same} AS same_object,
       x.outcome AS outcome_a, y.outcome AS outcome_b, x.detail AS detail_a, y.detail AS detail_b
FROM x JOIN y USING (benchmark){timed if paired else ""}
ORDER BY {"" if paired else "ratio DESC NULLS LAST, "}x.benchmark, seed_a, seed_b"""


def compare(index: "duckdb.DuckDBPyConnection", question: Question, a: str, b: str) -> list[Comparison]:
    """Every program that either policy was run on, the largest gain of A first.

    Raises UsageError when a policy has no rows.
    """
    return list(versus(index, question, a, b).rows)


def versus(index: "duckdb.DuckDBPyConnection", question: Question, a: str, b: str) -> Versus:
    """The comparison with its summary. Raises UsageError when a policy has no rows."""
    for policy in (a, b):
        query = f"{figures_sql(question, (policy,))} SELECT count(*) FROM newest WHERE policy = {quote(policy)}"
        if index.execute(query).fetchall()[0][0] == 0:
            raise no_rows(index, question, policy)
    found = index.execute(compare_sql(question, a, b))
    names = [column[0] for column in found.description or ()]
    programs: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in found.fetchall():
        fields = dict(zip(names, row, strict=True))
        programs[fields["benchmark"]].append(fields)
    table = [_program(question, a, b, rows) for rows in programs.values()]
    table.sort(key=lambda pair: (-(pair[0].ratio or 0.0), pair[0].benchmark))
    clusters = {name: str(rows[0]["cluster"]) for name, rows in programs.items()}
    summary = _summary(index, question, a, b, table, clusters)
    rows = [row for row, _ in table]
    if not question.quantity.compares:
        rows = [replace(row, ratio=None, low=None, high=None, verdict=None, mde=None) for row in rows]
        rows.sort(key=lambda row: row.benchmark)
        summary = replace(summary, mean=None, low=None, high=None, these_low=None, these_high=None, p=None, mde=None)
    return Versus(tuple(rows), summary, len({*clusters.values()}))


def _program(question: Question, a: str, b: str, rows: Sequence[dict[str, Any]]) -> tuple[Comparison, Result]:
    found = result(_contest(row, question.quantity.paired) for row in _matched(rows))
    effect = found.effect
    low, high = found.interval
    zero = question.quantity.can_be_zero
    row = Comparison(
        benchmark=rows[0]["benchmark"],
        a=mean_value({row["seed_a"]: row["a"] for row in rows}.values(), plus_one=zero),
        b=mean_value({row["seed_b"]: row["b"] for row in rows}.values(), plus_one=zero),
        ratio=found.ratio,
        same_object=all(row["same_object"] for row in rows),
        outcome_a=_outcome(rows, "a"),
        outcome_b=_outcome(rows, "b"),
        low=low,
        high=high,
        verdict=None if found.marks else word_of(question, found),
        pairs=found.pairs,
        mde=None if effect is None else detectable(effect.estimate, (effect.low, effect.high)),
        remark=_remark(question, a, b, found),
        never_together=_first_why(found).never,
    )
    return row, found


def _matched(rows: Sequence[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """Of all pairs of seeds, as many as let each side's seeds meet equally often."""
    by_seeds = {(row["seed_a"], row["seed_b"]): row for row in rows}
    ours, theirs = (sorted({key[side] for key in by_seeds}) for side in (0, 1))
    for number in range(math.lcm(len(ours), len(theirs))):
        yield by_seeds[ours[number % len(ours)], theirs[number % len(theirs)]]


def _contest(row: dict[str, Any], paired: bool) -> Contest:
    if row["same_object"] and row["outcome_a"] == row["outcome_b"] == "ok":
        return known(1.0)
    if row["a"] is None or row["b"] is None:
        return lost(row["detail_a"] or row["detail_b"])
    return timed(row["pairs"] or []) if paired else known(row["ratio"])


def _outcome(rows: Sequence[dict[str, Any]], side: str) -> str:
    """The worst of a side's seeds: a failure, or no value."""
    outcomes = [
        "not measured" if row[f"outcome_{side}"] == "ok" and row[side] is None and not row["same_object"] else
        row[f"outcome_{side}"]
        for row in rows
    ]  # fmt: skip
    return next((outcome for outcome in outcomes if outcome != "ok"), "ok")


def _first_why(found: Result) -> Contest:
    """The first contest that says why it has no ratio; an empty one where all have."""
    return next((contest for contest in found.contests if contest.why), lost(""))


def _remark(question: Question, a: str, b: str, found: Result) -> str:
    first = _first_why(found)
    why = first.why
    if first.never:
        why = f"{NEVER}: harness run --suite {question.suite} --track {question.track} --policy {a},{b}"
    marked = f"marked campaign: {'; '.join(found.marks)}" if found.marks else ""
    return "; ".join(filter(None, (why, marked)))


def _summary(
    index: "duckdb.DuckDBPyConnection",
    question: Question,
    a: str,
    b: str,
    table: Sequence[tuple[Comparison, Result]],
    clusters: Mapping[str, str],
) -> Summary:
    done = [(row, found, found.effect.estimate) for row, found in table if found.effect is not None]
    verdicts = [row.verdict for row, _, _ in done]
    wins, losses, unresolved = (
        verdicts.count(word.value) for word in (Verdict.BETTER, Verdict.WORSE, Verdict.UNRESOLVED)
    )
    ties = sum(word is not None for word in verdicts) - wins - losses - unresolved
    numbers = (wins, losses, ties, len(done), len(table))
    if not done:
        never = next((row.remark for row, _ in table if row.never_together), "")
        conclusion = never or f"none of the {benchmarks_called(question)} has a value under both"
        return Summary(None, *numbers, None, None, None, None, None, None, conclusion, unresolved)
    effect = tree_effect(
        [found for _, found, _ in done],
        [found.estimates for _, found, _ in done],
        [clusters[row.benchmark] for row, _, _ in done],
    )
    refused = _refusal(question, [found for _, found, _ in done])
    places = [place for _, _, place in done]
    here = replace(question, benchmarks=tuple(clusters))
    met = None if refused else together(index, here, a, b)
    told = None if met is None else met.told
    about = effect if met is None or met.effect is None else met.effect
    if met is None and not refused:  # one of them has nothing against the track's reference
        told = math.copysign(1, effect.estimate), pair_chance(places, [clusters[row.benchmark] for row, _, _ in done])
    p = None if told is None else told[1].p
    low, high = about.like_these or (None, None)
    return Summary(
        math.exp(effect.estimate),
        *numbers,
        low=finite_ratio(low),
        high=finite_ratio(high),
        these_low=finite_ratio(effect.these[0]),
        these_high=finite_ratio(effect.these[1]),
        p=p,
        mde=detectable(about.estimate, about.like_these),
        conclusion=refused
        if told is None
        else "; ".join(
            (
                sentence(question, a, b, places, about, told, len({*clusters.values()})),
                *not_ranked(index, here, a, b),
            )
        ),
        unresolved=unresolved,
        strict=None if about is effect else math.exp(about.estimate),
        failed={} if met is None else met.failed,
        modelled=modelled_together(index, here, a, b),
        in_class="" if refused else in_class(index, question, a, b),
    )


def _refusal(question: Question, found: Sequence[Result]) -> str:
    """Why nothing is concluded; empty when something is."""
    marked = [one for one in found if one.marks]
    if marked:
        marks = "; ".join(dict.fromkeys(mark for one in marked for mark in one.marks))
        some = f"{len(marked)} of {len(found)} programs were timed only in a marked campaign"
        return f"nothing is concluded: {some}: {marks}"
    if question.quantity.not_ranked:
        return f"nothing is concluded: {question.quantity.not_ranked}"
    return ""
