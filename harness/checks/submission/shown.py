"""A report for people, and as Markdown for a pull request."""

from dataclasses import asdict

from harness.base.answers import Answer, Column, Table
from harness.base.text import duration
from harness.checks.submission.markdown import code, findings_table, ratios_table
from harness.checks.submission.validate import Report

__all__ = ["FINDINGS", "MEASURED", "as_answer", "as_markdown"]

FINDINGS = (
    Column("", "severity"),
    Column("code", "code"),
    Column("where", "where"),
    Column("what", "what"),
)
MEASURED = (
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
        tables.append(Table(found, FINDINGS, below=mended))
    if ratios := [asdict(one) for one in report.ratios]:
        tables.append(Table(ratios, MEASURED, title=f"against {report.reference}, geometric means; above 1 is better"))
    took = (
        f"{report.runs} run{'s' * (report.runs != 1)} in {duration(report.seconds)}"
        if report.runs
        else "nothing was run"
    )
    return Answer(
        tuple(tables),
        notes=(*(one.line() for one in report.claims), f"{took}; {_RULES} explains the codes"),
        document=report.document(),
        summary=(report.verdict,),
        failed=report.errors > 0,
    )


def as_markdown(report: Report) -> str:
    """For a pull request. Nothing that a submission says can become markup."""
    lines = (
        f"### {code(report.name)}: {'not valid' if report.errors else 'valid'}",
        "",
        *([code(report.about), ""] if report.about else []),
        f"{report.runs} runs in {duration(report.seconds)}; policy digest {code(report.digest or 'none')}.",
        *(line for one in report.claims for line in ("", code(one.line()))),
        *findings_table(report.findings),
        *ratios_table(report.ratios, f"Against {code(report.reference or '')}", None),
    )
    return "\n".join(lines) + "\n"
