"""Finding good values for a heuristic's tunable constants, on the train split only."""

from harness.problems.inlining.tune.run import Tuned, tune

__all__ = ["Tuned", "tune"]
