"""``harness policies``."""

import sys
from typing import Any

from harness.cli.output import Column, Format, emit, note
from harness.policy import Policy, all_policies, problem_of

__all__ = ["policies"]

COLUMNS = (
    Column("policy", "name"),
    Column("problem", "problem"),
    Column("form", "form"),
    Column("question", "question", lambda name: name or "–"),
    Column("class", "class"),
    Column("track", "track"),
    Column("targets", "targets", ", ".join),
    Column("trained on", "trained_on", lambda names: ", ".join(names) or "–"),
    Column("bytes", "bytes", "{:,}".format, right=True),
    Column("digest", "digest", lambda digest: str(digest)[:12]),
    Column("description", "description", lambda text: _fitting(text)),
)
_LONGEST = 60
"""Of a description in a terminal."""


def policies(format_: Format) -> int:
    """Print every baseline and submission."""
    found = all_policies()
    emit([_record(policy) for policy in found], COLUMNS, format_)
    if format_ is Format.TABLE:
        if sys.stdout.isatty():
            note("descriptions are cut here; --json has the whole of them")
        for policy in found:
            for remark in problem_of(policy.manifest.problem).notes(policy):
                note(f"{policy.name}: {remark}")
    return 0


def _fitting(text: str) -> str:
    """A description in one line; as long as it is where nobody looks at a terminal."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST or not sys.stdout.isatty() else f"{line[: _LONGEST - 1]}…"


def _record(policy: Policy) -> dict[str, Any]:
    fields = policy.manifest.model_dump(mode="json", by_alias=True)
    return fields | {"baseline": policy.baseline, "bytes": policy.size, "digest": policy.digest}
