"""The track of sharding instances."""

from harness.problems.instances.track import instance_track
from harness.problems.sharding.names import SHARDING

__all__ = ["TRACKS"]

_PUBLISHED = {
    r"xla": "the compiler of the sharding instances, in published rows",
    r"team\d*": "a team of the sharding contest, in published rows",
}
TRACKS = instance_track(SHARDING, _PUBLISHED, floor="least-usage")
