"""Answers that are given once for all cells that ask, errors included."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

from harness.base.errors import CellError

__all__ = ["remembered"]

Words = ParamSpec("Words")
Value = TypeVar("Value")


def remembered(most: int) -> Callable[[Callable[Words, Value]], Callable[Words, Value]]:
    """As ``functools.lru_cache``, but a CellError is remembered too: it is raised anew each time."""

    def wrap(function: Callable[Words, Value]) -> Callable[Words, Value]:
        @lru_cache(maxsize=most)
        def answer(*words: Words.args, **named: Words.kwargs) -> Value | CellError:
            try:
                return function(*words, **named)
            except CellError as error:
                return error

        @wraps(function)
        def ask(*words: Words.args, **named: Words.kwargs) -> Value:
            found = answer(*words, **named)  # type: ignore[arg-type]
            if isinstance(found, CellError):
                raise CellError(found.outcome, found.message, found.transient)
            return found

        return ask

    return wrap
