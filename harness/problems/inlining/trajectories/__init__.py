"""What inlining policies saw and decided, call site by call site: for those who train the next ones."""

from harness.problems.inlining.trajectories.collect import Trajectory, trajectory
from harness.problems.inlining.trajectories.table import COLUMNS, write_trajectories

__all__ = ["COLUMNS", "Trajectory", "trajectory", "write_trajectories"]
