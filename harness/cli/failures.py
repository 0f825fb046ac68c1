"""The failures of a run, for people."""

from collections import Counter
from collections.abc import Iterator, Sequence

from harness.record.rows import Row

__all__ = ["failure_lines"]

_SHOWN = 4


def failure_lines(failed: Sequence[Row]) -> Iterator[str]:
    """Failures that say the same are told together, the commonest first."""
    for (name, outcome, detail), rows in _grouped(failed).items():
        where = ", ".join(f"{row.benchmark} ({row.target.value})" for row in rows[:_SHOWN])
        more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
        yield f"  {name}: {outcome}: {detail}\n    on {where}{more}"


def _grouped(rows: Sequence[Row]) -> dict[tuple[str, str, str], list[Row]]:
    keys = Counter((row.policy, row.outcome.value, row.detail) for row in rows)
    return {
        key: [row for row in rows if (row.policy, row.outcome.value, row.detail) == key]
        for key, _ in keys.most_common()
    }
