"""The problem's track."""

from harness.problems.instances.track import instance_track

__all__ = ["TRACKS"]

TRACKS = instance_track("colouring")
