"""The recipe: which packages a corpus is made of, and the little that each must be told to compile without a configure.

``packages.toml`` is in git; of what is made of it, only digests are (``digests.json``).
"""

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from harness.base.digest import digest_of
from harness.base.documents import read_toml
from harness.base.errors import UsageError
from harness.base.text import closest
from harness.base.vocabulary import Origin
from harness.suite.fields import Argument, Line, Model, RelativePath, Sha256, Tarball
from harness.suite.fields import Package as PackageName
from harness.suite.load import explain_validation
from harness.suite.model import Source

__all__ = ["RECIPE", "Package", "Recipe", "SplitName", "chosen", "read_recipe"]

RECIPE = Path(__file__).with_name("packages.toml")
_LARGEST = 1 << 20
SplitName = Literal["train", "validation"]


class Package(Model):
    """A Debian source package, and how its units compile."""

    version: Line
    """The upstream version, without the Debian revision."""
    tarball: Tarball
    """File name of the orig tarball."""
    sha256: Sha256
    """Of the orig tarball."""
    licence: Line
    """An SPDX expression."""
    about: Line
    """What it is, in a few words."""
    split: SplitName = "train"
    """All of a package is in one split."""
    std: Line | None = None
    """Dialect of its C++, where that is not clang's own."""
    std_c: Line | None = None
    """The same of its C."""
    defines: tuple[Argument, ...] = ()
    """``NAME`` or ``NAME=VALUE``."""
    include: tuple[RelativePath, ...] = ()
    """Folders that are looked in before all others."""
    only: tuple[RelativePath, ...] = ()
    """Folders and files that units are taken from; none: all."""
    without: tuple[RelativePath, ...] = ()
    """Folders and files that no unit is taken from, beside those that are left out of every package."""
    headers: dict[RelativePath, str] = Field(default={}, max_length=20)
    """Headers that its build would make: path → content."""
    values: dict[Line, str] = Field(default={}, max_length=20)
    """What variables of its templates (``@NAME@``) become, and macros that these leave open."""
    gathered: Line | None = None
    """``#include <NAME/x.h>`` finds every header of the tree, whatever its folder."""
    forced: bool = False
    """Whether each unit includes the prelude first: of packages that put ``HAVE_…`` on the command line."""
    most: Annotated[int, Field(gt=0, le=1000)] = 40
    """Units that are taken at most."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        self.source("any")
        return self

    def source(self, name: str) -> Source:
        """What is fetched and checked, as of a suite's program."""
        return Source(
            origin=Origin.DEBIAN,
            licence=self.licence,
            package=name if name != "any" else self.tarball.partition("_")[0],
            version=self.version,
            tarball=self.tarball,
            sha256=self.sha256,
        )


class Recipe(Model):
    """All of them."""

    packages: dict[PackageName, Package]
    """Name of the source package → package."""

    def digest(self, name: str) -> str:
        """What the units of a package depend on, beside the toolchain and the prelude."""
        what = self.packages[name].model_dump(mode="json", exclude={"about", "licence", "split"})
        return digest_of(["package", name, what])


@lru_cache(maxsize=8)
def read_recipe(path: Path = RECIPE) -> Recipe:
    """Read a recipe. Raises UsageError, naming the field, for what is none."""
    try:
        return Recipe.model_validate(read_toml(path, _LARGEST))
    except ValidationError as error:
        raise explain_validation(error, str(path)) from None


def chosen(recipe: Recipe, names: list[str], only: int | None) -> list[str]:
    """The packages of these names, or the first so many, or all, in the recipe's order. Raises UsageError."""
    for name in names:
        if name not in recipe.packages:
            close = closest(name, recipe.packages)
            raise UsageError(
                f"the corpus has no package {name!r}",
                hint=f"did you mean {close!r}?" if close else "harness corpus show",
            )
    kept = [name for name in recipe.packages if not names or name in names]
    return kept[:only] if only is not None else kept
