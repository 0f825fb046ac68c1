"""What a track fixes for every policy that does not freeze the program at a level of its own."""

from harness.base.vocabulary import Level, Track

__all__ = ["FROZEN_AT", "REFERENCES"]

FROZEN_AT = {Track.SIZE: Level.OZ, Track.SPEED: Level.O3}
"""The level that programs are frozen at, and that clang's parts of the plan run at."""

REFERENCES = {Track.SIZE: ("Oz",), Track.SPEED: ("greedy", "basic", "pbqp")}
"""The policies that a track's ratios are against, the usual one first. Whatever is timed is timed beside them."""
