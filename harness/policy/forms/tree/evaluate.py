"""What a tree decides, in Python: the definition that the generated C agrees with bit for bit."""

import struct
from collections.abc import Callable, Mapping

from harness.policy.forms.tree.model import Split, Tree

__all__ = ["decide", "score", "to_single"]

_SINGLE = struct.Struct("f")


def decide(tree: Tree, features: Mapping[str, int | float]) -> bool:
    """Whether the answer is yes, where there are two: whether the sum is above zero."""
    return score(tree, features) > 0


def score(tree: Tree, features: Mapping[str, int | float]) -> float:
    """The sum, of the features that the tree asks for, by name. NaN is at most no threshold."""
    rounded: Callable[[float], float] = to_single if tree.precision == "single" else float
    values = [features[name] for name in tree.features]
    total = rounded(tree.base)
    for member in tree.trees:
        node = member.nodes[0]
        while isinstance(node, Split):
            node = member.nodes[node.below if values[node.feature] <= node.threshold else node.above]
        # Rounding a double's sum of two singles to single is rounding their exact sum: a double has digits enough.
        total = rounded(total + rounded(node.value))
    return total


def to_single(value: float) -> float:
    """The nearest number that IEEE 754 single precision has."""
    return float(_SINGLE.unpack(_SINGLE.pack(value))[0])
