"""The schema of ``tree.json``, and what makes it a tree."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    FailFast,
    Field,
    PlainValidator,
    Tag,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

from harness.policy.forms.interface import Interface
from harness.policy.forms.tree.places import places_of

__all__ = ["LARGEST", "MAX_DEPTH", "MAX_NODES", "MAX_TREES", "STRUCTURE", "Leaf", "Member", "Split", "Tree"]

MAX_FEATURES = 10_000
MAX_TREES = 5_000
MAX_NODES = 200_000
"""Of all trees together."""
MAX_DEPTH = 64
"""Splits on the way to a leaf."""
LARGEST = 1e30
"""Magnitude of any number: no sum of so many overflows, not even in single precision."""
STRUCTURE = "tree_structure"
"""Type of the error whose context has a ``path`` in the file and a ``fault``."""


def _known_feature(name: str, info: ValidationInfo) -> str:
    interface = info.context
    if isinstance(interface, Interface) and name not in places_of(interface):
        element = " (an element of a tensor is NAME[0])" * (not interface.is_plain)
        raise ValueError(f"{interface.subject} has no feature {name!r}{element}; {interface.hint(name)}")
    return name


def _number(value: Any) -> int | float:
    """Itself: an integer keeps all its digits. One message for all that it may be instead, not one a type."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a number")
    if not abs(value) <= LARGEST:  # NaN is not either
        raise ValueError(f"must be a number between {-LARGEST:g} and {LARGEST:g}")
    return value


def _real(value: Any) -> float:
    return float(_number(value))


_Bounded = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]
Exact = Annotated[int | float, PlainValidator(_number, json_schema_input_type=_Bounded)]
Real = Annotated[float, PlainValidator(_real, json_schema_input_type=_Bounded)]
Index = Annotated[int, Field(ge=0)]


class Model(BaseModel):
    """Frozen, strict about keys and types: ``"3"`` and ``true`` are no numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


class Split(Model):
    """A node that asks: it leads to ``below`` where the feature's value is at most the threshold, else to ``above``."""

    feature: Index
    """Position in the file's ``features``."""
    threshold: Exact
    """Compared as exact numbers, never rounded: ``value <= threshold`` leads to ``below``. Any number, also outside
    64 bits."""
    below: Index
    """Position, in this tree's ``nodes``, of the node that follows where ``value <= threshold``."""
    above: Index
    """The same where ``value > threshold``."""


class Leaf(Model):
    """A node that answers."""

    value: Real
    """What this tree adds to the sum."""


def _tag(node: Any) -> str:
    return "leaf" if isinstance(node, Leaf) or (isinstance(node, dict) and "value" in node) else "split"


Node = Annotated[Annotated[Split, Tag("split")] | Annotated[Leaf, Tag("leaf")], Discriminator(_tag)]


class Member(Model):
    """One of the trees. Its first node is the root; each other node is the child of exactly one node before it."""

    nodes: Annotated[tuple[Node, ...], FailFast()] = Field(min_length=1)
    """Splits and leaves; a child stands behind its parent."""


class Tree(Model):
    """A decision tree, or several whose answers are added.

    It gives ``base`` plus the value of each tree's leaf. They are added one after the other, ``base`` first and the
    trees in their order, each sum rounded to nearest in ``precision``. Above zero the sum says yes; where a number is
    asked for it is the number, and of candidates the one with the largest sum is taken.
    """

    # Pydantic's own `schema` is in the way of the name.
    version: Annotated[Literal[1], BeforeValidator(_number)] = Field(alias="schema")
    """Version of this format."""
    features: Annotated[tuple[Annotated[str, AfterValidator(_known_feature)], ...], FailFast()] = Field(
        max_length=MAX_FEATURES
    )
    """Names of the features that splits refer to by position; any of the problem's, in any order, each once."""
    precision: Literal["double", "single"] = "double"
    """IEEE 754 format of the sum. ``single``: base and values are rounded to it first, as XGBoost has them."""
    base: Real = 0.0
    """What the sum starts from."""
    trees: Annotated[tuple[Member, ...], FailFast()] = Field(min_length=1, max_length=MAX_TREES)
    """In the order that they are added in."""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        for path, fault in self._faults():
            raise PydanticCustomError(STRUCTURE, "{path}: {fault}", {"path": path, "fault": fault})
        return self

    def _faults(self) -> Iterator[tuple[str, str]]:
        for index, name in enumerate(self.features):
            if name in self.features[:index]:
                yield f"features[{index}]", f"{name!r} is there already"
        count = sum(len(tree.nodes) for tree in self.trees)
        if count > MAX_NODES:
            yield "trees", f"{count:,} nodes in all, {MAX_NODES:,} are allowed"
        for index, tree in enumerate(self.trees):
            for path, fault in _faults_of(tree.nodes, len(self.features)):
                yield f"trees[{index}].{path}", fault


def _faults_of(nodes: tuple[Split | Leaf, ...], features: int) -> Iterator[tuple[str, str]]:
    """Children behind their parents, and one parent for each: then every node is reached, on one way, and no way is
    endless."""
    depth: dict[int, int] = {0: 0}
    for index, node in enumerate(nodes):
        if index not in depth:
            yield f"nodes[{index}]", "no split leads to this node"
            return
        if isinstance(node, Leaf):
            continue
        if node.feature >= features:
            yield f"nodes[{index}].feature", f"there is no feature {node.feature}: features has {features}"
        if depth[index] == MAX_DEPTH:
            yield f"nodes[{index}]", f"deeper than {MAX_DEPTH} splits"
        for side, child in (("below", node.below), ("above", node.above)):
            if not index < child < len(nodes):
                fault = f"{child} is no node behind this one" + (f", the tree has {len(nodes)}" * (child > index))
                yield f"nodes[{index}].{side}", fault
            if child in depth:
                yield f"nodes[{index}].{side}", f"another split leads to node {child} already"
            depth[child] = depth[index] + 1
