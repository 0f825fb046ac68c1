"""Two solvers side by side, instance by instance: by the very figures of their standings."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.problems.instances.domain import Domain
from harness.problems.instances.entries import SolverFigure, solver_figures
from harness.problems.instances.machines import machine_lines, machines_called
from harness.problems.instances.sides import by_policy, sides_of_solvers
from harness.problems.instances.training import made_on_words, trained_on
from harness.rank.compare import Comparison, Summary, Versus
from harness.rank.conclusion import sentence, strict_effect, together_by_reason
from harness.rank.contest import EQUAL, finite_ratio, known, result
from harness.rank.pairs import ahead
from harness.rank.question import Question
from harness.rank.sides import Side
from harness.rank.standings import detectable, tree_effect
from harness.rank.unanswered import no_rows
from harness.statistics import Chance, Verdict

if TYPE_CHECKING:
    import duckdb

__all__ = ["compare_solvers"]


def compare_solvers(
    domain: Domain[Any], index: "duckdb.DuckDBPyConnection", question: Question, a: str, b: str
) -> Versus:
    """Every instance that either was run on, the largest gain of A first. Raises UsageError for who has no rows."""
    figures = solver_figures(domain, index, question)
    mine = by_policy(figures)
    for policy in (a, b):
        if policy not in mine:
            raise no_rows(index, question, policy)
    pairs = [
        (ours, theirs)
        for ours, theirs in zip(mine[a], mine[b], strict=True)
        if {ours.outcome, theirs.outcome} != {"not run"}
    ]
    rows = [_row(ours, theirs) for ours, theirs in pairs]
    rows.sort(key=lambda row: (-(row.ratio or 0.0), row.benchmark))
    both = [figure for pair in pairs for figure in pair]
    summary = _summary(question, rows, both, a, b)
    beside = _made_on(trained_on(domain, index, question), {row.benchmark for row in rows}, a, b)
    apart = machine_lines(both) if len(machines_called(both)) > 1 else ()
    told = replace(summary, conclusion="; ".join((summary.conclusion, *beside, *apart)))
    return Versus(tuple(rows), told, len(rows))


def _made_on(seen: Mapping[str, set[str]], there: set[str], *policies: str) -> list[str]:
    """Who was made on some of these instances, in the words by which the standings do not rank it."""
    counts = {policy: len(seen.get(policy, set()) & there) for policy in policies}
    return together_by_reason({one: made_on_words(count, len(there)) if count else "" for one, count in counts.items()})


def _row(ours: SolverFigure, theirs: SolverFigure) -> Comparison:
    known_of_both = ours.cost is not None and theirs.cost is not None and ours.solved and theirs.solved
    equal = known_of_both and ours.decisions_digest is not None and ours.decisions_digest == theirs.decisions_digest
    failed = "" if known_of_both else "; ".join(filter(None, (ours.detail, theirs.detail)))
    return Comparison(
        benchmark=ours.benchmark,
        a=None if ours.cost is None else float(ours.cost),
        b=None if theirs.cost is None else float(theirs.cost),
        ratio=_ratio(ours, theirs) if known_of_both else None,
        same_object=False,
        outcome_a=ours.outcome,
        outcome_b=theirs.outcome,
        verdict=_verdict(ours, theirs) if known_of_both else None,
        remark="same assignment" if equal else failed,
    )


def _ratio(ours: SolverFigure, theirs: SolverFigure) -> float:
    return max(theirs.cost or 0, 1) / max(ours.cost or 0, 1)


def _verdict(ours: SolverFigure, theirs: SolverFigure) -> str:
    if ours.cost == theirs.cost:
        return EQUAL
    return (Verdict.BETTER if (ours.cost or 0) < (theirs.cost or 0) else Verdict.WORSE).value


def _summary(question: Question, rows: Sequence[Comparison], both: Sequence[SolverFigure], a: str, b: str) -> Summary:
    done = [row for row in rows if row.ratio is not None]
    words = [row.verdict for row in done]
    wins, losses = words.count(Verdict.BETTER.value), words.count(Verdict.WORSE.value)
    numbers = (wins, losses, len(done) - wins - losses, len(done), len(rows))
    if not done:
        return Summary(None, *numbers, None, None, None, None, None, None, "no instance is solved by both")
    results = [result([known(row.ratio or 1.0)]) for row in done]
    places = [place for one in results for place in one.estimates]
    effect = tree_effect(results, [[place] for place in places], [row.benchmark for row in done])
    sides = {side.policy: side for side in sides_of_solvers(both)}
    failed = {
        policy: names
        for policy, side in sides.items()
        if (names := tuple(name for name, one in side.results.items() if not one.completed))
    }
    about = strict_effect(sides[a], sides[b], {}, paired=False) if failed else effect
    low, high = about.like_these or (None, None)
    told = _told(list(sides.values()), a)
    left = len(rows) - len(done)
    remark = f"; {left} of {len(rows)} are not solved by both, and a failure counts as the worst" if left else ""
    return Summary(
        math.exp(effect.estimate),
        *numbers,
        low=finite_ratio(low),
        high=finite_ratio(high),
        these_low=finite_ratio(effect.these[0]),
        these_high=finite_ratio(effect.these[1]),
        p=told[1].p,
        mde=detectable(about.estimate, about.like_these),
        conclusion=sentence(question, a, b, places, about, told, len(rows)) + remark,
        strict=math.exp(about.estimate) if failed else None,
        failed=failed,
    )


def _told(both: Sequence[Side], a: str) -> tuple[float, Chance]:
    """As the standings have it: the sign of A's lead, and the chance that there is none."""
    found = ahead(both, {}, paired=False)
    for (better, _), chance in found.items():
        if chance is not None:
            return (1.0 if better == a else -1.0), chance
    return 0.0, Chance(1.0, 1.0, 1.0)  # the same assignments everywhere
