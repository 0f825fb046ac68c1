"""The problem's track."""

from harness.policy.tracks import TrackFacts

__all__ = ["TRACKS"]

TRACKS = {"weather": TrackFacts("towns", "cost", ("sunshine",), compiled=False, problems=("weather",))}
