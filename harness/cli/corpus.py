"""``harness corpus``: what its commands ask of ``harness.learn.corpus``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.base.answers import Answer
from harness.base.errors import UsageError
from harness.learn.corpus.build import Built, Wanted
from harness.learn.corpus.build import build as built
from harness.learn.corpus.corpus import load
from harness.learn.corpus.digests import read_digests, write_digests
from harness.learn.corpus.generated import GENERATORS
from harness.learn.corpus.mlgo import import_modules
from harness.learn.corpus.plot import write_projection
from harness.learn.corpus.recipe import RECIPE, chosen, read_recipe
from harness.learn.corpus.show import about
from harness.learn.corpus.suites import programs_of
from harness.learn.corpus.written import ABOUT, Import, corpus_folder, read_about
from harness.problems.verbs import Context
from harness.suite.fields import Model, Name

__all__ = ["build", "show", "take"]


@dataclass(frozen=True)
class _Asked:
    wanted: Wanted
    folder: Path
    recipe: Path
    pin: bool = False


class _Named(Model):
    name: Name


def build(
    context: Context,
    packages: list[str],
    only: int | None,
    generated: bool,
    output: Path | None,
    offered: Path | None,
    suites: Sequence[str] | None,
    own: Path | None,
    pin: bool,
) -> Answer:
    """Build it, and say what is in it. ``own``: another recipe."""
    recipe, folder = read_recipe(own or RECIPE), corpus_folder(output)
    wanted = Wanted(
        recipe,
        tuple(chosen(recipe, packages, only)),
        tuple(programs_of(suites)),
        tuple(GENERATORS) if generated else (),
        read_about(folder).imports if (folder / ABOUT).is_file() else (),
        offered,
    )
    return _build(_Asked(wanted, folder, own or RECIPE, pin), context)


def take(
    context: Context,
    source: Path,
    name: str | None,
    licence: str,
    validation: bool,
    output: Path | None,
    suites: Sequence[str] | None,
    own: Path | None,
) -> Answer:
    """Import a folder into the corpus, which is built anew around it."""
    folder, recipe = corpus_folder(output), read_recipe(own or RECIPE)
    there = read_about(folder) if (folder / ABOUT).is_file() else None
    called = name or source.resolve().name.lower()
    try:
        _Named(name=called)
    except ValueError:
        raise UsageError(
            f"{called!r} cannot be its name", hint="--name: lower-case letters, digits, '.', '-'"
        ) from None
    if called in recipe.packages or called in GENERATORS:
        raise UsageError(f"{called!r} is the name of a package of the corpus", hint="--name gives it another")
    one = import_modules(source, called, "validation" if validation else "train", licence, context.bench())
    others: tuple[Import, ...] = tuple(other for other in there.imports if other.name != called) if there else ()
    wanted = Wanted(
        recipe,
        tuple(one for one in there.packages if one in recipe.packages) if there else (),
        tuple(programs_of(suites)),
        tuple(GENERATORS) if there and there.generated else (),
        (*others, one),
    )
    return _build(_Asked(wanted, folder, own or RECIPE), context)


def show(_: Context, output: Path | None, html: Path | None) -> Answer:
    """Say what is in it, and draw it into a file."""
    corpus = load(output)
    answer = about(corpus)
    if html is None:
        return answer
    write_projection(corpus, html)
    return replace(answer, notes=(*answer.notes, f"projection: {html}"))


def _build(asked: _Asked, context: Context) -> Answer:
    found = built(
        asked.wanted, asked.folder, read_digests(asked.recipe), context.bench(), context.engine, context.observer
    )
    if asked.pin:
        write_digests(found.pinned, asked.recipe)
    answer = about(load(asked.folder))
    differences = {} if asked.pin else found.differences
    return replace(
        answer,
        notes=(*answer.notes, f"corpus: {asked.folder}", *_told(found, differences)),
        failed=bool(found.failed or differences),
    )


def _told(found: Built, differences: Mapping[str, str]) -> list[str]:
    return [
        *(f"left out: {name}: {error.message}" for name, error in found.failed.items()),
        *(f"differs: {name}: {what}" for name, what in differences.items()),
    ]
