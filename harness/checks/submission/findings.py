"""What is wrong with a submission, in codes that stay what they are. docs/submission-rules.md explains each."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Code", "Finding", "Severity", "bounded", "errors_of"]

_MOST = 10
"""Findings of one code; the rest is counted."""


class Severity(StrEnum):
    """Whether it stands in the way."""

    ERROR = "error"
    WARNING = "warning"


class Code(StrEnum):
    """A rule. A code is never given to another rule."""

    NO_SUBMISSION = "V101"
    UNREADABLE = "V102"
    LINK = "V103"
    SPECIAL_FILE = "V104"
    FILE_NAME = "V105"
    TOO_MUCH = "V106"
    UNNAMED_FILE = "V107"
    LICENCE = "V108"
    TEMPLATE_WORDS = "V109"
    HIDDEN_TEXT = "V110"
    FAILED_CELL = "V201"
    UNKNOWN_PROGRAM = "V202"
    NOTHING_MEASURED = "V203"
    TOO_SLOW = "V204"
    OTHER_DECISIONS = "V301"
    OTHER_VALUES = "V302"
    NOT_REPLAYED = "V303"
    CLOCK_NOT_MOVED = "V304"
    CLAIM_UNREADABLE = "V401"
    CLAIM_DIFFERS = "V402"
    CLAIM_NOT_COMPARED = "V403"
    CLAIM_OF_ANOTHER = "V404"
    MEMORISED = "V501"
    OUTSIDE = "V601"
    SEVERAL = "V602"
    NOTHING_CHANGED = "V603"
    UNRELATED = "V604"
    CONFLICT = "V605"
    REMOVED = "V606"
    SAME_VERSION = "V607"


_WARNINGS = frozenset(
    {
        Code.UNNAMED_FILE,
        Code.TEMPLATE_WORDS,
        Code.UNKNOWN_PROGRAM,
        Code.CLOCK_NOT_MOVED,
        Code.CLAIM_NOT_COMPARED,
        Code.MEMORISED,
    }
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as a rule says."""

    code: Code
    where: str
    """A file of the submission, a field, a cell."""
    what: str
    do: str = ""
    """What mends it."""

    @property
    def severity(self) -> Severity:
        """That of its rule."""
        return Severity.WARNING if self.code in _WARNINGS else Severity.ERROR

    def record(self) -> dict[str, str]:
        """As JSON."""
        return {
            "code": self.code.value,
            "severity": self.severity.value,
            "where": self.where,
            "what": self.what,
            "do": self.do,
        }


def bounded(findings: Iterable[Finding]) -> Iterator[Finding]:
    """So many of each code, and how many more there are."""
    counts: dict[Code, int] = {}
    for finding in findings:
        counts[finding.code] = counts.get(finding.code, 0) + 1
        if counts[finding.code] <= _MOST:
            yield finding
    for code, count in counts.items():
        if count > _MOST:
            yield Finding(code, "", f"and {count - _MOST} more of these")


def errors_of(findings: Sequence[Finding]) -> int:
    """How many stand in the way."""
    return sum(finding.severity is Severity.ERROR for finding in findings)
