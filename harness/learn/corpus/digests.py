"""What a package's units came to when the corpus was last recorded: beside the recipe, so that a rebuild is checked."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.base.reading import read_bytes
from harness.learn.corpus.kept import Made
from harness.learn.corpus.recipe import read_recipe
from harness.suite.fields import Model, Sha256

__all__ = ["Pinned", "difference", "of_made", "read_digests", "write_digests"]

_NAME = "digests.json"
_LARGEST = 1 << 20


class Pinned(Model):
    """Of a package, before near-duplicates are taken out: it depends on no other."""

    units: int
    functions: int
    digest: Sha256
    """Over the sorted digests of its modules."""


_PINNED = TypeAdapter(dict[str, Pinned])


def of_made(made: Made) -> Pinned:
    """What is to be recorded."""
    functions = sum(len(one.facts.functions) for one in made.units)
    return Pinned(
        units=len(made.units), functions=functions, digest=digest_of(sorted(one.digest for one in made.units))
    )


def difference(now: Mapping[str, Pinned], recorded: Mapping[str, Pinned]) -> dict[str, str]:
    """Package → what is not as it was recorded."""
    told = {}
    for name, one in now.items():
        was = recorded.get(name)
        if was is None:
            told[name] = "nothing is recorded of it"
        elif was.units != one.units:
            told[name] = f"{one.units} units, {was.units} are recorded"
        elif was != one:
            told[name] = (
                f"{one.units} units as recorded, but other modules: another LLVM, or other headers of the system?"
            )
    return told


def read_digests(recipe: Path) -> dict[str, Pinned]:
    """What is recorded beside a recipe; nothing where there is no file. Raises UsageError for a file that is none."""
    path = recipe.with_name(_NAME)
    if not path.is_file():
        return {}
    try:
        return _PINNED.validate_json(read_bytes(path, _LARGEST))
    except ValidationError:
        raise UsageError("not a file of digests", where=str(path), hint="restore it from git") from None


def write_digests(pinned: Mapping[str, Pinned], recipe: Path) -> None:
    """Record them beside a recipe, and what is recorded of its other packages."""
    packages = read_recipe(recipe).packages
    both = {name: one for name, one in {**read_digests(recipe), **pinned}.items() if name in packages}
    lines = [f'  "{name}": {both[name].model_dump_json()}' for name in sorted(both)]
    recipe.with_name(_NAME).write_text("{\n" + ",\n".join(lines) + "\n}\n")
