"""Options of the verbs that say something about sharding instances alone."""

from pathlib import Path

from harness.base.options import Option

__all__ = ["OPTIONS"]

_ABOUT = "Suites of sharding instances"

OPTIONS = {
    "run": (
        Option(
            "time_scale", "Solvers have this share of their time limits.", float, 1.0, low=0.001, high=10, about=_ABOUT
        ),
        Option("cores", "Cores of a solver (default: 2).", int, low=1, about=_ABOUT),
    ),
    "suites write": (Option("output", "write: the file.", Path, about=_ABOUT),),
}
"""Verb → its options."""
