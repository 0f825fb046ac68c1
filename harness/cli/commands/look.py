"""Looking at results: ``leaderboard``, ``compare``, ``export``, ``serve``, ``recorded``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from harness.base.text import words
from harness.cli.commands import complete
from harness.cli.commands.words import (
    LOOK,
    BenchmarksShown,
    Csv,
    Json,
    Llvm,
    Metric,
    Origin,
    Results,
    Split,
    Suite,
    Targets,
    Track,
    Unseen,
    examples,
    format_of,
)
from harness.cli.options import conditions, with_declared
from harness.problems.verbs import exports

__all__ = ["add"]

_Policy = typer.Argument(
    help="A policy: the name that results have of it, or its folder's path.", autocompletion=complete.policies
)
_Backing = Annotated[
    str | None,
    typer.Option(
        "--backing",
        help="Only runs that are official, or at least reproduced (default: all).",
        rich_help_panel="Which results",
    ),
]


def add(app: typer.Typer) -> None:
    """Give the app these commands."""
    app.command(
        rich_help_panel=LOOK,
        epilog=examples(
            "harness leaderboard",
            "harness leaderboard --suite cbench --track speed --target x86-64 --reference pbqp",
            "harness leaderboard --suite iopddl --instances",
            "harness leaderboard --suite cbench --json",
        ),
    )(leaderboard)
    app.command(
        rich_help_panel=LOOK,
        epilog=examples(
            "harness compare oz-tail Oz --suite cbench --target x86-64",
            "harness compare basic greedy --track speed --metric instructions",
        ),
    )(compare)
    app.command(rich_help_panel=LOOK, epilog=examples("harness serve", "harness serve --port 8600"))(serve)
    app.command(
        rich_help_panel=LOOK,
        epilog=examples("harness export rows.parquet", "harness export cbench.csv --suite cbench"),
    )(export)
    app.command(
        rich_help_panel=LOOK,
        epilog=examples("harness recorded", "harness recorded --results elsewhere", "harness leaderboard"),
    )(recorded)


@with_declared("leaderboard")
def leaderboard(
    suite: Suite = None,
    target: Targets = None,
    track: Track = None,
    metric: Metric = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            help="Another reference policy.",
            rich_help_panel="Which results",
            autocompletion=complete.policies,
        ),
    ] = None,
    split: Split = None,
    origin: Origin = None,
    unseen: Unseen = None,
    benchmark: BenchmarksShown = None,
    llvm: Llvm = None,
    backing: _Backing = None,
    sql: Annotated[
        bool, typer.Option("--sql", help="Print the queries instead of their answers.", rich_help_panel="Output")
    ] = False,
    results: Results = None,
    as_json: Json = False,
    as_csv: Csv = False,
    *,
    declared: dict[str, Any],
) -> None:
    """Print the standings.

    The suites of programs that come with the harness are shown together, each program once: all of them, the
    applications, and the kernels. `--suite NAME` shows one alone.
    """
    from harness.cli.leaderboard import leaderboard

    raise typer.Exit(
        leaderboard(
            results, sql, format_of(as_json, as_csv), declared, backing, suite=suite, targets=tuple(words(target)),
            track=track, metric=metric, reference=reference, split=split, origin=origin, unseen=tuple(words(unseen)),
            benchmarks=tuple(words(benchmark)), llvm=llvm, **conditions(declared),
        )
    )  # fmt: skip


@with_declared("compare")
def compare(
    a: Annotated[str, _Policy],
    b: Annotated[str, _Policy],
    suite: Suite = None,
    target: Targets = None,
    track: Track = None,
    metric: Metric = None,
    split: Split = None,
    origin: Origin = None,
    unseen: Unseen = None,
    benchmark: BenchmarksShown = None,
    llvm: Llvm = None,
    backing: _Backing = None,
    results: Results = None,
    as_json: Json = False,
    as_csv: Csv = False,
    *,
    declared: dict[str, Any],
) -> None:
    """Compare two policies program by program, what is best for the first policy first."""
    from harness.cli.compare import compare

    raise typer.Exit(
        compare(
            a, b, results, format_of(as_json, as_csv), backing, suite=suite, targets=tuple(words(target)),
            track=track, metric=metric, split=split, origin=origin, unseen=tuple(words(unseen)),
            benchmarks=tuple(words(benchmark)), llvm=llvm, **conditions(declared),
        )
    )  # fmt: skip


_EXPORTS = "; ".join(
    f"{ending}: {(one.__doc__ or '').strip().splitlines()[0].rstrip('.')}" for ending, one in exports().items()
)


def export(
    output: Annotated[Path, typer.Argument(help=f"File to write: .csv, .json or .parquet; {_EXPORTS}.")],
    suite: Suite = None,
    results: Results = None,
) -> None:
    """Write all recorded rows to one CSV, JSON or Parquet file; or, by another ending, what a problem exports."""
    from harness.cli.export import export

    raise typer.Exit(export(output, suite, results))


def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8501,
    results: Results = None,
) -> None:
    """Show the leaderboard as a page in the browser."""
    from harness.cli.serve import serve

    raise typer.Exit(serve(port, results))


def recorded(results: Results = None) -> None:
    """Copy the project's recorded results into your results folder, to look at them and to be compared with them.

    They come with the harness. Files that are there already stay as they are.
    """
    from harness.cli.recorded import recorded

    raise typer.Exit(recorded(results))
