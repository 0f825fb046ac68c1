"""``run``, and what rebuilds what was measured: ``replay``, ``repro``; ``fetch``, which a run does by itself."""

from pathlib import Path
from typing import Annotated, Any

import typer

from harness.base.answers import Answer
from harness.base.text import words
from harness.cli.commands import complete
from harness.cli.commands.verbs import Opened, answered
from harness.cli.commands.words import (
    MEASURE,
    Benchmarks,
    CompileTimeout,
    Csv,
    Jobs,
    Json,
    Policies,
    Results,
    SuitePath,
    Trust,
    examples,
    format_of,
)
from harness.cli.options import with_declared

__all__ = ["add"]


def add(app: typer.Typer) -> None:
    """Give the app these commands."""
    app.command(
        rich_help_panel=MEASURE,
        epilog=examples(
            "harness run --suite cbench",
            "harness run --suite cbench --policy ./my-policy,Oz --benchmark crc32",
            "harness run --suite polybench --track speed --target x86-64",
            "harness run --suite iopddl --time-scale 0.1 --repeats 5",
            "harness run --suite all --dry-run",
        ),
    )(run)
    app.command(
        rich_help_panel=MEASURE,
        epilog=examples("harness official --suite cbench --hidden-seed-file ../secret --key ~/.ssh/results"),
    )(official)
    app.command(
        rich_help_panel=MEASURE,
        epilog=examples("harness verify", "harness verify ./results --signers maintainers --last 5c3f…"),
    )(verify)
    app.command(
        rich_help_panel=MEASURE,
        epilog=examples("harness fetch cbench", "harness fetch spec-like --from ~/tarballs"),
    )(fetch)
    app.command(
        rich_help_panel=MEASURE,
        epilog=examples(
            "harness replay results/cbench-size-…jsonl",
            "harness replay cbench-size-20261124T034052Z-c4a36c9d --benchmark crc32 --policy oz-tail",
        ),
    )(replay)
    app.command(
        rich_help_panel=MEASURE,
        epilog=examples(
            "harness repro cbench-size-20261124T034052Z-c4a36c9d/crc32/x86-64/oz-tail > crc32.sh",
            "sh crc32.sh",
        ),
    )(repro)


@with_declared("run")
def run(
    suite: Annotated[
        str,
        typer.Option(
            "--suite", help="Name of a suite, path of its definition, or `all`.", autocompletion=complete.suites
        ),
    ],
    benchmark: Benchmarks = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            help="Names or folders, with commas or repeated; `all`: every one of the track (default: those that "
            "baselines/usual.toml lists).",
            autocompletion=complete.policies,
        ),
    ] = None,
    compile_timeout: CompileTimeout = 60.0,
    trust: Trust = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    results: Results = None,
    as_json: Json = False,
    as_csv: Csv = False,
    *,
    declared: dict[str, Any],
) -> None:
    """Run policies on a suite and record the results. An interrupted run, given again, resumes.

    `--suite all` runs every suite of programs that comes with the harness in turn, each program once.
    """
    from harness.cli.run import RunOptions, run

    options = RunOptions(suite, words(benchmark), words(policy), results, compile_timeout, trust, declared)
    raise typer.Exit(run(options, dry_run, format_of(as_json, as_csv)))


@with_declared("run", without=("perturb", "seed_file", "no_fresh"))  # these it always does, by a secret of its own
def official(
    suite: Annotated[str, typer.Option("--suite", help="Name of a suite, or path.", autocompletion=complete.suites)],
    hidden_seed_file: Annotated[
        Path, typer.Option("--hidden-seed-file", help="The secret that hidden workloads are made from.")
    ],
    key: Annotated[Path, typer.Option("--key", help="The private key, of OpenSSH, that signs.")],
    benchmark: Benchmarks = None,
    policy: Policies = None,
    results: Results = None,
    as_json: Json = False,
    *,
    declared: dict[str, Any],
) -> None:
    """Measure for the record: hidden workloads, perturbed copies, nothing from a cache, signed.

    For maintainers, on a clean commit. Cut off, the same command goes on. `harness verify` finds whatever is edited
    afterwards.
    """
    from harness.cli.official import Official, official

    asked = Official(suite, words(benchmark), words(policy), hidden_seed_file, key, results, declared)
    opened = Opened(declared.get("jobs"))
    kept = "finished cells are kept, and the same command goes on from here"
    raise typer.Exit(answered(lambda context: official(context, asked), opened, format_of(as_json, False), kept))


def verify(
    folder: Annotated[Path | None, typer.Argument(metavar="[RESULTS]", help="Default: results.")] = None,
    signers: Annotated[
        Path | None, typer.Option("--signers", help="Who may sign (default: allowed_signers in the folder).")
    ] = None,
    last: Annotated[str | None, typer.Option("--last", help="Digest of the last entry, as it was published.")] = None,
    allow_unsigned: Annotated[
        bool, typer.Option("--allow-unsigned", help="Other runs may lie there too: they are not official.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Find whatever was edited, removed, added or moved in official results. Exit code 1 where something was."""
    from harness.cli.official import verified

    def ask(_: Opened) -> Answer:
        return verified(folder, signers, last, allow_unsigned)

    raise typer.Exit(answered(ask, Opened(), format_of(as_json, False), ""))


@with_declared("fetch")
def fetch(
    suite: Annotated[
        str, typer.Argument(help="Suite whose sources are wanted: name or path.", autocompletion=complete.suites)
    ],
    folder: Annotated[Path | None, typer.Option("--from", help="Take tarballs from this folder.")] = None,
    *,
    declared: dict[str, Any],
) -> None:
    """Download, verify and unpack the sources of a suite."""
    from harness.cli.suites import fetch

    raise typer.Exit(fetch(suite, folder, declared))


def replay(
    run: Annotated[str, typer.Argument(help="Name or path of a run.")],
    benchmark: Benchmarks = None,
    policy: Policies = None,
    suite: SuitePath = None,
    jobs: Jobs = None,
    trust: Trust = False,
    results: Results = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Rebuild a run's objects from its decisions and compare them with what was measured."""
    from harness.cli.replay import replay

    raise typer.Exit(
        replay(run, words(benchmark), words(policy), suite, jobs, trust, results, format_of(as_json, as_csv))
    )


def repro(
    row: Annotated[str, typer.Argument(help="RUN#LINE, or RUN/BENCHMARK/TARGET/POLICY.")],
    suite: SuitePath = None,
    results: Results = None,
) -> None:
    """Print a shell script of bare clang, opt and ld commands that gives a row's object."""
    from harness.cli.replay import repro

    raise typer.Exit(repro(row, suite, results))
