"""The text of a pipeline as a tree, read as ``opt -passes=`` reads it, and stricter where opt is lenient.

opt splits at ``,``, ``(`` and ``)`` alone, so that ``a<b,c>`` is two passes to it. Here that is an error: whatever this
module accepts, opt reads as the same tree. No recursion: a text may nest deeper than a stack is high.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["DEEPEST", "Element", "PipelineError", "elements", "parse_pipeline"]

DEEPEST = 64
"""Levels of brackets. LLVM's own pipelines have five; its parser calls itself for each."""

_ELEMENT = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_.-]*)(?:<(?P<parameters>[^<>(),]*)>)?", re.ASCII)


class PipelineError(ValueError):
    """The text is no pipeline; the message says why."""


@dataclass(frozen=True, slots=True)
class Element:
    """A pass, or an adaptor with the passes in its brackets."""

    name: str
    parameters: str | None = None
    """What stands between ``<`` and ``>``; None where there are no such brackets."""
    inner: "tuple[Element, ...] | None" = None
    """The passes in round brackets; None where there are none."""

    def __str__(self) -> str:
        """As one writes it, without what stands in its round brackets."""
        return self.name if self.parameters is None else f"{self.name}<{self.parameters}>"


@dataclass(slots=True)
class _Open:
    """An adaptor whose bracket is still open."""

    name: str = ""
    parameters: str | None = None
    inner: list[Element] = field(default_factory=list)


def parse_pipeline(text: str) -> tuple[Element, ...]:
    """The passes of a pipeline's text. Raises PipelineError for whatever is not one, blanks included."""
    stack = [_Open()]
    position = 0
    while True:
        match = _ELEMENT.match(text, position)
        if match is None:
            raise PipelineError(f"a pass is missing or misspelt at {_shown(text, position)}")
        name, parameters, position = match["name"], match["parameters"], match.end()
        if text.startswith("(", position):
            if len(stack) > DEEPEST:
                raise PipelineError(f"brackets are nested more than {DEEPEST} deep")
            stack.append(_Open(name, parameters))
            position += 1
            continue
        stack[-1].inner.append(Element(name, parameters))
        while text.startswith(")", position):
            if len(stack) == 1:
                raise PipelineError(f"')' closes nothing at {_shown(text, position)}")
            closed = stack.pop()
            stack[-1].inner.append(Element(closed.name, closed.parameters, tuple(closed.inner)))
            position += 1
        if position == len(text):
            break
        if text[position] != ",":
            raise PipelineError(f"a comma is missing at {_shown(text, position)}")
        position += 1
    if len(stack) > 1:
        raise PipelineError("'(' is never closed")
    return tuple(stack[0].inner)


def elements(pipeline: tuple[Element, ...]) -> Iterator[Element]:
    """Every element of the tree, in the order of the text."""
    waiting = list(reversed(pipeline))
    while waiting:
        element = waiting.pop()
        yield element
        waiting += reversed(element.inner or ())


def _shown(text: str, position: int) -> str:
    return repr(text[position : position + 30]) if position < len(text) else "the end"
