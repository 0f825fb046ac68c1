"""The tracks of programs."""

from harness.base.vocabulary import Level, Track
from harness.policy.tracks import TrackFacts

__all__ = ["FROZEN_AT", "REFERENCES", "TRACKS"]

TRACKS = {
    Track.SIZE: TrackFacts("programs", "size.alloc", ("Oz",), floor="O0"),
    Track.SPEED: TrackFacts(
        "programs", "instructions", ("greedy", "basic", "pbqp"), timed="runtime.cpu", floor="fast-o0"
    ),
}
FROZEN_AT = {Track.SIZE: Level.OZ, Track.SPEED: Level.O3}
"""The level that programs are frozen at, and that clang's parts of the plan run at, unless a policy has its own."""
REFERENCES = {track: facts.references for track, facts in TRACKS.items()}
