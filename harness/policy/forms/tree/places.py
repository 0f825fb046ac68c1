"""What of an interface's features a tree can ask for: single numbers, by name and position.

A number is called as its feature, and an element of a tensor ``table[3][2]``. Where the decision is an index under a
mask, a tree is asked of each candidate in turn: a feature whose first dimension is the mask's loses it, so that
``table[2]`` is column 2 of the candidate's own row.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cache

from harness.policy.forms.interface import WORD, Element, Index, Interface, Tensor

__all__ = ["Place", "places_of"]


@dataclass(frozen=True, slots=True)
class Place:
    """One number of a question."""

    feature: int
    """The position of its feature."""
    element: Element
    at: int
    """Its first byte; of the first candidate, where there are candidates."""
    stride: int
    """Bytes from a candidate to the next; 0: it is the same for all."""


@cache
def places_of(interface: Interface) -> dict[str, Place]:
    """Name → number, in the features' order."""
    found: dict[str, Place] = {}
    for position, feature in enumerate(interface.features):
        start = interface.places[feature.name] * WORD
        shape, stride = _shape(feature, interface)
        for number, indices in enumerate(itertools.product(*map(range, shape))):
            name = feature.name + "".join(f"[{index}]" for index in indices)
            found[name] = Place(position, feature.element, start + number * feature.element.size, stride)
    return found


def _shape(feature: Tensor, interface: Interface) -> tuple[tuple[int, ...], int]:
    """What is left to choose from, and the stride."""
    if isinstance(interface.decision, Index) and feature.shape[:1] == interface.feature(interface.decision.mask).shape:
        return feature.shape[1:], math.prod(feature.shape[1:]) * feature.element.size
    return feature.shape, 0
