"""What a track fixes for everyone who optimises for the same thing; each is declared by ``tracks.py`` of a problem."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from harness.base.discovery import PROBLEMS, in_every_folder

__all__ = ["Condition", "TrackFacts", "all_conditions", "all_tracks", "facts_of", "fits"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One, as recorded cells have it."""

    name: str
    """Of the column."""
    words: str
    """Format of a value, for people: ``{} cores``."""
    descending: bool = False
    """Whether standings of the largest value come first."""


@dataclass(frozen=True, slots=True)
class TrackFacts:
    """One track."""

    benchmarks: str
    """What its benchmarks are called: ``programs``."""
    metric: str
    """The metric that ranks."""
    references: tuple[str, ...]
    """What ratios are against, the usual one first. Whatever is timed is timed beside them."""
    compiled: bool = True
    """Whether its benchmarks are compiled: rows name a level, a frozen module and an object."""
    timed: str = ""
    """The metric that ranks in the place of ``metric`` where programs of the suite were timed."""
    floor: str = ""
    """The policy that a failed benchmark counts as, where that is worse than the reference."""
    problems: tuple[str, ...] = ()
    """The problems whose policies have this track and no other; none: all that no track claims."""
    reserved: Mapping[str, str] = field(default_factory=dict)
    """Names that no policy can have, as patterns of what is in small letters → what they mean in its standings."""
    conditions: tuple[Condition, ...] = ()
    """What keeps its standings apart: under which conditions policies ran."""


_UNKNOWN = TrackFacts("benchmarks", "", ())


@cache
def all_tracks() -> Mapping[str, TrackFacts]:
    """Every track by name."""
    return {track: facts for module in in_every_folder(PROBLEMS, "tracks") for track, facts in module.TRACKS.items()}


@cache
def all_conditions() -> Mapping[str, Condition]:
    """Those of all tracks, by name."""
    return {one.name: one for facts in all_tracks().values() for one in facts.conditions}


def facts_of(track: str) -> TrackFacts:
    """What is fixed for this track; nothing for one that no problem here declares."""
    return all_tracks().get(track, _UNKNOWN)


def fits(problem: str, track: str) -> bool:
    """Whether policies of the problem can have the track."""
    claimed = {name for facts in all_tracks().values() for name in facts.problems}
    problems = facts_of(track).problems
    return problem in problems if problems else problem not in claimed
