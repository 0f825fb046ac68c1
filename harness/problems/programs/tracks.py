"""The tracks of programs."""

from harness.base.vocabulary import SIZE, SPEED, Level
from harness.policy.tracks import TrackFacts

__all__ = ["FROZEN_AT", "REFERENCES", "TRACKS"]

TRACKS = {
    SIZE: TrackFacts("programs", "size.alloc", ("Oz",), floor="O0"),
    SPEED: TrackFacts("programs", "instructions", ("greedy", "basic", "pbqp"), timed="runtime.cpu", floor="fast-o0"),
}
FROZEN_AT = {SIZE: Level.OZ, SPEED: Level.O3}
"""The level that programs are frozen at, and that clang's parts of the plan run at, unless a policy has its own."""
REFERENCES = {track: facts.references for track, facts in TRACKS.items()}
