"""``harness gate`` and ``harness comment``."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from harness.base.answers import Answer, Table
from harness.base.errors import UsageError
from harness.checks.gate.gate import Passed, Wanted
from harness.checks.gate.gate import gate as passed_by
from harness.checks.gate.report import as_json, markdown_of, read_report, report_of
from harness.checks.gate.repository import Repository
from harness.checks.submission.shown import FINDINGS, MEASURED
from harness.cli.output import note
from harness.problems.verbs import Context

__all__ = ["comment", "gate"]


def gate(context: Context, repository: Path, wanted: Wanted, written: Path | None, markdown: Path | None) -> Answer:
    """Look at the request, and write what was found into the files."""
    found = passed_by(Repository(repository), wanted, context.bench(), context.engine, context.observer, _plan)
    report = report_of(found)
    for path, text in ((written, as_json(report)), (markdown, markdown_of(report))):
        if path is not None:
            try:
                path.write_text(text)
            except OSError as error:
                raise UsageError(f"cannot be written: {error.strerror}", where=str(path)) from None
    return _answer(found, report.model_dump(mode="json"))


def _plan(lines: Sequence[str]) -> None:
    note("plan:")
    for line in lines:
        note(f"  {line}")


def _answer(found: Passed, document: object) -> Answer:
    records = [one.record() for one in found.findings]
    ratios = found.ratios or (found.validation.ratios if found.validation else ())
    tables = [Table(records, FINDINGS)] if records else []
    if ratios:
        place = found.suite if found.ratios else "the small suite"
        title = f"{place}, against {found.reference}, geometric means; above 1 is better"
        tables.append(Table([asdict(one) for one in ratios], MEASURED, title=title))
    name = found.request.name or "this request"
    verdict = f"{name}: {found.errors} in the way" if found.errors else f"{name}: nothing stands in the way"
    return Answer(
        tuple(tables),
        notes=(*(f"failed: {line}" for line in found.failed), "docs/submission-rules.md explains the codes"),
        document=document,
        summary=(verdict,),
        failed=found.errors > 0,
    )


def comment(file: Path) -> Answer:
    """The Markdown of a report that came from elsewhere."""
    return Answer(text=markdown_of(read_report(file)).rstrip("\n"))
