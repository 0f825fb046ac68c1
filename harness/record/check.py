"""What the lines of a run file must be together, and with its header: see docs/schema.md, "What is checked"."""

import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from harness.base.errors import UsageError
from harness.base.vocabulary import Outcome
from harness.policy.tracks import all_tracks, facts_of, fits
from harness.record.rows import Block, Campaign, Header, History, Row

if TYPE_CHECKING:
    from harness.measure import Metric

__all__ = ["check_campaigns", "check_header", "check_histories", "check_rows", "is_shown", "require_past"]

Where = Callable[[int], str]
"""What an error says of the n-th line of a kind, from 0."""

_AHEAD = timedelta(days=1)
"""That the clock of whoever recorded may be before ours."""
_WRITTEN = datetime(2026, 11, 23, tzinfo=UTC)
"""When this was written: a clock that is before it is wrong, and says nothing against runs that were there then."""
_SHORTEST = 1e-6
"""What is no whole number is recorded to six decimal places."""
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_LONGEST = 10_000
_NOTHING = (None, None, None, None, None, None, 1)
"""What a row about a cell without numbers says of a measurement."""


def require_past(header: Header, where: str) -> None:
    """Raises UsageError for a run that ended tomorrow: its rows would count as the newest for as long."""
    now = datetime.now(UTC)
    if datetime.fromisoformat(header.finished) > max(now, _WRITTEN) + _AHEAD:
        raise UsageError(
            f"the run ended at {header.finished}, and it is {now:%Y-%m-%dT%H:%M:%S+00:00} by this machine's clock",
            where=where,
            hint="set the clock if it is wrong; else the file was made up: move it out of the results folder",
        )


def check_header(header: Header, where: str) -> None:
    """Raises UsageError for fields that contradict each other."""
    known = header.benchmarks.keys()
    solving = header.solving
    named = {name for names in header.trained_on.values() for name in names} | (
        solving.instances if solving else {}
    ).keys()
    if _ends_before_it_starts(header):
        fault = f"header.finished: {header.finished} is before its start, {header.started}"
    elif unknown := sorted(named - known):
        fault = f"header.benchmarks: {unknown[0]!r} is not among them, and the header speaks of it"
    elif header.track not in all_tracks():
        with_ = f"; the run was made with {', '.join(header.packages)}" if header.packages else ""
        fault = f"header.track: no problem that is installed here declares {header.track!r}{with_}"
    elif facts_of(header.track).compiled != (solving is None):
        fault = "header.solving: runs in which nothing is compiled have it, and no others"
    else:
        return
    raise UsageError(fault, where=where)


def _ends_before_it_starts(what: Header | Campaign) -> bool:
    return datetime.fromisoformat(what.finished) < datetime.fromisoformat(what.started)


def check_rows(header: Header, rows: Sequence[Row], where: Where) -> None:
    """Raises UsageError for a row that cannot be, is there twice, or says otherwise of its cell than another."""
    seen: set[tuple[object, ...]] = set()
    cells: dict[tuple[object, ...], tuple[object, ...]] = {}
    for number, row in enumerate(rows):
        fault = _fault(header, row)
        identity = (row.cell, row.policy, row.seed, row.copy_)
        quantity = (*identity, row.metric, row.workload, row.function)
        said = (
            *(
                row.benchmark,
                row.target,
                row.problem,
                row.form,
                row.policy_class,
                row.policy_digest,
                row.level,
                row.isolation,
            ),
            *(row.frozen_digest, row.decisions_digest, row.object_digest, row.outcome, row.fresh),
        )
        if not fault and cells.setdefault(identity, said) != said:
            fault = "cell: another row of this cell, policy and seed says otherwise what it is or how it ended"
        if not fault and quantity in seen:
            fault = f"metric: {row.metric or 'the outcome'} of this cell, policy and seed stands there twice"
        if fault:
            raise UsageError(fault, where=where(number))
        seen.add(quantity)


def _fault(header: Header, row: Row) -> str:
    """What is wrong with the row alone; empty for nothing."""
    compiled = facts_of(row.track).compiled
    if row.benchmark not in header.benchmarks:
        return f"benchmark: {row.benchmark!r} is not among the header's"
    if row.track != header.track:
        return f"track: {row.track}, in a run of track {header.track}"
    if not fits(row.problem, row.track):
        return f"problem: {row.problem}, in track {row.track}"
    if compiled != (row.level is not None):
        return "level: rows about a compiled program have it, and no others"
    if not is_shown(row.detail):
        return f"detail: longer than {_LONGEST:,} characters, or with some that cannot be seen"
    if row.fresh is not None and (row.outcome is Outcome.OK or row.object_digest is None):
        return "fresh: only an object that failed has a fresh input that it fails on"
    if row.outcome is Outcome.OK:
        return _ok_fault(row, compiled=compiled)
    if (row.metric, row.unit, row.value, row.workload, row.function, row.campaign, row.metric_version) != _NOTHING:
        return f"value: the cell ended as {row.outcome.value}, and has no measurements"
    return ""


def _ok_fault(row: Row, *, compiled: bool) -> str:
    if row.metric is None or row.unit is None:
        return "metric: a cell that is ok has a metric and its unit in each row"
    missing = [name for name in ("decisions_digest", "frozen_digest", "object_digest") if getattr(row, name) is None]
    if missing != ([] if compiled else ["frozen_digest", "object_digest"]):
        return "decisions_digest, frozen_digest, object_digest: not those of a cell that is ok"
    metric = _metric(row.metric)
    if metric is None:
        return ""
    if metric.benchmarks != facts_of(row.track).benchmarks or row.target not in metric.targets:
        return f"metric: {row.metric} is none of this track"
    if row.unit != (unit := metric.unit_on(row.target)):
        return f"unit: {row.unit!r}; {row.metric} is in {unit!r}"
    if row.value is None:
        return ""
    if metric.whole and not isinstance(row.value, int):
        return f"value: {row.metric} is a whole number"
    if row.value < metric.least:
        return f"value: {row.metric} cannot be less than {metric.least:g}"
    if 0 < row.value < _SHORTEST:
        return f"value: {row.metric} is recorded to {_SHORTEST:g}"
    return ""


@lru_cache(maxsize=1024)
def _metric(name: str) -> "Metric | None":
    """The metric, if this harness has it: a later one may have recorded others."""
    from harness.measure import all_metrics, find_metric

    base, at, _ = name.partition("@")
    known = all_metrics().get(base)
    return find_metric(name) if known is not None and (known.modelled or not at) else None


def is_shown(detail: str) -> bool:
    """Whether the text can be recorded as it is: not too long, and no control characters but line feeds."""
    if detail.isascii() and detail.isprintable():
        return len(detail) <= _LONGEST
    return len(detail) <= _LONGEST and not any(c != "\n" and unicodedata.category(c) in _INVISIBLE for c in detail)


def check_campaigns(
    header: Header, campaigns: Sequence[Campaign], blocks: Sequence[Block], campaign_at: Where, block_at: Where
) -> None:
    """Raises UsageError for a campaign or block that cannot be, or is there twice."""
    names: set[str] = set()
    for number, campaign in enumerate(campaigns):
        if campaign.campaign in names:
            raise UsageError(f"campaign: {campaign.campaign} stands there twice", where=campaign_at(number))
        if _ends_before_it_starts(campaign):
            raise UsageError("campaign.finished: before its start", where=campaign_at(number))
        names.add(campaign.campaign)
    seen: set[tuple[object, ...]] = set()
    for number, block in enumerate(blocks):
        identity = (block.campaign, block.benchmark, block.target, block.number)
        fault = ""
        if block.campaign not in names:
            fault = f"block.campaign: {block.campaign!r} is none of this file"
        elif block.benchmark not in header.benchmarks:
            fault = f"block.benchmark: {block.benchmark!r} is not among the header's"
        elif identity in seen:
            fault = f"block.number: block {block.number} of this campaign and program stands there twice"
        elif len({sample.object for sample in block.samples}) < len(block.samples):
            fault = "block.samples: an object stands there twice"
        if fault:
            raise UsageError(fault, where=block_at(number))
        seen.add(identity)


def check_histories(histories: Sequence[History], rows: Sequence[Row], where: Where) -> None:
    """Raises UsageError for a history that contradicts itself, its cell's cost, or another."""
    costs = {(row.cell, row.policy, row.benchmark): row.value for row in rows if row.metric == "cost"}
    seen: set[tuple[str, str, str]] = set()
    for number, history in enumerate(histories):
        identity = (history.cell, history.policy, history.benchmark)
        steps = list(zip(history.seconds, history.costs, strict=False))
        fault = ""
        if identity in seen:
            fault = "history: of this cell and policy there are two"
        elif not steps or len(history.seconds) != len(history.costs):
            fault = "history: as many seconds as costs, and at least one"
        elif any(a[0] > b[0] or a[1] <= b[1] for a, b in pairwise(steps)):
            fault = "history: seconds ascend, costs descend"
        elif identity in costs and costs[identity] != history.costs[-1]:
            fault = "history.costs: the last is not the cost of the cell"
        if fault:
            raise UsageError(fault, where=where(number))
        seen.add(identity)
