"""What a track fixes for every policy that does not freeze the program at a level of its own."""

from harness.vocabulary import Level, Track

__all__ = ["FROZEN_AT"]

FROZEN_AT = {Track.SIZE: Level.OZ, Track.SPEED: Level.O3}
"""The level that programs are frozen at, and that clang's parts of the plan run at."""
