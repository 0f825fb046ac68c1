"""The track of sharding instances."""

from harness.base.vocabulary import PolicyKind, Track
from harness.policy.tracks import TrackFacts

__all__ = ["BEST_KNOWN", "TRACKS"]

BEST_KNOWN = "best-known"
"""No policy: the lowest costs known of a suite's instances."""
TRACKS = {
    Track.SHARDING: TrackFacts(
        "instances",
        "cost",
        (BEST_KNOWN,),
        compiled=False,
        kinds=(PolicyKind.SHARDING,),
        conditions=("time_scale", "cores", "origin"),
    )
}
