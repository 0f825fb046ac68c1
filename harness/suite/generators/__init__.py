"""Seeded generators of input files: text, audio, images, graphs and the like.

The same name, seed and parameters give the same bytes on every machine, for ever: a generator that
must change gets a new name. So generators use ``Random.random`` and ``Random.getrandbits`` alone
(the two that Python promises to keep), integer arithmetic, and of floating point only ``+ - * /``
and ``sqrt``, which IEEE 754 fixes; never ``sin`` or ``exp``, which differ between C libraries.
"""

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from random import Random

from harness.base.errors import UsageError

__all__ = ["Described", "check_parameters", "described", "generate", "generator", "is_seeded", "names"]

Generator = Callable[..., bytes]


@dataclass(frozen=True, slots=True)
class Described:
    """What a generator says of itself."""

    name: str
    text: str
    """What it makes, and in which format: its first sentence says the most."""
    parameters: dict[str, int | str | bool]
    """Name → default, which has the parameter's type."""
    seeded: bool
    """Whether another seed gives other bytes."""


_REGISTRY: dict[str, Generator] = {}
_UNSEEDED: set[str] = set()


def generator(name: str, *, seeded: bool = True) -> Callable[[Generator], Generator]:
    """Register a function ``(random: Random, *, keyword=default…) -> bytes`` under ``name``.

    ``seeded`` is False for a generator whose bytes do not depend on the seed.
    """

    def register(function: Generator) -> Generator:
        if name in _REGISTRY:
            raise ValueError(f"two generators are called {name!r}")
        _REGISTRY[name] = function
        if not seeded:
            _UNSEEDED.add(name)
        return function

    return register


@cache
def _load() -> None:
    for module in iter_modules(__path__):
        if not module.name.startswith("_") and module.name != "apart":
            import_module(f"{__name__}.{module.name}")


def names() -> list[str]:
    """The generators' names, sorted."""
    _load()
    return sorted(_REGISTRY)


def is_seeded(name: str) -> bool:
    """Whether another seed gives other bytes; False for a name that is unknown, too."""
    _load()
    return name in _REGISTRY and name not in _UNSEEDED


def generate(name: str, seed: int, params: dict[str, int | str | bool]) -> bytes:
    """The bytes that generator ``name`` makes from ``seed`` and ``params``.

    Raises UsageError when there is no such generator or it does not take these parameters.
    """
    return check_parameters(name, params)(Random(seed), **params)


def described(name: str) -> Described:
    """What the generator of this name says of itself. Raises UsageError where there is none."""
    function = check_parameters(name, {})
    _, *parameters = inspect.signature(function).parameters.values()
    text = inspect.cleandoc(function.__doc__ or "")
    return Described(name, text, {one.name: one.default for one in parameters}, is_seeded(name))


def check_parameters(name: str, params: dict[str, int | str | bool]) -> Generator:
    """The generator of this name.

    Raises UsageError when there is none, or it does not take these parameters or values of their types.
    """
    _load()
    if name not in _REGISTRY:
        close = difflib.get_close_matches(name, names(), n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise UsageError(f"unknown input generator {name!r}", hint=f"{hint}there are: {', '.join(names())}")
    function = _REGISTRY[name]
    signature = inspect.signature(function)
    try:
        signature.bind(Random(), **params)
    except TypeError as error:
        raise UsageError(f"generator {name!r}: {error}") from None
    for key, value in params.items():
        kind = type(signature.parameters[key].default)
        if type(value) is not kind:
            raise UsageError(f"generator {name!r}: {key} = {value!r}: must be of type {kind.__name__}")
    return function
