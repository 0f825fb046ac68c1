"""How solvers' files are called."""

__all__ = ["SOLVER_CPP", "SOLVER_PY"]

SOLVER_CPP, SOLVER_PY = "solver.cpp", "solver.py"
