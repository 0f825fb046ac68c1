"""Options of the verbs that say something about programs alone."""

from pathlib import Path

from harness.base.options import Option, SuiteWord

__all__ = ["OPTIONS", "SUITE_WORDS"]

_JOBS = Option("jobs", "Workers (default: one a core).", int, flags=("--jobs", "-j"), low=1)
_COMPILE = Option(
    "compile_timeout",
    "CPU seconds for each compile step; a program's units may take five times as much.",
    float,
    60.0,
    low=0.1,
    high=86400,
)
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
    Option("log_features", "Also write what policies saw, decided and got for it, as Parquet.", bool, False),
    Option("no_fresh", "Do not verify objects on inputs that nobody has seen; recorded.", bool, False),
)

OPTIONS = {
    "run": _RUN,
    "fetch": (_JOBS,),
    "suites check": (Option("write", "Pin the results that were found equal.", bool, False), _COMPILE, _JOBS),
    "suites table": (Option("markdown", "Print Markdown.", bool, False), _COMPILE, _JOBS),
    "suites profile": (_COMPILE, _JOBS),
    "suites coverage": (_COMPILE, _JOBS),
}
"""Verb → its options."""

SUITE_WORDS = {
    "check": SuiteWord(
        """Repeat the admission of a suite, or of some of its programs.

        A program is admitted when its outputs are equal at O0 to O3, Os and Oz on both targets (workloads for
        timing: on x86-64), its counts are equal in two runs, its workloads execute 80 % of its basic blocks (or
        what the suite says, with the reason), throw an exception where it can, and run clean under
        AddressSanitizer and UndefinedBehaviorSanitizer.""",
        ("harness suites check cbench", "harness suites check ./mine/suite.toml fft --write"),
    ),
    "table": SuiteWord(
        "Measure what the programs of a suite are: lines, functions, IR, bytes, executed instructions.",
        ("harness suites table cbench", "harness suites table mibench --markdown"),
    ),
    "profile": SuiteWord(
        "Show where a program spends its instructions: functions, and how many basic blocks.",
        ("harness suites profile cbench bzip2",),
    ),
    "coverage": SuiteWord(
        "Show which functions and basic blocks of a program its workloads never execute.",
        ("harness suites coverage cbench lame",),
    ),
}
