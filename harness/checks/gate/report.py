"""What the gate says, as JSON and as Markdown for a pull request.

The JSON may come from a machine on which a stranger's code ran: it is read as hostile, and nothing in it can become
markup, a mention or a link.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from harness.base.documents import parse_json
from harness.base.errors import UsageError
from harness.base.reading import MIB, read_bytes
from harness.base.text import duration, printable_line
from harness.checks.gate.gate import Passed
from harness.checks.submission.findings import Code, Finding, errors_of
from harness.checks.submission.markdown import code, findings_table, ratios_table
from harness.checks.submission.ratios import Ratio
from harness.record.rows import Amount, Label, MetricName, Model

__all__ = ["GateReport", "as_json", "markdown_of", "read_report", "report_of"]

_LARGEST = MIB
_LONGEST = 60_000
"""Bytes of Markdown: GitHub takes no comment of more than 65,536 characters, and whoever wrote a report that makes one
would have none of it read."""

Commit = Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]


class _Found(Model):
    code: Code
    where: Label
    what: Label
    do: Label

    @property
    def finding(self) -> Finding:
        return Finding(self.code, self.where, self.what, self.do)


class _Ratio(Model):
    metric: MetricName
    target: Label
    programs: Annotated[int, Field(ge=1, le=100_000)]
    ratio: Annotated[float, Field(gt=0, allow_inf_nan=False)]

    @property
    def value(self) -> Ratio:
        return Ratio(self.metric, self.target, self.programs, self.ratio)


class GateReport(Model):
    """One request."""

    base: Commit
    head: Commit
    name: Label | None
    new: bool
    about: Label
    findings: Annotated[tuple[_Found, ...], Field(max_length=1000)]
    plan: Annotated[tuple[Label, ...], Field(max_length=100)]
    suite: Label
    reference: Label | None
    ratios: Annotated[tuple[_Ratio, ...], Field(max_length=1000)]
    before: Annotated[tuple[_Ratio, ...], Field(max_length=1000)]
    failed: Annotated[tuple[Label, ...], Field(max_length=1000)]
    runs: Annotated[int, Field(ge=0, le=1000)]
    seconds: Amount

    @property
    def errors(self) -> int:
        """Findings that stand in the way."""
        return errors_of([one.finding for one in self.findings])


def report_of(passed: Passed) -> GateReport:
    """As it is written."""
    validation = passed.validation
    return GateReport(
        base=passed.request.base,
        head=passed.request.head,
        name=printable_line(passed.request.name) if passed.request.name is not None else None,
        new=passed.request.new,
        about=printable_line(validation.about) if validation else "",
        findings=tuple(
            _Found(
                code=one.code, where=printable_line(one.where), what=printable_line(one.what), do=printable_line(one.do)
            )
            for one in passed.findings
        ),
        plan=tuple(map(printable_line, passed.plan)),
        suite=printable_line(passed.suite),
        reference=passed.reference,
        ratios=tuple(map(_ratio, passed.ratios)),
        before=tuple(map(_ratio, passed.before)),
        failed=tuple(map(printable_line, passed.failed[:100])),
        runs=validation.runs if validation else 0,
        seconds=round(validation.seconds, 1) if validation else 0.0,
    )


def _ratio(one: Ratio) -> _Ratio:
    return _Ratio(metric=one.metric, target=one.target, programs=one.programs, ratio=one.ratio)


def as_json(report: GateReport) -> str:
    """What ``read_report`` reads."""
    return json.dumps(report.model_dump(mode="json"), indent=1) + "\n"


def read_report(path: Path) -> GateReport:
    """A report from elsewhere. Raises UsageError for what is none."""
    document: Any = parse_json(read_bytes(path, _LARGEST), str(path), containers=10_000)
    try:
        return GateReport.model_validate(document)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise UsageError(f"no report of the gate: {place}: {fault['msg']}", where=str(path)) from None


def markdown_of(report: GateReport) -> str:
    """For a pull request; of what makes it longer than a comment may be, how many lines there are."""
    errors = report.errors
    found = f"{errors} finding{'s stand' if errors != 1 else ' stands'} in the way"
    before = {(one.metric, one.target): one.ratio for one in report.before}
    title = f"On {code(report.suite)} against {code(report.reference or '')}"
    commits = f"Base {code(report.base[:12])}, head {code(report.head[:12])}"
    lines = (
        f"### {code(report.name or 'this request')}: {found if errors else 'nothing stands in the way'}",
        "",
        *([f"{'New' if report.new else 'Changed'}: {code(report.about)}.", ""] if report.about else []),
        f"{commits}; {report.runs} runs in {duration(report.seconds)}.",
        *([""] if report.plan else []),
        *(f"- {code(line)}" for line in report.plan),
        *findings_table([one.finding for one in report.findings]),
        *ratios_table([one.value for one in report.ratios], title, before if report.before else None),
        *(["", "Cells without a value, which count in *strict*:", ""] if report.failed else []),
        *(f"- {code(line)}" for line in report.failed),
    )
    return "\n".join(_fitting(lines)) + "\n"


def _fitting(lines: Sequence[str]) -> Iterator[str]:
    """Those that are not too long together, and how many more there are."""
    left = _LONGEST
    for number, line in enumerate(lines):
        left -= len(line.encode()) + 1
        if left < 0:
            yield from ("", f"And {len(lines) - number} more lines: the report has them.")
            return
        yield line
