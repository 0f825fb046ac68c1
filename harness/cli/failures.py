"""The failures of a run, for people."""

from collections import Counter
from collections.abc import Iterator, Sequence

from harness.record.rows import Row

__all__ = ["failure_lines"]

_SHOWN = 4


def failure_lines(failed: Sequence[Row], left_out: Sequence[Row]) -> Iterator[str]:
    """Failures that say the same are told together, the commonest first.

    A benchmark that is ``left_out`` is one line, and what else fails on it none.
    """
    nowhere = {(row.benchmark, row.target) for row in left_out}
    failed = [row for row in failed if (row.benchmark, row.target) not in nowhere]
    for row in left_out:
        where, why = f"{row.benchmark} ({row.target.value})", f"{row.outcome.value}: {row.detail}"
        yield f"  left out: {where} fails under {row.policy}: {why}"
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
