"""``harness bisect``."""

from collections.abc import Sequence
from typing import Any

from harness.base.answers import Answer, Column, Table
from harness.base.errors import UsageError
from harness.measure import seen
from harness.problems.inlining import INLINING
from harness.problems.inlining.bisect.run import Bisection, Culprit, Limits, bisect
from harness.problems.inlining.explain.sides import LLVM, Side, find_policy, inlines, prepare, side_of
from harness.problems.inlining.explain.sites import symbol
from harness.problems.programs.sides import make_setting
from harness.problems.verbs import Context
from harness.sandbox.bench import Bench
from harness.toolchain.names import as_written

__all__ = ["bisect_policies"]


def bisect_policies(
    context: Context, a: str, b: str, benchmark: str, target: str, track: str, limits: Limits
) -> Answer:
    """The decisions that matter; failed when the compilations ran out before that was certain."""
    if limits.metric not in seen():
        raise UsageError(f"bisect cannot go by {limits.metric!r}", hint=f"there are: {', '.join(seen())}")
    setting = make_setting(benchmark, target, track)
    policies = find_policy(a, setting), find_policy(b, setting)
    for policy in policies:
        if policy is not None and not inlines(policy):
            raise UsageError(
                f"{policy.name} is a policy of problem {policy.manifest.problem!r}: it decides no call sites",
                hint=f"bisect compares policies of problem {INLINING!r}, and `{LLVM}`, LLVM's own heuristic",
            )
    bench = context.bench()
    prepare(setting, policies, bench, context.engine, context.observer)
    first, second = (side_of(policy, setting, bench) for policy in policies)
    answer = bisect(first, second, limits, bench, context.engine, context.observer)
    records = [_record(culprit) for culprit in answer.culprits]
    title = f"{setting.program.id} · {limits.metric}: from {first.name}'s decisions to {second.name}'s"
    table = Table(records, _columns(first, second), title, shown=_for_people(records, bench))
    document = _whole(answer, first, second, setting.program.id, setting.target.value, records)
    summary = tuple(_summary(answer, first, second, limits))
    return Answer((table,), document=document, summary=summary, failed=not answer.minimal)


def _record(culprit: Culprit) -> dict[str, Any]:
    pair = culprit.pair
    assert pair.a is not None
    assert pair.b is not None
    return {
        "caller": pair.site.caller,
        "callee": pair.site.callee,
        "ordinal": pair.site.ordinal,
        "a": pair.a.inline,
        "b": pair.b.inline,
        "alone": culprit.alone,
        "within": culprit.within,
    }


def _for_people(records: Sequence[dict[str, Any]], bench: Bench) -> list[dict[str, Any]]:
    ends = ("caller", "callee")
    names = as_written([symbol(record[end]) for record in records for end in ends], bench.toolchain)
    return [record | {end: names[symbol(record[end])] for end in ends} for record in records]


def _columns(a: Side, b: Side) -> tuple[Column, ...]:
    return (
        Column("caller", "caller"),
        Column("callee", "callee"),
        Column("ordinal", "ordinal", right=True),
        Column(a.name, "a", _decision),
        Column(b.name, "b", _decision),
        Column("alone", "alone", "{:+,}".format, right=True),
        Column("in the set", "within", "{:+,}".format, right=True),
    )


def _decision(inline: bool) -> str:
    return "inline" if inline else "no"


def _whole(
    answer: Bisection, a: Side, b: Side, program: str, target: str, records: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "benchmark": program,
        "target": target,
        "metric": answer.metric,
        "a": a.name,
        "b": b.name,
        "value_a": answer.a,
        "value_b": answer.b,
        "value": answer.value,
        "explained": answer.explained,
        "candidates": answer.candidates,
        "minimal": answer.minimal,
        "compilations": answer.compilations,
        "failed": answer.failed,
        "decisions_digest": answer.decisions.digest,
        "object_digest": answer.object_digest,
        "sites": records,
    }


def _summary(answer: Bisection, a: Side, b: Side, limits: Limits) -> list[str]:
    if a.decisions.digest == b.decisions.digest:
        return [f"{a.name} and {b.name} take the same decisions here: there is nothing to explain"]
    if answer.explained is None:
        same = "the same object" if a.compiled.digest == b.compiled.digest else f"{answer.a:,} bytes under both"
        return [
            f"{answer.candidates} call sites are decided otherwise, and give {same}: there is no difference in "
            f"{answer.metric} to explain"
        ]
    lines = [
        f"{answer.metric}: {answer.a:,} bytes under {a.name}, {answer.b:,} under {b.name}: {answer.b - answer.a:+,}",
        f"{len(answer.culprits)} of {answer.candidates} call sites decided otherwise bring {answer.explained:.1%} of "
        f"it: {answer.value:,} bytes, compiled from decisions {answer.decisions.digest[:12]}",
    ]
    if others := answer.candidates - len(answer.culprits):
        rest = answer.b - answer.value
        lines.append(f"the other{f' {others}' if others > 1 else ''} on top of that: {rest:+,} bytes")
    failed = f"; {answer.failed} did not compile and count as without effect" if answer.failed else ""
    if answer.minimal:
        lines.append(
            f"none of them can be left out without missing {limits.share:.0%} "
            f"({answer.compilations} compilations{failed})"
        )
    else:
        lines.append(
            f"NOT COMPLETE: stopped after {answer.compilations} compilations{failed}; fewer sites may do. --most N "
            "allows more; what was compiled is kept"
        )
    return lines
