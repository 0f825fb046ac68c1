"""A file to nodes of our own: what an ONNX model says, without anything but numbers and operators.

Names, comments and metadata of the model end here, and so does everything that is not allowed whatever its shape.
"""

import difflib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import AttributeProto, NodeProto, ValueInfoProto, helper

from harness.policy.forms.onnx.constants import Constants
from harness.policy.forms.onnx.names import Names
from harness.policy.forms.onnx.operators import FIRST_OPSET, LAST_OPSET, OPERATORS
from harness.policy.forms.onnx.refused import Refused, shown
from harness.policy.forms.onnx.tensors import declared

__all__ = ["DECIDES", "MOST_NODES", "Draft", "Input", "draft_of"]

WHOLE = "features"
"""The name of an input that takes all features at once, in LLVM's order."""
DECISION = "inlining_decision"
"""The output that is used when there are several, as in models trained for LLVM itself."""
DECIDES = "decision"
"""Our name for the tensor that decides."""
MOST_NODES = 2000

_NUMBERS = {AttributeProto.INT, AttributeProto.INTS, AttributeProto.FLOAT, AttributeProto.FLOATS}
_DOMAINS = ("", "ai.onnx")


@dataclass(frozen=True, slots=True)
class Input:
    """One input of the network."""

    name: str
    features: tuple[int, ...]
    """Which features it takes: one, or all."""
    element: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A model under our names, its shapes not yet known."""

    opset: int
    inputs: tuple[Input, ...]
    nodes: tuple[NodeProto, ...]
    """In an order in which each comes after those that it reads; the last gives ``DECIDES``."""
    constants: Constants
    names: Names
    output: str
    """The model's name for what decides."""


def draft_of(content: bytes, features: Sequence[str]) -> Draft:
    """What the file ``content`` says. Raises Refused."""
    model = _parsed(content)
    graph, names, constants = model.graph, Names(), Constants()
    opset = _opset(model)
    if len(graph.node) > MOST_NODES:
        raise Refused(f"it has {len(graph.node)} nodes, {MOST_NODES} are allowed")
    for initializer in graph.initializer:
        constants.read(names.ours(initializer.name), initializer, f"initializer {shown(initializer.name)}")
    inputs = _inputs(graph.input, features, names, constants)
    nodes = [_node(index, node, names, constants) for index, node in enumerate(graph.node)]
    output = _output([value.name for value in graph.output])
    last = names.new_node(f"output {shown(output)}")
    nodes.append(helper.make_node("Identity", [names.ours(output)], [DECIDES], name=last))
    nodes = [node for node in nodes if node.op_type != "Constant"]
    _check_order(nodes, inputs, names, constants)
    return Draft(opset, inputs, tuple(nodes), constants, names, output)


def _parsed(content: bytes) -> onnx.ModelProto:
    try:
        model = onnx.load_model_from_string(content)
    except Exception as error:
        raise Refused("this is no ONNX model: it cannot be parsed; write it with onnx.save") from error
    if not model.graph.node:
        raise Refused("this is no ONNX model, or its graph has no nodes")
    if model.functions:
        raise Refused(f"it has a function ({shown(model.functions[0].name)}); export it inlined (onnx.inliner)")
    if model.training_info:
        raise Refused("it has training information; export it for inference")
    if model.graph.sparse_initializer:
        raise Refused("it has sparse constants; store them as ordinary initializers")
    return model


def _opset(model: onnx.ModelProto) -> int:
    versions = [entry.version for entry in model.opset_import if entry.domain in _DOMAINS]
    if len(versions) != 1 or not FIRST_OPSET <= versions[0] <= LAST_OPSET:
        found = ", ".join(map(str, versions)) or "none"
        raise Refused(f"its operator set is {found}; {FIRST_OPSET} to {LAST_OPSET} are allowed: export it with one")
    return int(versions[0])


def _inputs(
    values: Iterable[ValueInfoProto], features: Sequence[str], names: Names, constants: Constants
) -> tuple[Input, ...]:
    inputs: dict[str, Input] = {}
    for value in values:
        constant = names.ours(value.name) in constants
        if constant and value.name not in features and value.name != WHOLE:
            continue  # old models list their weights among the inputs
        where = f"input {shown(value.name)}"
        if constant:
            raise Refused(f"{where}: an initializer has this name too; remove it, the harness gives the feature")
        if value.name in inputs:
            raise Refused(f"{where}: there are two of this name")
        inputs[value.name] = _input(value, names.ours(value.name), where, features)
    if not inputs:
        raise Refused(f"it has no inputs; name each after a feature, or one of all 38 numbers {WHOLE!r}")
    if WHOLE in inputs and len(inputs) > 1:
        raise Refused(f"input {WHOLE!r} takes all features; there can be no other input beside it")
    return tuple(inputs.values())


def _input(value: ValueInfoProto, ours: str, where: str, features: Sequence[str]) -> Input:
    if value.name != WHOLE and value.name not in features:
        close = difflib.get_close_matches(value.name, [*features, WHOLE], n=1)
        hint = f"; did you mean {close[0]!r}?" if close else f"; the features are {', '.join(features)}"
        raise Refused(f"{where}: there is no such feature{hint}")
    wide = len(features) if value.name == WHOLE else 1
    element, shape = declared(value.type, where)
    if element == "bool":
        raise Refused(f"{where}: its elements are bool; int64, int32, float and double are allowed")
    dims = tuple(1 if size is None else size for size in shape)
    if len(dims) > 2 or math.prod(dims) != wide or (dims and dims[-1] != wide):
        allowed = f"[{wide}] or [1, {wide}]" if wide > 1 else "[], [1] or [1, 1]"
        text = ", ".join("?" if size is None else str(size) for size in shape)
        raise Refused(f"{where}: its shape is [{text}]; {allowed} are allowed (a free batch dimension counts as 1)")
    taken = tuple(range(wide)) if value.name == WHOLE else (features.index(value.name),)
    return Input(ours, taken, element, dims)


def _output(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    if names.count(DECISION) == 1:
        return DECISION
    listed = ", ".join(map(shown, names[:5])) or "none"
    raise Refused(f"it has {len(names)} outputs ({listed}); leave one, or name the one that decides {DECISION!r}")


def _node(index: int, node: NodeProto, names: Names, constants: Constants) -> NodeProto:
    where = f"node {shown(node.name) if node.name else index} ({shown(node.op_type)})"
    if node.domain not in _DOMAINS:
        raise Refused(f"{where}: its domain is {shown(node.domain)}; only ONNX's own operators are allowed")
    if any(attribute.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for attribute in node.attribute):
        raise Refused(f"{where}: it has a subgraph; write it without If, Loop and Scan (Where chooses)")
    if node.op_type not in OPERATORS:
        close = difflib.get_close_matches(node.op_type, OPERATORS, n=1)
        hint = f"did you mean {close[0]}?" if close else f"allowed are {' '.join(sorted(OPERATORS))}"
        raise Refused(f"{where}: this operator is not allowed; {hint}")
    if len(node.output) != 1 or not node.output[0]:
        raise Refused(f"{where}: it has {len(node.output)} outputs, not one")
    built = NodeProto(op_type=node.op_type, name=names.new_node(where))
    built.input.extend(names.ours(name) for name in node.input)
    built.output.append(names.ours(node.output[0]))
    if node.op_type == "Constant":
        _constant_node(node, where, built.output[0], constants)
        return built
    for attribute in node.attribute:
        if attribute.type not in _NUMBERS or attribute.ref_attr_name:
            kind = AttributeProto.AttributeType.Name(attribute.type)
            raise Refused(f"{where}: its attribute {shown(attribute.name)} is of type {kind}; only numbers are")
        if not np.isfinite([attribute.f, *attribute.floats]).all():
            raise Refused(f"{where}: its attribute {shown(attribute.name)} is not finite")
        value = helper.get_attribute_value(attribute)
        built.attribute.append(helper.make_attribute(attribute.name, value, attr_type=attribute.type))
    return built


def _constant_node(node: NodeProto, where: str, ours: str, constants: Constants) -> None:
    if len(node.attribute) != 1 or node.attribute[0].ref_attr_name:
        raise Refused(f"{where}: it must have one attribute, its value")
    attribute = node.attribute[0]
    numbers = {
        "value_float": (np.float32, attribute.f),
        "value_floats": (np.float32, list(attribute.floats)),
        "value_int": (np.int64, attribute.i),
        "value_ints": (np.int64, list(attribute.ints)),
    }
    if ours in constants:
        raise Refused(f"{where}: its output {shown(node.output[0])} has two sources")
    if attribute.name == "value":
        constants.read(ours, attribute.t, where)
    elif attribute.name in numbers:
        kind, value = numbers[attribute.name]
        array = np.array(value, kind)
        constants.count(array.size, where)
        constants.add(ours, array, "float" if kind is np.float32 else "int64", where)
    else:
        raise Refused(f"{where}: {shown(attribute.name)} is not allowed; give numbers as 'value'")


def _check_order(nodes: Sequence[NodeProto], inputs: Sequence[Input], names: Names, constants: Constants) -> None:
    """Every tensor has one source, before those that read it."""
    given = {"", *(entry.name for entry in inputs)}
    for node in nodes:
        for name in node.input:
            if name not in given and name not in constants:
                raise Refused(f"{names.label(node)}: nothing before it gives its input {names.tensor(name)}")
        if node.output[0] in given or node.output[0] in constants:
            raise Refused(f"{names.label(node)}: its output {names.tensor(node.output[0])} has two sources")
        given.add(node.output[0])
