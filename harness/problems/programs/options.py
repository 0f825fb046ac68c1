"""Options of the verbs that say something about programs alone."""

from pathlib import Path

from harness.base.options import Option

__all__ = ["OPTIONS"]

_JOBS = Option("jobs", "Workers (default: one a core).", int, flags=("--jobs", "-j"), low=1)
_RUN = (
    Option("target", "x86-64, aarch64, or both with a comma.", many=True),
    Option("track", "What is optimised for: size or speed.", default="size"),
    Option(
        "metric",
        "These metrics, or `all` (default: those of the track). mca.cycles@CPU: of a CPU.",
        many=True,
    ),
    _JOBS,
    Option("budget", "Run time: seconds of timing for each program, at most.", float, 60.0, low=1, high=86400),
    Option(
        "precision",
        "Run time: stop where a ratio's 95 % interval is this near to it.",
        float,
        0.005,
        low=0.0005,
        high=0.5,
    ),
    Option("again", "Run time: also of what a sound campaign has timed before.", bool, False, ("--time-again",)),
    Option("perturb", "Also on copies of each module with other names and another order.", bool, False),
    Option("seed_file", "Verify on hidden workloads too, made from the secret in this file.", Path),
    Option("no_fresh", "Do not verify objects on inputs that nobody has seen; recorded.", bool, False),
)

OPTIONS = {
    "run": _RUN,
    "fetch": (_JOBS,),
    "suites check": (Option("write", "check: pin the results that were found equal.", bool, False), _JOBS),
    "suites table": (Option("markdown", "table: print Markdown.", bool, False), _JOBS),
    "suites profile": (_JOBS,),
    "suites coverage": (_JOBS,),
}
"""Verb → its options."""
