"""Options of the verbs that say something about suites of instances: ``OPTIONS`` of every problem that has some."""

from pathlib import Path

from harness.base.options import Option, SuiteWord

__all__ = ["OPTIONS", "SUITE_WORDS"]

_ABOUT = "Suites of instances"

_CONDITIONS = (
    Option("time_scale", "Only solvers that ran on this share of the instances' limits.", float, about=_ABOUT),
    Option("cores", "Only solvers that had so many cores.", int, low=1, about=_ABOUT),
)
OPTIONS = {
    "run": (
        Option("track", "What is optimised for.", about=_ABOUT),
        Option(
            "time_scale", "Solvers have this share of their time limits.", float, 1.0, low=0.001, high=10, about=_ABOUT
        ),
        Option("cores", "Cores of a solver (default: 2).", int, low=1, about=_ABOUT),
        Option("repeats", "Runs of each solver on each instance.", int, 1, low=1, high=100, about=_ABOUT),
        Option("perturb", "Also on a copy of each instance under other numbers.", bool, False, about=_ABOUT),
        Option("seed_file", "Make the copies from the secret in this file.", Path, about=_ABOUT),
    ),
    "suites write": (Option("output", "The file to write.", Path, about=_ABOUT),),
    "leaderboard": (
        *_CONDITIONS,
        Option(
            "published",
            "Show what others have published, as rows without a rank.",
            bool,
            True,
            ("--published/--no-published",),
            about=_ABOUT,
        ),
        Option("instances", "A line for each solver and instance instead.", bool, False, restricts=True, about=_ABOUT),
    ),
    "compare": _CONDITIONS,
}
"""Verb → its options."""

SUITE_WORDS = {
    "check": SuiteWord("Check that every instance can be read, and that its bounds are consistent."),
    "write": SuiteWord(
        "Write an instance of a suite as a file, as it is published.",
        ("harness suites write iopddl A --output A.json",),
    ),
}
