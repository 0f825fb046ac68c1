"""A report for people, and as Markdown for a pull request."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from harness.base.answers import Answer, Column, Table
from harness.base.text import duration, printable
from harness.base.vocabulary import Outcome
from harness.checks.submission.findings import Finding
from harness.checks.submission.validate import Report
from harness.measure import find_metric

__all__ = ["as_answer", "as_markdown", "ratios_of"]

_FINDINGS = (
    Column("", "severity"),
    Column("code", "code"),
    Column("where", "where"),
    Column("what", "what"),
)
_MEASURED = (
    Column("metric", "metric"),
    Column("target", "target"),
    Column("programs", "programs", right=True),
    Column("ratio", "ratio", "{:.4f}".format, right=True),
)
_RULES = "docs/submission-rules.md"


def as_answer(report: Report) -> Answer:
    """Two tables and a verdict; exit code 1 where it is not valid."""
    found = [finding.record() for finding in report.findings]
    mended = tuple(dict.fromkeys(f"{one.code.value}: {one.do}" for one in report.findings if one.do))
    tables = []
    if found:
        tables.append(Table(found, _FINDINGS, below=mended))
    if ratios := ratios_of(report):
        tables.append(Table(ratios, _MEASURED, title=f"against {report.reference}, geometric means; above 1 is better"))
    took = (
        f"{report.runs} run{'s' * (report.runs != 1)} in {duration(report.seconds)}"
        if report.runs
        else "nothing was run"
    )
    return Answer(
        tuple(tables),
        notes=(f"{took}; {_RULES} explains the codes",),
        document=report.document(),
        summary=(report.verdict,),
        failed=report.errors > 0,
    )


def ratios_of(report: Report) -> list[dict[str, Any]]:
    """Metric and target → the geometric mean of reference over policy, of programs that both have a value of."""
    values: dict[tuple[str, str], dict[str, dict[str, list[float]]]] = {}
    for row in report.rows:
        if (
            row.outcome is Outcome.OK
            and row.metric
            and row.value
            and not row.copy_
            and find_metric(row.metric).deterministic
        ):
            programs = values.setdefault((row.metric, row.target.value), {})
            programs.setdefault(row.benchmark, {}).setdefault(row.policy, []).append(float(row.value))
    records = []
    for (metric, target), programs in sorted(values.items()):
        logs = [
            _mean_log(one[report.reference]) - _mean_log(one[report.name])
            for one in programs.values()
            if report.reference in one and report.name in one
        ]
        if logs:
            ratio = math.exp(sum(logs) / len(logs))
            records.append({"metric": metric, "target": target, "programs": len(logs), "ratio": ratio})
    return records


def _mean_log(values: Sequence[float]) -> float:
    return sum(map(math.log, values)) / len(values)


def as_markdown(report: Report) -> str:
    """For a pull request. Nothing that a submission says can become markup."""
    return "\n".join([*_head(report), *_findings(report.findings), *_ratios(report)]) + "\n"


def _head(report: Report) -> Iterator[str]:
    yield f"### {_code(report.name)}: {'not valid' if report.errors else 'valid'}"
    yield ""
    if report.about:
        yield _code(report.about)
        yield ""
    yield f"{report.runs} runs in {duration(report.seconds)}; policy digest {_code(report.digest or 'none')}."


def _findings(findings: Sequence[Finding]) -> Iterator[str]:
    if not findings:
        return
    yield from ("", "| | code | where | what | do |", "|---|---|---|---|---|")
    for one in findings:
        yield f"| {one.severity.value} | {one.code.value} | {_code(one.where)} | {_code(one.what)} | {_code(one.do)} |"


def _ratios(report: Report) -> Iterator[str]:
    ratios = ratios_of(report)
    if not ratios:
        return
    yield from ("", f"Against {_code(report.reference or '')}, geometric means; above 1 is better.", "")
    yield from ("| metric | target | programs | ratio |", "|---|---|---:|---:|")
    for one in ratios:
        yield f"| {one['metric']} | {one['target']} | {one['programs']} | {one['ratio']:.4f} |"


def _code(text: str) -> str:
    """As code within a line of a table: no markup, no mention, no link; cut where it is long."""
    words = printable(text, lines=False).replace("`", "'").replace("|", "¦")
    shown = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
    return f"`{shown}`" if shown else ""


_LONGEST = 300
