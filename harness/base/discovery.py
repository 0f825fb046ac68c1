"""What is known by being in its folder, or by an entry point of another package: named by nothing else in the code.

A package outside the repository brings a problem, a metric or a suite by an entry point of the group
``harness.problems``, ``harness.metrics`` or ``harness.suites``. Its code is not submitted code: it runs in the harness,
without a sandbox, and runs that it was there for are marked with its name and version.
"""

import pkgutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from harness.base.errors import PrerequisiteError

__all__ = [
    *("METRICS", "PROBLEMS", "brought", "in_every_folder", "modules_brought", "modules_in", "packages_there"),
    "suite_folders",
]

PROBLEMS = "harness.problems"
"""The package with a folder for each problem; and the group of the entry points that bring others."""
METRICS = "harness.metrics"
SUITES = "harness.suites"


@dataclass(frozen=True, slots=True)
class Brought:
    """What one entry point of another package names."""

    name: str
    module: str
    package: str
    """The distribution and its version: ``colouring 1.0``."""

    @property
    def folder(self) -> Path:
        """Where the package lies. Nothing of it is imported. Raises PrerequisiteError where it is not there."""
        found = find_spec(self.module) if "." not in self.module else None
        if found is None or found.origin is None:
            raise PrerequisiteError(f"{self.package} has no package {self.module!r}", where=self.name)
        return Path(found.origin).parent


@cache
def brought(group: str) -> tuple[Brought, ...]:
    """Everything that other packages bring of a sort, by name. Nothing of it is imported.

    Raises PrerequisiteError where two bring the same.
    """
    if not _anything_brought():
        return ()
    from importlib.metadata import entry_points

    found: dict[str, Brought] = {}
    for point in sorted(entry_points(group=group), key=lambda one: one.name):
        package = f"{point.dist.name} {point.dist.version}" if point.dist else point.module
        one = Brought(point.name, point.module, package)
        if (other := found.setdefault(point.name, one)) != one:
            raise PrerequisiteError(
                f"{one.package} and {other.package} both bring {one.name!r}", where=group, hint="remove one of them"
            )
    return tuple(found.values())


@cache
def _anything_brought() -> bool:
    """Whether a package that is installed here has an entry point for us: the library that says which takes longer to
    be imported than help may take."""
    for folder in sys.path:
        for file in Path(folder or ".").glob("*.dist-info/entry_points.txt"):
            with suppress(OSError):
                if b"[harness." in file.read_bytes():
                    return True
    return False


def packages_there() -> tuple[str, ...]:
    """Names and versions of all packages that bring anything, sorted."""
    return tuple(sorted({one.package for group in (PROBLEMS, METRICS, SUITES) for one in brought(group)}))


def modules_in(package: str) -> Iterator[ModuleType]:
    """Every module of a package, imported, by name."""
    for found in pkgutil.iter_modules(import_module(package).__path__):
        yield import_module(f"{package}.{found.name}")


def modules_brought(group: str) -> Iterator[ModuleType]:
    """Every module that entry points of the group name, imported. Raises PrerequisiteError where that fails."""
    for one in brought(group):
        yield _imported(one, one.module)


def in_every_folder(package: str, module: str) -> Iterator[ModuleType]:
    """The module of this name of every folder in a package that has one, imported, by the folder's name; then those of
    the packages that others bring for it.

    Raises PrerequisiteError for a package of others that cannot be imported.
    """
    own = set()
    for folder in pkgutil.iter_modules(import_module(package).__path__):
        name = f"{package}.{folder.name}.{module}"
        own.add(folder.name)
        if folder.ispkg and find_spec(name) is not None:
            yield import_module(name)
    for one in brought(package):
        if one.name in own or one.module.rpartition(".")[2] != one.name:
            raise PrerequisiteError(
                f"{one.package} brings {one.name!r} as {one.module!r}",
                where=package,
                hint="the package must be called as what it brings, and as nothing that the harness has",
            )
        _imported(one, one.module)
        if find_spec(f"{one.module}.{module}") is not None:
            yield _imported(one, f"{one.module}.{module}")


def suite_folders() -> Iterator[tuple[str, Path]]:
    """Name and folder of every suite that another package brings."""
    for one in brought(SUITES):
        yield one.name, Path(str(_imported(one, one.module).__file__)).parent


def _imported(one: Brought, module: str) -> ModuleType:
    """Raises PrerequisiteError, naming the package, for whatever goes wrong in it."""
    try:
        return import_module(module)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise PrerequisiteError(
            f"{one.package}, which brings {one.name!r}, cannot be imported: {why}",
            where=module,
            hint="repair or remove that package",
        ) from error
