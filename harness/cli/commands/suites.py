"""``suites``: what they are, and what can be asked of one; each problem brings the words for its own sort."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from harness.base.errors import UsageError
from harness.base.text import closest, words
from harness.cli.commands import complete
from harness.cli.commands.words import MEASURE, Csv, Json, Trust, examples, format_of
from harness.cli.options import with_declared
from harness.cli.output import note
from harness.problems.registry import SuiteWord, suite_words

__all__ = ["add"]


class _Group(TyperGroup):
    """``harness suites NAME``, as it was spelt before there was ``show``, still works."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """A word that is no command, and stands alone, is a suite's name."""
        names = [word for word in args if not word.startswith("-")]
        spelt = bool(args) and args[0] not in self.commands and closest(args[0], self.commands) is not None
        if args and args[0] not in self.commands and ((names == args[:1] and not spelt) or _is_suite(args[0])):
            if names != args[:1]:
                hint = "to check one of its benchmarks: harness suites check NAME BENCHMARK"
                raise UsageError(f"one suite at a time, not {' '.join(names)!r}", hint=hint)
            note(f"`harness suites {args[0]}` is `harness suites show {args[0]}` now; the old spelling goes with 0.3")
            args = ["show", *args]
        return super().resolve_command(ctx, args)


def _is_suite(word: str) -> bool:
    """Whether somebody who writes it means a suite."""
    from harness.suite.known import known_suites

    return "/" in word or word.endswith(".toml") or word in known_suites()


_suites = typer.Typer(
    cls=_Group,
    help="The suites that come with the harness, and a suite of your own.",
    epilog=examples("harness suites", "harness suites show cbench", "harness suites check ./mine/suite.toml --write"),
)
_Suite = Annotated[str, typer.Argument(help="Name or path of a suite.", autocompletion=complete.suites)]


def add(app: typer.Typer) -> None:
    """Give the app the group."""
    app.add_typer(_suites, name="suites", rich_help_panel=MEASURE)
    app.command(
        rich_help_panel=MEASURE,
        epilog=examples(
            "harness generators",
            "harness generators text",
            "harness generators ppm --param width=64 --seed 7 --sample picture.ppm",
        ),
    )(generators)


def generators(
    name: Annotated[
        str | None, typer.Argument(help="Only this one, with all that it says.", autocompletion=complete.generators)
    ] = None,
    sample: Annotated[Path | None, typer.Option("--sample", help="Write what it makes into this new file.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the sample.")] = 1,
    param: Annotated[
        list[str] | None, typer.Option("--param", help="NAME=VALUE, for the sample; repeatable (default: its own).")
    ] = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """List the generators of input files: formats, parameters, defaults; or write a sample of one.

    The line that is printed last of one generator goes into a workload of a suite.
    """
    from harness.cli.generators import generators

    raise typer.Exit(generators(name, sample, seed, param or [], format_of(as_json, as_csv)))


@_suites.callback(invoke_without_command=True)
def suites(context: typer.Context, as_json: Json = False, as_csv: Csv = False) -> None:
    """The suites that come with the harness, and a suite of your own."""
    if context.invoked_subcommand is None:
        list_suites(as_json, as_csv)


@_suites.command("list")
def list_suites(as_json: Json = False, as_csv: Csv = False) -> None:
    """List the suites: version, how many benchmarks, what they are."""
    from harness.cli.suites import list_suites

    raise typer.Exit(list_suites(format_of(as_json, as_csv)))


@_suites.command(epilog=examples("harness suites show cbench", "harness suites show ./mine/suite.toml --json"))
def show(suite: _Suite, as_json: Json = False, as_csv: Csv = False) -> None:
    """Show the benchmarks of a suite: origin, licence, split, size, workloads; and what is absent, with the reason."""
    from harness.cli.suites import show

    raise typer.Exit(show(suite, format_of(as_json, as_csv)))


@_suites.command(epilog=examples("harness suites new ./mine", "harness suites new ./compressors --debian xz-utils"))
def new(
    path: Annotated[Path, typer.Argument(help="A folder, which gives the suite its name.")],
    debian: Annotated[
        list[str] | None,
        typer.Option("--debian", help="Begin with this source package: version, tarball, sha256 from apt; repeatable."),
    ] = None,
    version: Annotated[
        str | None, typer.Option("--version", help="Its upstream version (default: the one that apt would take).")
    ] = None,
) -> None:
    """Write the beginning of a suite of your own. Nothing is ever overwritten."""
    from harness.cli.new_suite import new_suite

    raise typer.Exit(new_suite(path, words(debian), version))


def _command(word: str, about: SuiteWord) -> Callable[..., None]:
    def command(
        suite: Annotated[
            str | None, typer.Argument(help="Name or path of a suite.", autocompletion=complete.suites)
        ] = None,
        benchmarks: Annotated[list[str] | None, typer.Argument(help="Only these of it.")] = None,
        trust: Trust = False,
        as_json: Json = False,
        as_csv: Csv = False,
        *,
        declared: dict[str, Any],
    ) -> None:
        from harness.cli.suites import ask

        raise typer.Exit(ask(word, suite, words(benchmarks), declared, trust, format_of(as_json, as_csv)))

    command.__doc__ = about.help
    return with_declared(f"suites {word}")(command)


for _word, _about in suite_words().items():
    _suites.command(_word, epilog=examples(*_about.examples))(_command(_word, _about))
