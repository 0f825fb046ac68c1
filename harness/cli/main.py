"""The verbs and their options. Everything else is imported when a verb runs: help must be instant."""

import gc
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.base.answers import Answer
from harness.base.errors import HarnessError, UsageError
from harness.base.text import words
from harness.cli.options import conditions, with_declared
from harness.cli.output import told
from harness.cli.streams import abandon_output, finish_output, output_error, prepare_streams
from harness.cli.verbs import Csv, Jobs, Json, Opened, Trust, add_verbs, answered, format_of
from harness.problems.verbs import SelfTest, exports, selftests

__all__ = ["main"]

app = typer.Typer(
    name="harness",
    help="Compare optimisation policies on stock LLVM 22: learned or hand-written, on the same programs, "
    "under the same measurement.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

_OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""A command makes many objects that stay, and hardly any circles: the usual 700 would cost a tenth of a short one."""

Results = Annotated[Path | None, typer.Option("--results", help="Folder of run files (default: results/).")]
SuitePath = Annotated[str | None, typer.Option("--suite", help="Path of the run's suite, if it is one of your own.")]
Targets = Annotated[list[str] | None, typer.Option("--target", help="x86-64, aarch64, or both with a comma.")]


@app.command()
def doctor(as_json: Json = False) -> None:
    """List every prerequisite: its version, what needs it, how to install it."""
    from harness.cli.doctor import doctor

    raise typer.Exit(doctor(format_of(as_json, False)))


@app.command(context_settings={"allow_interspersed_args": True})
@with_declared("suites check", "suites table", "suites profile", "suites coverage", "suites write", "suites")
def suites(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="NAME; or check, coverage, table, profile, write NAME, each with BENCHMARK…"),
    ] = None,
    trust: Trust = False,
    as_json: Json = False,
    as_csv: Csv = False,
    *,
    declared: dict[str, Any],
) -> None:
    """Show the suites, or the benchmarks of one. `suites check NAME` repeats its admission, `suites table NAME`
    measures what its programs are, `suites profile NAME BENCHMARK` where they spend their instructions,
    `suites coverage NAME BENCHMARK` which functions and blocks their workloads never execute.

    A program is admitted when its outputs are equal at O0 to O3, Os and Oz on both targets (workloads for
    timing: on x86-64), its counts are equal in two runs, its workloads execute 80 % of its basic blocks (or
    what the suite says, with the reason), throw an exception where it can, and run clean under
    AddressSanitizer and UndefinedBehaviorSanitizer.
    """
    from harness.cli.suites import suites

    raise typer.Exit(suites(names or [], declared, trust, format_of(as_json, as_csv)))


@app.command()
@with_declared("fetch")
def fetch(
    suite: Annotated[str, typer.Argument(help="Suite whose sources are wanted.")],
    folder: Annotated[Path | None, typer.Option("--from", help="Take tarballs from this folder.")] = None,
    *,
    declared: dict[str, Any],
) -> None:
    """Download, verify and unpack the sources of a suite."""
    from harness.cli.suites import fetch

    raise typer.Exit(fetch(suite, folder, declared))


@app.command()
def cache(
    what: Annotated[str | None, typer.Argument(help="`prune`: make room.")] = None,
    older_than: Annotated[
        str | None, typer.Option("--older-than", help="prune: what nobody used for so long goes (30d, 12h, 4w).")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", help="prune: the longest unused goes until so much is left (10G, 500M, 0).")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="prune: only say how much would go.")] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show what the cache holds, or make room in it. Everything in it can be made again, or fetched."""
    from harness.cli.cache import cache, prune

    given = older_than is not None or to is not None or dry_run
    if what not in (None, "prune") or (what is None and given):
        raise UsageError("what of the cache?", hint="harness cache, or harness cache prune --to 10G")
    raise typer.Exit(cache(format_of(as_json, as_csv)) if what is None else prune(older_than, to, dry_run))


@app.command()
def policies(as_json: Json = False, as_csv: Csv = False) -> None:
    """Show the baselines and the submissions."""
    from harness.cli.policies import policies

    raise typer.Exit(policies(format_of(as_json, as_csv)))


@app.command()
@with_declared("run")
def run(
    suite: Annotated[
        str,
        typer.Option("--suite", help="Name of a suite, path of its definition, or `all`."),
    ],
    benchmark: Annotated[list[str] | None, typer.Option("--benchmark", help="Only these; repeatable.")] = None,
    policy: Annotated[
        list[str] | None, typer.Option("--policy", help="Names or folders, with commas or repeated (default: all).")
    ] = None,
    results: Results = None,
    compile_timeout: Annotated[
        float, typer.Option(min=0.1, max=86400, help="CPU seconds for each compile step.")
    ] = 60.0,
    trust: Trust = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
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


def _first_line(function: Callable[..., Any]) -> str:
    return (function.__doc__ or "").strip().splitlines()[0].rstrip(".")


_SELFTESTS = "; ".join(f"{word}: {_first_line(test)}" for word, test in selftests().items())


@app.command()
def selftest(
    what: Annotated[str, typer.Argument(help=f"noise: what this machine can resolve; {_SELFTESTS}")],
    campaigns: Annotated[int, typer.Option(min=1, max=1000, help="noise: how many are taken.")] = 20,
    seconds: Annotated[float, typer.Option(min=0.01, max=10, help="noise: CPU time of the program.")] = 0.15,
    budget: Annotated[float, typer.Option(min=1, max=86400, help="noise: seconds of a campaign, at most.")] = 60.0,
    precision: Annotated[float, typer.Option(min=0.0005, max=0.5, help="noise: as of `harness run`.")] = 0.005,
    suite: Annotated[
        list[str] | None,
        typer.Option("--suite", help="Of the others: SUITE or SUITE/BENCHMARK (default: some of every sort)."),
    ] = None,
    jobs: Jobs = None,
    trust: Trust = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Measure how far this machine's verdicts on run time can be believed, or whether a problem's tools can be trusted.

    noise: takes campaigns with identical binaries and with binaries made 1 % and 3 % slower, judges them by the rule
    that judges policies, and says how often it is wrong, what it finds, and how many pairs a difference needs.
    """
    import math

    from harness.cli.selftest import selftest
    from harness.timing.schedule import Plan

    format_, others = format_of(as_json, as_csv), selftests()
    if what in others:
        kept = "the same command goes on from here"
        ask = partial(_tested, others[what], words(suite))
        raise typer.Exit(answered(ask, Opened(jobs, trust=trust), format_, kept))
    if what != "noise":
        raise UsageError(f"unknown self-test {what!r}", hint=f"there are: {', '.join(('noise', *others))}")
    plan = Plan(budget=budget, precision=math.log1p(precision))
    raise typer.Exit(selftest(campaigns, seconds, plan, trust, format_))


def _tested(test: SelfTest, suites: list[str], opened: Opened) -> Answer:
    return test(opened, suites)


@app.command()
def replay(
    run: Annotated[str, typer.Argument(help="Name or path of a run.")],
    benchmark: Annotated[list[str] | None, typer.Option("--benchmark", help="Only these; repeatable.")] = None,
    policy: Annotated[list[str] | None, typer.Option("--policy", help="Only these; repeatable.")] = None,
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


@app.command()
def repro(
    row: Annotated[str, typer.Argument(help="RUN#LINE, or RUN/BENCHMARK/TARGET/POLICY.")],
    suite: SuitePath = None,
    results: Results = None,
) -> None:
    """Print a shell script of bare clang, opt and ld commands that gives a row's object."""
    from harness.cli.replay import repro

    raise typer.Exit(repro(row, suite, results))


Suite = Annotated[str | None, typer.Option("--suite", help="Only this suite.")]
Track = Annotated[str | None, typer.Option("--track", help="Only this track.")]
Metric = Annotated[str | None, typer.Option("--metric", help="Another metric than the one that ranks.")]
Reference = Annotated[str | None, typer.Option("--reference", help="Another reference policy.")]
Split = Annotated[str | None, typer.Option("--split", help="Programs of this split: test (default), train, or all.")]
Origin = Annotated[str | None, typer.Option("--origin", help="Only of this origin: debian, own, local, contest.")]
Unseen = Annotated[
    list[str] | None,
    typer.Option("--unseen", help="Only programs that these policies were not trained on; `everyone`: that none was."),
]
Llvm = Annotated[str | None, typer.Option("--llvm", help="Fingerprint of the compiler (default: the last used).")]


@app.command()
@with_declared("leaderboard")
def leaderboard(
    suite: Suite = None,
    target: Targets = None,
    track: Track = None,
    metric: Metric = None,
    reference: Reference = None,
    split: Split = None,
    origin: Origin = None,
    unseen: Unseen = None,
    llvm: Llvm = None,
    sql: Annotated[bool, typer.Option("--sql", help="Print the queries instead of their answers.")] = False,
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
            results, sql, format_of(as_json, as_csv), declared, suite=suite, targets=tuple(words(target)), track=track,
            metric=metric, reference=reference, split=split, origin=origin, unseen=tuple(words(unseen)), llvm=llvm,
            **conditions(declared),
        )
    )  # fmt: skip


@app.command()
@with_declared("compare")
def compare(
    a: Annotated[str, typer.Argument(help="A policy.")],
    b: Annotated[str, typer.Argument(help="Another.")],
    suite: Suite = None,
    target: Targets = None,
    track: Track = None,
    metric: Metric = None,
    split: Split = None,
    origin: Origin = None,
    unseen: Unseen = None,
    llvm: Llvm = None,
    results: Results = None,
    as_json: Json = False,
    as_csv: Csv = False,
    *,
    declared: dict[str, Any],
) -> None:
    """Compare two policies program by program, the largest differences first."""
    from harness.cli.compare import compare

    raise typer.Exit(
        compare(
            a, b, results, format_of(as_json, as_csv), suite=suite, targets=tuple(words(target)), track=track,
            metric=metric, split=split, origin=origin, unseen=tuple(words(unseen)), llvm=llvm, **conditions(declared),
        )
    )  # fmt: skip


_EXPORTS = "; ".join(
    f"{ending}: {(one.__doc__ or '').strip().splitlines()[0].rstrip('.')}" for ending, one in exports().items()
)


@app.command()
def export(
    output: Annotated[Path, typer.Argument(help=f"File to write: .csv, .json or .parquet; {_EXPORTS}.")],
    suite: Suite = None,
    results: Results = None,
) -> None:
    """Write all recorded rows to one CSV, JSON or Parquet file; or, by another ending, what a problem exports."""
    from harness.cli.export import export

    raise typer.Exit(export(output, suite, results))


@app.command()
def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8501,
    results: Results = None,
) -> None:
    """Show the leaderboard as a page in the browser."""
    from harness.cli.serve import serve

    raise typer.Exit(serve(port, results))


@app.command()
def schema(
    name: Annotated[str | None, typer.Argument(help="suite, submission, header, row… (default: a list)")] = None,
) -> None:
    """Print the JSON Schema of a file format."""
    from harness.cli.schema import schema

    raise typer.Exit(schema(name))


add_verbs(app)


def main() -> None:
    """Entry point: errors that a user can cause become one message and an exit code."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    prepare_streams()
    sys.exit(_run())


def _run() -> int:
    """Run the command; its exit code."""
    try:
        code = _code_of(app)
        finish_output()
    except BrokenPipeError:  # the reader of our output (head, less) went away
        abandon_output()
        return 0
    except HarnessError as error:
        return told(error)
    except OSError as error:
        abandon_output()
        return told(output_error(error))
    return code


def _code_of(command: Callable[[], object]) -> int:
    """The exit code that a command ends with: Typer raises it."""
    try:
        command()
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    return 0
