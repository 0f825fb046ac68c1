"""Tables for pull requests, from words that strangers wrote: none of them can become markup, a mention or a link."""

import math
from collections.abc import Iterator, Mapping, Sequence

from harness.base.text import printable_line
from harness.checks.submission.findings import Finding
from harness.checks.submission.ratios import Ratio

__all__ = ["code", "findings_table", "ratios_table"]

_LONGEST = 300
"""Characters of a cell."""


def code(text: str) -> str:
    """A span of code that fits into a cell."""
    words = printable_line(text, _LONGEST).replace("`", "'").replace("|", "¦")
    return f"`{words}`" if words else ""


def findings_table(findings: Sequence[Finding]) -> Iterator[str]:
    """Lines; none without findings."""
    if findings:
        yield from ("", "| | code | where | what | do |", "|---|---|---|---|---|")
    for one in findings:
        cells = (one.severity.value, one.code.value, code(one.where), code(one.what), code(one.do))
        yield f"| {' | '.join(cells)} |"


def ratios_table(ratios: Sequence[Ratio], title: str, before: Mapping[tuple[str, str], float] | None) -> Iterator[str]:
    """Lines; none without ratios.

    ``before``: metric and target → the ratio of an earlier version; None: no such column.
    """
    if not ratios:
        return
    old, rule = (" before |", "---:|") if before is not None else ("", "")
    yield from ("", f"{title}, geometric means; above 1 is better.", "")
    yield from (f"| metric | target | programs |{old} ratio |", f"|---|---|---:|{rule}---:|")
    for one in ratios:
        was = (before or {}).get((one.metric, one.target), math.nan)
        earlier = "" if before is None else " – |" if math.isnan(was) else f" {was:.4f} |"
        yield f"| {code(one.metric)} | {code(one.target)} | {one.programs} |{earlier} {one.ratio:.4f} |"
