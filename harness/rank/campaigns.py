"""The timing campaigns behind a table: where, how sound, and which were left out."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.base.vocabulary import Isolation
from harness.rank.compare import compare_with
from harness.rank.entries import entries_with
from harness.rank.question import Question, quote

if TYPE_CHECKING:
    import duckdb

__all__ = ["TimedCampaign", "campaigns", "campaigns_sql"]


@dataclass(frozen=True)
class TimedCampaign:
    """One campaign that timed programs of the suite."""

    campaign: str
    run: str
    started: str
    """UTC, ISO 8601."""
    host: str
    """The CPU's name."""
    machine: str
    """Its identity (``harness.base.machine``)."""
    calibration: float | None
    """CPU seconds of a fixed piece of work when it began."""
    usual: float | None
    """The median of the same in the machine's other campaigns."""
    blocks: int
    ratio: float
    """Of the control: above 1, the copy of the reference's object was faster."""
    low: float | None
    high: float | None
    """Its 99 % interval."""
    pairs: int
    """Of the control."""
    moved: float | None
    """Standard deviation of log-ratios of the reference in two layouts; None where that was not timed."""
    still: float | None
    """The same in one layout."""
    marks: tuple[str, ...]
    """Why nothing is ranked by it."""
    used: bool
    """Pairs of it are in the answer."""
    isolation: str = Isolation.SANDBOX
    """What stood between the machine and foreign code."""


def campaigns_sql(question: Question, sides: tuple[str, str] | None = None) -> str:
    """The query behind ``campaigns``."""
    return f"""{compare_with(question, *sides) if sides else entries_with(question)}
SELECT campaign, run, c.started AS started, u.cpu AS host, u.machine AS machine, c.calibration AS calibration,
       (SELECT median(o.calibration) FROM campaigns o JOIN runs v USING (run)
        WHERE v.machine = u.machine AND v.llvm = u.llvm AND o.campaign <> c.campaign) AS usual,
       blocks, control.ratio AS ratio, control.low AS low, control.high AS high, control.pairs AS pairs,
       moved.moved AS moved, moved.still AS still, marks,
       (run, campaign) IN (SELECT (run, campaign) FROM used) AS used, c.isolation AS isolation
FROM campaigns c JOIN runs u USING (run)
WHERE (run, campaign) IN (
  SELECT (run, campaign) FROM timings WHERE {question.in_suites} AND target = {quote(question.target)}
)
ORDER BY c.started DESC, campaign"""


def campaigns(
    index: "duckdb.DuckDBPyConnection", question: Question, sides: tuple[str, str] | None = None
) -> list[TimedCampaign]:
    """Every campaign that timed the suite's programs on the target, the newest first; none for metrics without pairs.

    With ``sides``, two policies, ``used`` means: for their comparison.
    """
    if not question.quantity.paired:
        return []
    found = index.execute(campaigns_sql(question, sides))
    names = [column[0] for column in found.description or ()]
    every = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    return [TimedCampaign(**fields | {"marks": tuple(fields["marks"])}) for fields in every]
