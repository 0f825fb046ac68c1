"""The track of sharding instances."""

from harness.base.vocabulary import Track
from harness.policy.tracks import TrackFacts
from harness.problems.sharding.names import SHARDING

__all__ = ["BEST_KNOWN", "TRACKS"]

BEST_KNOWN = "best-known"
"""No policy: the lowest costs known of a suite's instances."""
TRACKS = {
    Track.SHARDING: TrackFacts(
        "instances",
        "cost",
        (BEST_KNOWN,),
        compiled=False,
        problems=(SHARDING,),
        conditions=("time_scale", "cores", "origin"),
    )
}
