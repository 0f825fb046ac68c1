"""What stands beside the figures in words, the same in a terminal and on the page."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Protocol

from harness.base.vocabulary import Isolation
from harness.rank.campaigns import TimedCampaign

__all__ = [
    "PUBLISHED",
    "Ranked",
    "campaign_lines",
    "changed_lines",
    "counted",
    "cycle_lines",
    "decided",
    "dependence_lines",
    "left_out_lines",
    "marked_lines",
    "model_lines",
    "multiple",
    "rank_range",
    "reason_lines",
    "share",
    "timed_lines",
    "unused_lines",
    "verdict_mark",
]

PUBLISHED = "published"
"""Stands for the class of what others have published."""
_HUGE, _SMALL, _TINY = 1000, 0.001, 0.0001
_CHANGED = 0.1
"""By so much the work of a calibration may differ between a machine's campaigns without a word."""
_OPEN = "not resolved"
_MARKS = {"better": "▲", "worse": "▼", "equal": "=", "equivalent": "≈", "unresolved": "·", _OPEN: "·"}


class Ranked(Protocol):
    """A row of standings of whatever sort."""

    @property
    def policy(self) -> str:
        """Its name."""

    @property
    def policy_class(self) -> str:
        """How it decides; ``published``: these are others' figures."""

    @property
    def rank(self) -> int | None:
        """1 + how many are surely better; None: not ranked."""

    @property
    def rank_high(self) -> int | None:
        """How many are not surely worse, itself included."""

    @property
    def reasons(self) -> Sequence[str]:
        """Why it is not ranked, or what its figures lack."""


def rank_range(row: Ranked) -> str | None:
    """``3``, or ``2–4`` where policies share ranks; None without one."""
    if row.rank is None:
        return None
    return f"{row.rank}" if row.rank == row.rank_high else f"{row.rank}–{row.rank_high}"


class Decided(Protocol):
    """How many programs ended how."""

    @property
    def wins(self) -> int | None:
        """Better than the reference."""

    @property
    def ties(self) -> int | None:
        """Equal, or shown to be equivalent."""

    @property
    def unresolved(self) -> int | None:
        """Not told apart."""

    @property
    def losses(self) -> int | None:
        """Worse, failed, or not run."""


def decided(row: Decided) -> str | None:
    """``12/3/1/5``: wins, ties, not told apart, losses; None where nothing was completed."""
    if row.wins is None:
        return None
    return f"{row.wins}/{row.ties}/{row.unresolved}/{row.losses}"


class Dependent(Protocol):
    """A row whose figure one program may make."""

    @property
    def policy(self) -> str:
        """Its name."""

    @property
    def strict(self) -> float | None:
        """The figure."""

    @property
    def depends_on(self) -> str | None:
        """The program, or those that share its code."""

    @property
    def without(self) -> float | None:
        """The figure without it."""


class Counted(Protocol):
    """A row of standings on programs, or what compares two policies on them."""

    @property
    def benchmarks(self) -> int:
        """That count."""

    @property
    def clusters(self) -> int:
        """Of them, those that share code taken for one."""


def counted(row: Counted, what: str = "programs") -> str:
    """``21 programs in 17 clusters``. ``what`` they are, as one says it of several."""
    some = f"{row.benchmarks} {what if row.benchmarks != 1 else what.removesuffix('s')}"
    return some if row.clusters == row.benchmarks else f"{some} in {row.clusters} clusters"


def dependence_lines(table: Sequence[Dependent]) -> list[str]:
    """One line a policy whose figure depends on one program."""
    return [
        f"* {row.policy}: depends on {row.depends_on}: {multiple(row.strict)} with it, {multiple(row.without)} without"
        for row in table
        if row.depends_on is not None and row.strict is not None and row.without is not None
    ]


class Compared(Protocol):
    """A row of standings against a reference."""

    @property
    def reference(self) -> str:
        """Its name."""

    @property
    def benchmarks(self) -> int:
        """That count."""

    @property
    def left_out(self) -> Sequence[tuple[str, str]]:
        """Programs that count for nobody, and why."""


def left_out_lines(table: Sequence[Compared]) -> list[str]:
    """One line, where programs count for nobody: which, of how many, and what the reference did on them."""
    if not table or not table[0].left_out:
        return []
    row = table[0]
    reasons = dict.fromkeys(why for _, why in row.left_out)
    by_reason = {why: [program for program, own in row.left_out if own == why] for why in reasons}
    some = ", ".join(f"{', '.join(programs)} ({why})" for why, programs in by_reason.items())
    every = row.benchmarks + len(row.left_out)
    return [f"left out {len(row.left_out)} of {every} programs, without a value under {row.reference}: {some}"]


class Modelled(Protocol):
    """A row of standings by time."""

    @property
    def policy(self) -> str:
        """Its name."""

    @property
    def modelled(self) -> Mapping[str, float] | None:
        """CPU → strict of modelled cycles."""


def model_lines(table: Sequence[Modelled]) -> list[str]:
    """One line a CPU that cycles were modelled of: what strict is by them."""
    said: dict[str, list[str]] = {}
    for row in table:
        for cpu, strict in (row.modelled or {}).items():
            said.setdefault(cpu, []).append(f"{row.policy} {multiple(strict)}")
    return [f"modelled cycles of {cpu}: {', '.join(each)}" for cpu, each in said.items()]


def cycle_lines(found: Mapping[str, float], a: str, b: str) -> list[str]:
    """The same of two policies: how much better A is, by CPU."""
    return [f"modelled cycles of {cpu}: {a} against {b} {multiple(ratio)}" for cpu, ratio in found.items()]


def multiple(value: float) -> str:
    """``1.0254``; what is a thousand times too much or more, ``1.3e+08``, or less than a thousandth, ``3.4e-14``."""
    return f"{value:.4f}" if _SMALL <= value < _HUGE or value == 0 else f"{value:.1e}"


def share(value: float) -> str:
    """``2.54 %``, or ``1.3e+08 %``; ``0`` only for nothing at all."""
    if 0 < value < _TINY:
        return f"< {100 * _TINY:.2f} %"
    return f"{100 * value:.2f} %" if value < _HUGE else f"{100 * value:.1e} %"


def verdict_mark(verdict: str | None, depends_on: str | None = None) -> str | None:
    """``▲ better``: the verdict with a sign that can be told apart without colours.

    With a star if it ``depends_on`` one program.
    """
    if verdict is None:
        return None
    return f"{_MARKS[verdict]} {_OPEN if verdict == 'unresolved' else verdict}{' *' if depends_on else ''}"


def reason_lines(table: Sequence[Ranked]) -> list[str]:
    """One line a reason: whom it concerns, and whether it keeps them from a rank."""
    concerned: dict[tuple[str, bool], list[str]] = {}
    for row in table:
        refused = row.rank is None and row.policy_class != PUBLISHED
        for reason in row.reasons:
            concerned.setdefault((reason, refused), []).append(row.policy)
    return [
        f"{_names(policies, len(table), refused or reason[0].isdigit())}{'not ranked: ' if refused else ''}{reason}"
        for (reason, refused), policies in concerned.items()
    ]


def _names(policies: Sequence[str], everyone: int, plain: bool) -> str:
    """Whom the reason concerns; ``plain``: where it concerns all, it says so by itself."""
    if len(policies) < everyone:
        return f"{', '.join(policies)}: "
    return "" if plain or everyone == 1 else "each: "


def campaign_lines(found: Sequence[TimedCampaign], pairs: Iterable[int | None]) -> list[str]:
    """Where times come from, then what is wrong with campaigns, then what is left out: see below."""
    return [*timed_lines(found, pairs), *changed_lines(found), *marked_lines(found), *unused_lines(found)]


def timed_lines(found: Sequence[TimedCampaign], pairs: Iterable[int | None]) -> list[str]:
    """Where times come from, how the control did, and what layouts do. ``pairs``: how many each row rests on."""
    used = [campaign for campaign in found if campaign.used and not campaign.marks]
    if not used:
        return []
    newest = used[0]
    counts = [count for count in pairs if count is not None]
    typical = f"{round(median(counts))} pairs a program (median)" if counts else "without pairs that count"
    several = f"{len(used)} campaigns" if len(used) > 1 else "one campaign"
    control = "" if len(used) == 1 else " of the newest"
    interval = "" if newest.low is None else f" (99 % interval {newest.low:.4f} – {newest.high:.4f})"
    lines = [f"timed in {several} on {newest.host}, {typical}; control{control} {newest.ratio:.4f}{interval}"]
    if newest.moved is not None and newest.still is not None:
        lines.append(
            f"layout alone{control}: a pair of equal programs whose functions stand elsewhere differs by "
            f"{100 * newest.moved:.2f} % (one standard deviation), by {100 * newest.still:.2f} % where nothing moved"
        )
    return lines


def changed_lines(found: Sequence[TimedCampaign]) -> list[str]:
    """One line a campaign whose machine was not as fast as in its other campaigns."""
    lines = []
    for campaign in found:
        if campaign.used and campaign.calibration and campaign.usual:
            change = campaign.calibration / campaign.usual - 1
            if abs(change) > _CHANGED:
                lines.append(
                    f"{_named(campaign)}: a fixed piece of work took {1000 * campaign.calibration:.0f} ms there, "
                    f"{abs(change):.0%} {'more' if change > 0 else 'less'} than in the machine's other campaigns"
                )
    return lines


def marked_lines(found: Sequence[TimedCampaign]) -> list[str]:
    """One line a campaign that ranks nobody: why."""
    return [
        f"{_named(campaign)} is marked, nothing is ranked by it: {'; '.join(campaign.marks)}"
        for campaign in found
        if campaign.marks
    ]


def unused_lines(found: Sequence[TimedCampaign]) -> list[str]:
    """One line a sound campaign that gave no pairs."""
    return [
        f"{_named(campaign)} on {campaign.host} is not used: {_other(campaign)}"
        for campaign in found
        if not campaign.used and not campaign.marks
    ]


def _other(campaign: TimedCampaign) -> str:
    trusted = "taken without the sandbox, or of " if campaign.isolation == Isolation.TRUSTED else ""
    return f"{trusted}another machine, workload or objects"


def _named(campaign: TimedCampaign) -> str:
    return f"campaign {campaign.campaign} of {campaign.started[:10]}"
