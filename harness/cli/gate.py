"""``harness gate`` and ``harness comment``."""

from dataclasses import asdict, replace
from pathlib import Path

from harness.base.answers import Answer, Table
from harness.base.errors import UsageError
from harness.checks.gate.gate import Passed, Wanted
from harness.checks.gate.gate import gate as passed_by
from harness.checks.gate.report import GateReport, as_json, markdown_of, read_report, report_of
from harness.checks.gate.repository import Repository
from harness.checks.gate.request import read_request
from harness.checks.submission.findings import errors_of
from harness.checks.submission.shown import FINDINGS, MEASURED
from harness.cli.output import note
from harness.problems.verbs import Context

__all__ = ["comment", "gate"]

_CUT_OFF = "the gate was cut off before it had measured this"


def gate(context: Context, repository: Path, wanted: Wanted, written: Path | None, markdown: Path | None) -> Answer:
    """Look at the request, and write what was found into the files: before it is measured, and again behind that.

    So whoever waits for a request whose suite takes longer than they wait knows what was found until then.
    """

    def before(found: Passed) -> None:
        note("plan:")
        for line in found.plan:
            note(f"  {line}")
        _write(replace(found, plan=(*found.plan, _CUT_OFF)), written, markdown)

    found = passed_by(Repository(repository), wanted, context.bench(), context.engine, context.observer, before)
    return _answer(found, _write(found, written, markdown).model_dump(mode="json"))


def _write(found: Passed, written: Path | None, markdown: Path | None) -> GateReport:
    report = report_of(found)
    for path, text in ((written, as_json(report)), (markdown, markdown_of(report))):
        if path is not None:
            try:
                path.write_text(text, encoding="utf-8")
            except OSError as error:
                raise UsageError(f"cannot be written: {error.strerror}", where=str(path)) from None
    return report


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


def comment(file: Path, repository: Path | None, base: str | None, head: str | None) -> Answer:
    """The Markdown of a report that came from elsewhere.

    With a repository, the request is read again: where it is out of order, that is what is said, whatever the report
    claims, since the gate that wrote it may have been the request's own. Raises UsageError for a report of another
    commit.
    """
    report = read_report(file)
    if (repository is None) != (base is None) or (base is None) != (head is None):
        raise UsageError("--repo, --base and --head go together", hint="give all three, or none")
    if repository is not None and base is not None and head is not None:
        request = read_request(Repository(repository), base, head)
        if report.head != request.head:
            raise UsageError(f"a report of another commit, {report.head[:12]}, than {head}", where=str(file))
        if errors_of(request.findings):
            report = report_of(Passed(request, None, (), "", None))
        elif report.name not in (request.name, None):
            raise UsageError(f"a report of something else than {request.name}, which is asked for", where=str(file))
    return Answer(text=markdown_of(report).rstrip("\n"))
