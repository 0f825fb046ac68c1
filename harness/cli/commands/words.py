"""Options that several commands have, and how help is laid out."""

from pathlib import Path
from typing import Annotated, Final

import typer

from harness.base.errors import UsageError
from harness.cli.commands import complete
from harness.cli.output import Format

__all__ = [
    *("Benchmarks", "BenchmarksShown", "CompileTimeout", "Csv", "DEVELOP", "Jobs", "Json", "LOOK", "Llvm", "MACHINE"),
    *("MEASURE", "Metric", "Origin", "Policies", "Results", "Split", "Suite", "SuitePath", "Targets", "Track", "Trust"),
    *("Unseen", "examples", "format_of"),
]

MEASURE: Final = "Measure"
LOOK: Final = "Look at results"
DEVELOP: Final = "Policies"
MACHINE: Final = "This machine"
"""The headings of `harness --help`."""

_OUTPUT = "Output"
_WHICH = "Which results"

Jobs = Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Workers (default: one a core).")]
Trust = Annotated[
    bool, typer.Option("--trust", help="Run policies and programs without the sandbox. Every row records it.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=_OUTPUT)]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.", rich_help_panel=_OUTPUT)]
Results = Annotated[
    Path | None, typer.Option("--results", help="Folder of run files (default: results).", rich_help_panel=_OUTPUT)
]
CompileTimeout = Annotated[float, typer.Option(min=0.1, max=86400, help="CPU seconds for each compile step.")]
Benchmarks = Annotated[
    list[str] | None, typer.Option("--benchmark", help="Only these; repeatable.", autocompletion=complete.benchmarks)
]
BenchmarksShown = Annotated[
    list[str] | None,
    typer.Option(
        "--benchmark",
        help="Only these, of whichever split; repeatable.",
        rich_help_panel=_WHICH,
        autocompletion=complete.benchmarks,
    ),
]
Policies = Annotated[
    list[str] | None, typer.Option("--policy", help="Only these; repeatable.", autocompletion=complete.policies)
]
SuitePath = Annotated[
    str | None,
    typer.Option(
        "--suite",
        help="The run's suite, if it is one of your own: its name or path.",
        autocompletion=complete.suites,
    ),
]
Suite = Annotated[
    str | None,
    typer.Option(
        "--suite", help="Only this suite, by name or path.", rich_help_panel=_WHICH, autocompletion=complete.suites
    ),
]
Targets = Annotated[
    list[str] | None,
    typer.Option("--target", help="x86-64, aarch64, or both with a comma.", rich_help_panel=_WHICH),
]
Track = Annotated[str | None, typer.Option("--track", help="Only this track.", rich_help_panel=_WHICH)]
Metric = Annotated[
    str | None, typer.Option("--metric", help="Another metric than the one that ranks.", rich_help_panel=_WHICH)
]
Split = Annotated[
    str | None,
    typer.Option("--split", help="Programs of this split: test (default), train, or all.", rich_help_panel=_WHICH),
]
Origin = Annotated[
    str | None,
    typer.Option("--origin", help="Only of this origin: debian, own, local, contest.", rich_help_panel=_WHICH),
]
Unseen = Annotated[
    list[str] | None,
    typer.Option(
        "--unseen",
        help="Only programs that these policies were not trained on; `everyone`: that none was.",
        rich_help_panel=_WHICH,
    ),
]
Llvm = Annotated[
    str | None,
    typer.Option("--llvm", help="Fingerprint of the compiler (default: the last used).", rich_help_panel=_WHICH),
]


def format_of(as_json: bool, as_csv: bool) -> Format:
    """What was asked for. Raises UsageError where that is two."""
    if as_json and as_csv:
        raise UsageError("--json and --csv: one of them can be printed", hint="give one of the two")
    return Format.JSON if as_json else Format.CSV if as_csv else Format.TABLE


def examples(*lines: str) -> str:
    """The last paragraph of a command's help: commands that can be pasted."""
    return "\n\n".join(("Examples:", *lines))
