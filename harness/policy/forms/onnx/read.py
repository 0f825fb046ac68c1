"""A file to nodes of our own: what an ONNX model says, without anything but numbers and operators.

Names, comments and metadata of the model end here, and so does everything that is not allowed whatever its shape.
"""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import AttributeProto, NodeProto, ValueInfoProto, helper

from harness.policy.forms.interface import Interface
from harness.policy.forms.onnx.constants import Constants
from harness.policy.forms.onnx.names import Names
from harness.policy.forms.onnx.operators import FIRST_OPSET, LAST_OPSET, OPERATORS
from harness.policy.forms.onnx.refused import Refused, shown
from harness.policy.forms.onnx.tensors import ELEMENT_NAMES, declared

__all__ = ["DECIDES", "MOST_NODES", "Draft", "Input", "draft_of"]

WHOLE = "features"
"""The name of an input that takes ``Interface.joined`` features at once, in their order, where each is one int64."""
AFTER = "_next"
"""How the output that gives a state its next values is called: the state's name, and this."""
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
    """Which features it takes: one, or all; none: it is a part of the state."""
    element: str
    shape: tuple[int, ...]
    after: str = ""
    """Our name for the output that gives a part of the state its next values."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A model under our names, its shapes not yet known."""

    opset: int
    inputs: tuple[Input, ...]
    nodes: tuple[NodeProto, ...]
    """In an order in which each comes after those that it reads; the last give ``DECIDES`` and the next state."""
    constants: Constants
    names: Names
    output: str
    """The model's name for what decides."""


def draft_of(content: bytes, interface: Interface) -> Draft:
    """What the file ``content`` says. Raises Refused."""
    model = _parsed(content)
    graph, names, constants = model.graph, Names(), Constants()
    opset = _opset(model)
    if len(graph.node) > MOST_NODES:
        raise Refused(f"it has {len(graph.node)} nodes, {MOST_NODES} are allowed")
    for initializer in graph.initializer:
        constants.read(names.ours(initializer.name), initializer, f"initializer {shown(initializer.name)}")
    inputs = _inputs(graph.input, interface, names, constants)
    nodes = [_node(index, node, names, constants) for index, node in enumerate(graph.node)]
    afters = {f"{part.name}{AFTER}": f"next{number}" for number, part in enumerate(interface.state)}
    given = [value.name for value in graph.output]
    output = _output([name for name in given if name not in afters], interface.decision.name)
    ends = {output: DECIDES, **{theirs: ours for theirs, ours in afters.items() if ours in {i.after for i in inputs}}}
    for theirs, ours in ends.items():
        if theirs not in given:
            raise Refused(f"it takes {theirs.removesuffix(AFTER)!r} and has no output {theirs!r} for the next decision")
        last = names.new_node(f"output {shown(theirs)}")
        nodes.append(helper.make_node("Identity", [names.ours(theirs)], [ours], name=last))
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
    values: Iterable[ValueInfoProto], interface: Interface, names: Names, constants: Constants
) -> tuple[Input, ...]:
    inputs: dict[str, Input] = {}
    known = {*interface.names, *(part.name for part in interface.state), WHOLE}
    for value in values:
        constant = names.ours(value.name) in constants
        if constant and value.name not in known:
            continue  # old models list their weights among the inputs
        where = f"input {shown(value.name)}"
        if constant:
            raise Refused(f"{where}: an initializer has this name too; remove it, the harness gives the feature")
        if value.name in inputs:
            raise Refused(f"{where}: there are two of this name")
        inputs[value.name] = _input(value, names.ours(value.name), where, interface)
    if not inputs:
        whole = f", or one of all {interface.joined} numbers {WHOLE!r}" if interface.is_plain else ""
        raise Refused(f"it has no inputs; name each after a feature{whole}")
    if WHOLE in inputs and len(inputs) > 1:
        raise Refused(f"input {WHOLE!r} takes all features; there can be no other input beside it")
    return tuple(inputs.values())


def _input(value: ValueInfoProto, ours: str, where: str, interface: Interface) -> Input:
    states = {part.name: (number, part) for number, part in enumerate(interface.state)}
    whole = value.name == WHOLE and WHOLE not in interface.names and interface.is_plain
    element, shape = declared(value.type, where) if whole or value.name in (*interface.names, *states) else ("", ())
    dims = tuple(1 if size is None else size for size in shape)
    if whole:
        _check_shape(shape, (interface.joined,), where)
        taken = tuple(range(interface.joined))
    elif value.name in interface.names:
        feature = interface.feature(value.name)
        _check_shape(shape, feature.shape, where)
        if not feature.element.is_integer and element not in ("float", "double"):
            raise Refused(
                f"{where}: its elements are {element}, those of the feature {feature.element}; Cast it inside"
            )
        taken = (interface.names.index(value.name),)
    elif value.name in states:
        number, part = states[value.name]
        _check_shape(shape, part.shape, where)
        if element != ELEMENT_NAMES[part.element]:
            raise Refused(f"{where}: its elements are {element}, those of the state {ELEMENT_NAMES[part.element]}")
        return Input(ours, (), element, dims, f"next{number}")
    else:
        choices = [*interface.names, *states, *([WHOLE] * interface.is_plain)]
        close = difflib.get_close_matches(value.name, choices, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"the features are {', '.join(interface.names)}"
        raise Refused(f"{where}: there is no such feature; {hint}")
    if element == "bool":
        raise Refused(f"{where}: its elements are bool; int64, int32, float and double are allowed")
    return Input(ours, taken, element, dims)


def _check_shape(shape: tuple[int | None, ...], wanted: tuple[int, ...], where: str) -> None:
    """Raise Refused unless it is the shape that is wanted, perhaps with a batch dimension of 1 before it."""
    dims = tuple(1 if size is None else size for size in shape)
    allowed = [wanted, (1, *wanted), *([] if wanted else [(1, 1)])]
    if dims not in allowed:
        listed = [str(list(one)) for one in allowed]
        text = ", ".join("?" if size is None else str(size) for size in shape)
        either = f"{', '.join(listed[:-1])} or {listed[-1]}"
        raise Refused(f"{where}: its shape is [{text}]; {either} are allowed (a free batch dimension counts as 1)")


def _output(names: Sequence[str], decision: str) -> str:
    if len(names) == 1:
        return names[0]
    if names.count(decision) == 1:
        return decision
    listed = ", ".join(map(shown, names[:5])) or "none"
    raise Refused(f"it has {len(names)} outputs ({listed}); leave one, or name the one that decides {decision!r}")


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
        if not isinstance(attribute.name, str):  # protobuf gives bytes where it is no UTF-8
            raise Refused(f"{where}: its attribute {shown(attribute.name)} has a name that is no text")
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
