"""``harness validate``."""

from pathlib import Path

from harness.base.answers import Answer
from harness.base.errors import UsageError
from harness.checks.submission.shown import as_answer, as_markdown
from harness.checks.submission.validate import validate
from harness.problems.verbs import Context

__all__ = ["validated"]


def validated(context: Context, folder: Path, markdown: Path | None) -> Answer:
    """Validate, and write the report for a pull request too. Raises UsageError where that cannot be written."""
    report = validate(folder, context.bench(), context.engine, context.observer)
    if markdown is not None:
        try:
            markdown.write_text(as_markdown(report), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot be written: {error.strerror}", where=str(markdown)) from None
    return as_answer(report)
