"""The track of a problem whose tasks are instances: it is called as the problem."""

from collections.abc import Mapping

from harness.policy.tracks import Condition, TrackFacts

__all__ = ["BENCHMARKS", "BEST_KNOWN", "instance_track"]

BENCHMARKS = "instances"
BEST_KNOWN = "best-known"
"""No policy: the lowest costs known of a suite's instances."""


_CONDITIONS = (
    Condition("time_scale", "time scale {:g}", descending=True),
    Condition("cores", "{} cores"),
    Condition("origin", "origin {}"),
)
_RESERVED = {r"best(-known)?": "the best cost known of an instance"}


def instance_track(problem: str, reserved: Mapping[str, str] | None = None, floor: str = "") -> dict[str, TrackFacts]:
    """The ``TRACKS`` of the problem's folder. ``reserved``: as in ``TrackFacts``, those of published rows.

    ``floor``: the policy that prints the problem's plain assignment.
    """
    facts = TrackFacts(
        BENCHMARKS,
        "cost",
        (BEST_KNOWN,),
        compiled=False,
        floor=floor,
        problems=(problem,),
        reserved=_RESERVED | dict(reserved or {}),
        conditions=_CONDITIONS,
    )
    return {problem: facts}
