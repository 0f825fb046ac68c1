"""What is known by being in its folder: modules that are found, and named by nothing else in the code."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

__all__ = ["PROBLEMS", "in_every_folder", "modules_in"]

PROBLEMS = "harness.problems"
"""The package with a folder for each problem."""


def modules_in(package: str) -> Iterator[ModuleType]:
    """Every module of a package, imported, by name."""
    for found in pkgutil.iter_modules(import_module(package).__path__):
        yield import_module(f"{package}.{found.name}")


def in_every_folder(package: str, module: str) -> Iterator[ModuleType]:
    """The module of this name of every folder in a package that has one, imported, by the folder's name."""
    for folder in pkgutil.iter_modules(import_module(package).__path__):
        name = f"{package}.{folder.name}.{module}"
        if folder.ispkg and find_spec(name) is not None:
            yield import_module(name)
