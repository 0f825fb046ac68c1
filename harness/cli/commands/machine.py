"""This machine: ``doctor``, ``cache``, ``selftest``; ``policies`` and ``schema``, which say what there is; ``new``."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from harness.base.answers import Answer
from harness.cli.commands import complete
from harness.cli.commands.verbs import Opened, answered
from harness.cli.commands.words import DEVELOP, MACHINE, Csv, Jobs, Json, Trust, examples, format_of
from harness.problems.verbs import SelfTest, selftests

__all__ = ["add"]


def add(app: typer.Typer) -> None:
    """Give the app these commands."""
    app.command(rich_help_panel=DEVELOP)(policies)
    app.command(
        rich_help_panel=DEVELOP,
        epilog=examples("harness new my-policy", "harness new my-list --problem passes"),
    )(new)
    app.command(rich_help_panel=MACHINE)(doctor)
    app.add_typer(_cache, name="cache", rich_help_panel=MACHINE)
    app.add_typer(_selftest, name="selftest", rich_help_panel=MACHINE)
    app.command(rich_help_panel=MACHINE, epilog=examples("harness schema", "harness schema submission"))(schema)


def doctor(as_json: Json = False) -> None:
    """List every prerequisite: its version, what needs it, how to install it."""
    from harness.cli.doctor import doctor

    raise typer.Exit(doctor(format_of(as_json, False)))


def policies(as_json: Json = False, as_csv: Csv = False) -> None:
    """Show the baselines and the submissions."""
    from harness.cli.policies import policies

    raise typer.Exit(policies(format_of(as_json, as_csv)))


def new(
    name: Annotated[Path, typer.Argument(metavar="NAME", help="The policy's name: a folder of this name is made.")],
    problem: Annotated[
        str | None,
        typer.Option("--problem", "--kind", help="What it decides.", autocompletion=complete.problems),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--form",
            help="How it is written (default: the only form that there is).",
            autocompletion=complete.forms,
        ),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option("--question", help="What it is asked, of a problem with several questions (default: the first)."),
    ] = None,
) -> None:
    """Write a complete submission to start from: `submission.toml`, and the policy's file.

    It can be run as it is. Nothing is ever overwritten. Without `--problem`, all problems and forms are listed.
    """
    from harness.cli.new import new

    raise typer.Exit(new(name, problem, form, question))


def schema(
    name: Annotated[str | None, typer.Argument(help="suite, submission, header, row… (default: a list)")] = None,
) -> None:
    """Print the JSON Schema of a file format."""
    from harness.cli.schema import schema

    raise typer.Exit(schema(name))


# --- cache

_cache = typer.Typer(
    help="Show what the cache holds, or make room in it. Everything in it can be made again, or fetched.",
    epilog=examples("harness cache", "harness cache prune --to 10G"),
)


@_cache.callback(invoke_without_command=True)
def cache(context: typer.Context, as_json: Json = False, as_csv: Csv = False) -> None:
    """Show what the cache holds, or make room in it. Everything in it can be made again, or fetched."""
    from harness.cli.cache import cache

    if context.invoked_subcommand is None:
        raise typer.Exit(cache(format_of(as_json, as_csv)))


@_cache.command(
    epilog=examples("harness cache prune --older-than 30d", "harness cache prune --to 10G --dry-run"),
)
def prune(
    older_than: Annotated[
        str | None, typer.Option("--older-than", help="What nobody used for so long goes (30d, 12h, 4w).")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", help="The longest unused goes until so much is left (10G, 500M, 0).")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how much would go.")] = False,
) -> None:
    """Remove entries that nobody has used for long."""
    from harness.cli.cache import prune

    raise typer.Exit(prune(older_than, to, dry_run))


# --- selftest

_selftest = typer.Typer(
    help="Measure how far this machine's verdicts on run time, and the harness's own tools, can be believed.",
    epilog=examples("harness selftest noise --campaigns 20", "harness selftest inline --suite cbench/bzip2"),
    no_args_is_help=True,
)


@_selftest.command(epilog=examples("harness selftest noise", "harness selftest noise --campaigns 40 --budget 30"))
def noise(
    campaigns: Annotated[int, typer.Option(min=1, max=1000, help="How many are taken.")] = 20,
    seconds: Annotated[float, typer.Option(min=0.01, max=10, help="CPU time of the program.")] = 0.15,
    budget: Annotated[float, typer.Option(min=1, max=86400, help="Seconds of a campaign, at most.")] = 60.0,
    precision: Annotated[float, typer.Option(min=0.0005, max=0.5, help="As of `harness run`.")] = 0.005,
    trust: Trust = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """What this machine's verdicts on run time are worth: how often identical binaries are called different.

    Takes campaigns with identical binaries and with binaries made 1 % and 3 % slower, judges them by the rule that
    judges policies, and says how often it is wrong, what it finds, and how many pairs a difference needs.
    """
    import math

    from harness.cli.selftest import selftest
    from harness.timing.schedule import Plan

    plan = Plan(budget=budget, precision=math.log1p(precision))
    raise typer.Exit(selftest(campaigns, seconds, plan, trust, format_of(as_json, as_csv)))


def _command(word: str, test: SelfTest) -> Callable[..., None]:
    def command(
        suite: Annotated[
            list[str] | None,
            typer.Option(
                "--suite",
                help="SUITE or SUITE/BENCHMARK (default: some of every sort).",
                autocompletion=complete.suites,
            ),
        ] = None,
        jobs: Jobs = None,
        trust: Trust = False,
        as_json: Json = False,
        as_csv: Csv = False,
    ) -> None:
        from harness.base.text import words

        ask = partial(_tested, test, words(suite))
        kept = "the same command goes on from here"
        raise typer.Exit(answered(ask, Opened(jobs, trust=trust), format_of(as_json, as_csv), kept))

    command.__doc__ = (test.__doc__ or word).strip()
    return command


def _tested(test: SelfTest, suites: list[str], opened: Opened) -> Answer:
    return test(opened, suites)


for _word, _test in selftests().items():
    _selftest.command(_word)(_command(_word, _test))
