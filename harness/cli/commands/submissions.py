"""``validate``, ``gate`` and ``comment``, for pull requests; ``ceiling``, which extends one sort of submission."""

from pathlib import Path
from typing import Annotated

import typer

from harness.base.answers import Answer
from harness.cli.commands import complete
from harness.cli.commands.verbs import Opened, answered
from harness.cli.commands.words import DEVELOP, Benchmarks, Csv, Jobs, Json, examples, format_of

__all__ = ["add"]


def add(app: typer.Typer) -> None:
    """Give the app these commands."""
    app.command(
        rich_help_panel=DEVELOP,
        epilog=examples(
            "harness validate submissions/my-policy",
            "harness validate ./my-policy --markdown report.md --json",
        ),
    )(validate)
    app.command(
        rich_help_panel=DEVELOP,
        epilog=examples(
            "harness gate --base origin/main --head HEAD",
            "harness gate --repo ~/clone --base main --head pull/7 --dry-run",
        ),
    )(gate)
    app.command(
        rich_help_panel=DEVELOP,
        epilog=examples(
            "harness comment report.json", "harness comment report.json --repo . --base origin/main --head HEAD"
        ),
    )(comment)
    app.command(
        rich_help_panel=DEVELOP,
        epilog=examples(
            "harness ceiling ./mine --suite cbench",
            "harness ceiling ./mine --suite cbench --benchmark sha --target x86-64 --seconds 60",
        ),
    )(ceiling)


def ceiling(
    policy: Annotated[
        str, typer.Argument(help="One of form best, by name or folder.", autocompletion=complete.policies)
    ],
    suite: Annotated[list[str], typer.Option("--suite", help="Programs of these.", autocompletion=complete.suites)],
    benchmark: Annotated[
        list[str] | None,
        typer.Option("--benchmark", help="Only these; repeatable.", autocompletion=complete.benchmarks),
    ] = None,
    target: Annotated[
        list[str] | None, typer.Option("--target", help="x86-64, aarch64 (default: all that the policy has).")
    ] = None,
    metric: Annotated[str, typer.Option("--metric", help="size.alloc or size.text.")] = "size.alloc",
    trials: Annotated[int, typer.Option("--trials", min=1, help="Compilations of each program.")] = 1000,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="CPU seconds of each program.")] = 300,
    again: Annotated[
        bool, typer.Option("--again", help="Go on from what the policy has, not only where it has nothing.")
    ] = False,
    begin: Annotated[
        list[str] | None,
        typer.Option("--begin", help="Policies whose decisions it may begin from.", autocompletion=complete.policies),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the order in which things are tried.")] = 0,
    jobs: Jobs = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Search the best inlining decisions of each program: what nobody has to reach, and everyone is shown against.

    They are written into the policy's file, each program as it ends: cut off, the same command goes on.
    """
    from harness.base.text import words
    from harness.cli.ceiling import improve

    def ask(opened: Opened) -> Answer:
        return improve(
            *(opened, policy, words(suite), words(benchmark), target, metric),
            *(trials, seconds, again, seed, jobs, words(begin)),
        )

    raise typer.Exit(answered(ask, Opened(jobs), format_of(as_json, as_csv), "what was found is kept"))


def validate(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The submission's folder.")],
    markdown: Annotated[
        Path | None, typer.Option("--markdown", help="Write the report into this file too, for a pull request.")
    ] = None,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Check a submission as a pull request is checked: folder, manifest, build, decisions, replay, repetition, claims.

    It is run on a few small benchmarks, and again elsewhere: in another folder, environment and year, and where
    addresses are not random. Exit code 1 where something stands in the way.
    """
    from harness.cli.validate import validated

    def ask(opened: Opened) -> Answer:
        return validated(opened, folder, markdown)

    raise typer.Exit(answered(ask, Opened(jobs), format_of(as_json, False), ""))


def gate(
    base: Annotated[str, typer.Option("--base", help="The commit that the request is to be merged into.")],
    head: Annotated[str, typer.Option("--head", help="The request's last commit.")],
    repo: Annotated[Path, typer.Option("--repo", help="A clone that has both (default: here).")] = Path(),
    suite: Annotated[
        str | None,
        typer.Option("--suite", help="Measure on this one (default: by track).", autocompletion=complete.suites),
    ] = None,
    benchmark: Benchmarks = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Validate, and print what would be measured.")] = False,
    report: Annotated[Path | None, typer.Option("--report", help="Write the report into this file, as JSON.")] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write it into this file for people.")] = None,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Check a pull request: it must be one submission and nothing else, which is validated and measured.

    The request's files are data: the harness that runs is this one, whatever the request changes. Exit code 1 where
    something stands in the way.
    """
    from harness.base.text import words
    from harness.checks.gate.gate import Wanted
    from harness.cli.gate import gate

    wanted = Wanted(base, head, suite, tuple(words(benchmark)), only_plan=dry_run)

    def ask(opened: Opened) -> Answer:
        return gate(opened, repo, wanted, report, markdown)

    raise typer.Exit(answered(ask, Opened(jobs), format_of(as_json, False), "what was measured is kept"))


def comment(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `harness gate --report` wrote, wherever.")],
    repo: Annotated[Path | None, typer.Option("--repo", help="A clone: the request is read again in it.")] = None,
    base: Annotated[str | None, typer.Option("--base", help="As for the gate; with --repo.")] = None,
    head: Annotated[str | None, typer.Option("--head", help="As for the gate; with --repo.")] = None,
) -> None:
    """Print a report of the gate as Markdown. The file may come from a stranger: nothing in it becomes markup.

    Where the request changes something else than one submission, that is what is printed, whatever the report claims.
    """
    from harness.cli.gate import comment

    raise typer.Exit(answered(lambda _: comment(file, repo, base, head), Opened(), format_of(False, False), ""))
