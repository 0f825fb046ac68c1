"""``corpus``: what policies are trained on that no suite has."""

from pathlib import Path
from typing import Annotated

import typer

from harness.base.answers import Answer
from harness.cli.commands.verbs import Opened, answered
from harness.cli.commands.words import DEVELOP, Csv, Jobs, Json, examples, format_of

__all__ = ["add"]

_corpus = typer.Typer(
    help="Build, show and extend the corpus: modules to train on, none of which comes from a suite.",
    epilog=examples("harness corpus build --only 5", "harness corpus show"),
    no_args_is_help=True,
)
_KEPT = "what is built is kept: the same command goes on from here"
_Suites = Annotated[
    list[str] | None,
    typer.Option("--suite", help="The corpus must not have what these suites have (default: all that there are)."),
]
_Recipe = Annotated[Path | None, typer.Option("--recipe", help="A recipe of your own (default: the harness's).")]
_Output = Annotated[Path | None, typer.Option("--output", help="Folder of the corpus (default: in the cache).")]


def add(app: typer.Typer) -> None:
    """Give the app the group."""
    app.add_typer(_corpus, name="corpus", rich_help_panel=DEVELOP)


@_corpus.command(
    epilog=examples(
        "harness corpus build",
        "harness corpus build --packages zlib,lua5.4 --output ./small",
        "harness corpus build --generated",
    )
)
def build(
    packages: Annotated[
        list[str] | None, typer.Option("--packages", help="Only these; repeatable, or with commas between.")
    ] = None,
    only: Annotated[int | None, typer.Option("--only", min=1, help="Only the first so many packages.")] = None,
    generated: Annotated[
        bool, typer.Option("--generated", help="A thousand modules of csmith and llvm-stress, too, as a control.")
    ] = False,
    output: _Output = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Take tarballs from this folder, not from Debian.")
    ] = None,
    suite: _Suites = None,
    recipe: _Recipe = None,
    pin: Annotated[
        bool, typer.Option("--pin", help="Record what packages come to, for who changes the recipe.")
    ] = False,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Fetch, compile and take out near-duplicates; cut off, the same command goes on where it was.

    Exit code 1 where a package cannot be had, or differs from what is recorded of it.
    """
    from harness.base.text import words
    from harness.cli.corpus import build

    def ask(opened: Opened) -> Answer:
        named, suites = words(packages), words(suite) or None
        return build(opened, named, only, generated, output, source, suites, recipe, pin)

    raise typer.Exit(answered(ask, Opened(jobs), format_of(as_json, False), _KEPT))


@_corpus.command(epilog=examples("harness corpus show", "harness corpus show --html corpus.html"))
def show(
    output: _Output = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Draw the projection of its features into this file.")
    ] = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show what is in the corpus, and how near it is to the programs of the suites."""
    from harness.cli.corpus import show

    def ask(opened: Opened) -> Answer:
        return show(opened, output, html)

    raise typer.Exit(answered(ask, Opened(), format_of(as_json, as_csv), ""))


@_corpus.command("import", epilog=examples("harness corpus import ./extracted --licence Apache-2.0"))
def import_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A corpus in the layout of mlgo-utils.")],
    name: Annotated[
        str | None, typer.Option("--name", help="What it is called in the corpus (default: the folder's name).")
    ] = None,
    licence: Annotated[str, typer.Option("--licence", help="Of its modules: an SPDX expression.")] = "NOASSERTION",
    validation: Annotated[
        bool, typer.Option("--validation", help="They are for validation, not for training.")
    ] = False,
    output: _Output = None,
    suite: _Suites = None,
    recipe: _Recipe = None,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Add modules that mlgo-utils has extracted, with the same facts and without near-duplicates."""
    from harness.base.text import words
    from harness.cli.corpus import take

    def ask(opened: Opened) -> Answer:
        return take(opened, folder, name, licence, validation, output, words(suite) or None, recipe)

    raise typer.Exit(answered(ask, Opened(jobs), format_of(as_json, False), _KEPT))
