"""What is concluded of two policies: from the figures of the standings, and in one sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.policy.tracks import facts_of
from harness.rank.contest import percent
from harness.rank.entries import entries
from harness.rank.pairs import Met, ahead, differences, home, meet
from harness.rank.question import Question, benchmarks_called
from harness.rank.refusals import refusals
from harness.rank.sides import Side
from harness.rank.standings import detectable, standings
from harness.rank.verdicts import Word, least_clusters
from harness.statistics import Chance, SuiteEffect, suite_effect
from harness.statistics.flips import LEVEL

if TYPE_CHECKING:
    import duckdb

__all__ = ["Together", "in_class", "not_ranked", "sentence", "strict_effect", "together", "together_by_reason"]


@dataclass(frozen=True, slots=True)
class Together:
    """Two policies as the standings have them."""

    told: tuple[float, Chance] | None
    """The sign of A's lead, and the chance that there is none. None: they never met on enough programs."""
    effect: SuiteEffect | None
    """Of strict's differences, where a program failed."""
    failed: Mapping[str, tuple[str, ...]]


def together(index: "duckdb.DuckDBPyConnection", question: Question, a: str, b: str) -> Together | None:
    """On the question's programs. None without an answer: one of them has nothing against the track's reference."""
    sides = {side.policy: side for side in home(index, question) if side.policy in (a, b)}
    if len(sides) < 2:
        return None
    ours, theirs = sides[a], sides[b]
    failed = {
        side.policy: names
        for side in (ours, theirs)
        if (names := tuple(name for name, found in side.results.items() if not found.completed))
    }
    if ours.identity == theirs.identity:
        return Together((0.0, Chance(1.0, 1.0, 1.0)), None, failed)
    met, paired = meet(index, question), question.quantity.paired
    (((better, _), chance),) = ahead([ours, theirs], met, paired=paired).items()
    told = None if chance is None else (1.0 if better == a else -1.0, chance)
    if not failed:
        return Together(told, None, failed)
    return Together(told, strict_effect(ours, theirs, met, paired=paired), failed)


def strict_effect(ours: Side, theirs: Side, met: Met, *, paired: bool) -> SuiteEffect:
    """Of strict's differences. Its ends are not beyond those of the same with the failures spared."""

    def effect(spared: Side | None) -> SuiteEffect:
        values = differences(ours, theirs, met, paired=paired, spared=spared)
        there = [(value, cluster) for value, cluster in zip(values, ours.clusters, strict=True) if value is not None]
        return suite_effect([[[value]] for value, _ in there], clusters=[cluster for _, cluster in there])

    found = effect(None)
    if found.like_these is None:
        return found
    low, high = found.like_these
    if ours.failed and (best := effect(ours).like_these):
        high = min(high, best[1])
    if theirs.failed and (worst := effect(theirs).like_these):
        low = max(low, worst[0])
    return replace(found, like_these=(low, high))


def not_ranked(index: "duckdb.DuckDBPyConnection", question: Question, *policies: str) -> list[str]:
    """Who is not ranked on the question's programs, and why: as the standings say it."""
    asked = replace(question, reference=facts_of(question.track).references[0])
    found = entries(index, asked)
    sides = [side for side in home(index, asked) if side.policy in policies]
    reasons = refusals(index, asked, found, sides) if sides else {}
    return together_by_reason({policy: "; ".join(reasons.get(policy, ())) for policy in policies})


def together_by_reason(reasons: Mapping[str, str]) -> list[str]:
    """One remark a reason, with all whom it is about. ``reasons``: policy → why it is not ranked; nothing: it is."""
    found: dict[str, list[str]] = {}
    for policy, reason in reasons.items():
        found.setdefault(reason, []).append(policy)
    return [f"{', '.join(names)}: not ranked: {reason}" for reason, names in found.items() if reason]


def in_class(index: "duckdb.DuckDBPyConnection", question: Question, a: str, b: str) -> str:
    """What the standings say of one of the two where the other is the reference: of all its class at once."""
    references = facts_of(question.track).references
    for policy, reference in ((a, b), (b, a)):
        if reference in references and policy != reference:
            rows = standings(index, replace(question, reference=reference))
            row = next((row for row in rows if row.policy == policy), None)
            if row is None or row.verdict is None or row.p is None:
                return ""
            ranked = sum(one.rank is not None and one.policy_class == row.policy_class for one in rows)
            class_ = f"its class of {ranked} ranked policies" if ranked > 1 else "its class, of which it is alone"
            word = _VERDICTS[Word(row.verdict)]
            return f"in the standings, at 5 % over {class_}: {policy} is {word} {reference} (p = {_p(row.p)})"
    return ""


_VERDICTS = {
    Word.BETTER: "better than",
    Word.WORSE: "worse than",
    Word.EQUIVALENT: "equivalent to",
    Word.OPEN: "not resolved against",
}


def sentence(
    question: Question,
    a: str,
    b: str,
    places: Sequence[float],
    effect: SuiteEffect,
    told: tuple[float, Chance],
    clusters: int,
) -> str:
    """What may be said of two policies on benchmarks like these. ``told``: as ``_told`` gives it."""
    what, (sign, chance) = benchmarks_called(question), told
    alone = f"p = {_p(chance.p)}, at 5 % for this pair alone"
    if not any(places) and chance.p == 1:
        return f"{a} and {b} are equal on all {what} that both completed"
    if clusters < least_clusters() or effect.like_these is None:
        return f"{len(places)} {what}: from fewer than {least_clusters()}, nothing can be told of {what} like these"
    low, high = effect.like_these
    if not chance.below(LEVEL):
        mde = detectable(effect.estimate, effect.like_these)
        seen = "" if mde is None else f"; a difference of {percent(mde)} would have been seen in four cases of five"
        return f"{a} and {b} cannot be told apart on {what} like these ({alone}){seen}"
    better, worse = (a, b) if sign > 0 else (b, a)
    adjective = "faster" if question.quantity.paired else "better"
    if low <= 0 <= high:
        return f"{better} may be {adjective} than {worse} on {what} like these ({alone}), but the interval holds 1"
    return f"{better} is {adjective} than {worse} on {what} like these ({alone})"


def _p(value: float) -> str:
    return f"{value:.2g}" if value >= 0.001 else f"{value:.1g}"
