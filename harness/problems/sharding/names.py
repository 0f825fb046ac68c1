"""How the problem and its solvers' files are called."""

__all__ = ["SHARDING", "SOLVER", "SOLVER_CPP", "SOLVER_PY"]

SHARDING = "sharding"
"""The problem, in manifests and decisions."""
SOLVER = "solver"
"""Role of a submission's one file."""
SOLVER_CPP, SOLVER_PY = "solver.cpp", "solver.py"
