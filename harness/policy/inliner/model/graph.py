"""Reading a model, refusing what is not allowed, and building it anew from nothing but numbers.

The generator writes names, comments and metadata as they are into C. So none of them is taken over: operators,
attributes that are numbers, and tensors are, under names of our own. Runs in the sandbox.
"""

import difflib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import AttributeProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, helper, numpy_helper

from harness.policy.inliner.model.operators import ELEMENTS, FIRST_OPSET, LAST_OPSET, OPERATORS
from harness.policy.inliner.model.refused import Refused, shown

__all__ = ["MOST_ACTIVATIONS", "MOST_NODES", "MOST_PARAMETERS", "Input", "Network", "read_model"]

WHOLE = "features"
"""The name of an input that takes all features at once, in LLVM's order."""
DECISION = "inlining_decision"
"""The output that is used when there are several, as in models trained for LLVM itself."""

MOST_PARAMETERS = 1 << 20
"""Numbers in all constants: their C has 17 MB, and a decision takes half a millisecond."""
MOST_ACTIVATIONS = 1 << 16
"""Elements of all tensors that are computed: they lie on the compiler's stack."""
MOST_NODES = 2000

_ELEMENT_NAMES: dict[int, str] = {
    TensorProto.FLOAT: "float",
    TensorProto.DOUBLE: "double",
    TensorProto.INT32: "int32",
    TensorProto.INT64: "int64",
    TensorProto.BOOL: "bool",
}
_NUMBERS = {AttributeProto.INT, AttributeProto.INTS, AttributeProto.FLOAT, AttributeProto.FLOATS}
_DOMAINS = ("", "ai.onnx")

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Input:
    """One input of the network that was built."""

    name: str
    features: tuple[int, ...]
    """Which features it takes: one, or all."""
    element: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Network:
    """A model that may be translated: every shape known, every name ours."""

    model: onnx.ModelProto
    inputs: tuple[Input, ...]
    output: Input
    """The tensor that decides; it takes no feature."""
    parameters: int
    """Numbers in its constants."""
    operators: int
    """Nodes that are left."""


@dataclass(frozen=True, slots=True)
class _Tensor:
    element: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def read_model(content: bytes, features: Sequence[str]) -> Network:
    """The network in ``content``, an ONNX file. Raises Refused."""
    return _Reader(_parsed(content), features).network()


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


class _Reader:
    """One model on its way; ``_node`` and ``_tensor`` map our names to the model's for messages."""

    def __init__(self, model: onnx.ModelProto, features: Sequence[str]) -> None:
        self._model = model
        self._features = features
        self._names: dict[str, str] = {}
        self._theirs: dict[str, str] = {}
        self._labels: list[str] = []
        self._constants: dict[str, Array] = {}
        self._numbers = 0
        self._types: dict[str, _Tensor] = {}

    def network(self) -> Network:
        graph = self._model.graph
        opset = self._opset()
        if len(graph.node) > MOST_NODES:
            raise Refused(f"it has {len(graph.node)} nodes, {MOST_NODES} are allowed")
        for initializer in graph.initializer:
            self._constant(initializer, f"initializer {shown(initializer.name)}", self._ours(initializer.name))
        inputs = self._inputs(graph.input)
        nodes = [self._node(index, node) for index, node in enumerate(graph.node)]
        output = self._output_name([value.name for value in graph.output])
        nodes.append(helper.make_node("Identity", [self._ours(output)], ["decision"], name=f"node{len(nodes)}"))
        self._labels.append(f"output {shown(output)}")
        nodes = [node for node in nodes if node.op_type != "Constant"]
        self._check_order(nodes, inputs)
        nodes = _needed(nodes, "decision")
        nodes = self._folded(nodes, inputs, opset)
        for node in nodes:
            self._check(node)
        self._check_sizes(nodes)
        nodes = [self._without_transposed_weights(node) for node in nodes]
        result = self._types["decision"]
        decision = Input("decision", (), result.element, result.shape)
        self._check_output(decision, shown(output))
        for node in nodes:
            node.ClearField("name")
        model = self._built(nodes, inputs, opset, [_value("decision", result)])
        kept = sum(int(self._constants[name].size) for name in _read(nodes) if name in self._constants)
        return Network(model, inputs, decision, kept, len(nodes))

    # What the file says of itself.

    def _opset(self) -> int:
        versions = [entry.version for entry in self._model.opset_import if entry.domain in _DOMAINS]
        if len(versions) != 1 or not FIRST_OPSET <= versions[0] <= LAST_OPSET:
            found = ", ".join(map(str, versions)) or "none"
            raise Refused(f"its operator set is {found}; {FIRST_OPSET} to {LAST_OPSET} are allowed: export it with one")
        return int(versions[0])

    def _ours(self, theirs: str) -> str:
        """Our name for a tensor of the model's; the empty name stays, it says that an input is left out."""
        if not theirs:
            return ""
        if theirs not in self._names:
            ours = f"t{len(self._names)}"
            self._names[theirs] = ours
            self._theirs[ours] = theirs
        return self._names[theirs]

    def _constant(self, tensor: TensorProto, where: str, ours: str) -> None:
        if tensor.data_location != TensorProto.DEFAULT or tensor.external_data:
            raise Refused(f"{where}: its numbers are in another file; save the model with its data inside")
        element = _element(tensor.data_type, where)
        count = math.prod(tensor.dims)
        self._count(count, where)
        if ours in self._constants:
            raise Refused(f"{where}: there are two of this name")
        try:
            array = numpy_helper.to_array(tensor)
        except Exception as error:
            raise Refused(f"{where}: its numbers do not fit its shape {list(tensor.dims)}") from error
        self._add_constant(ours, array, element, where)

    def _add_constant(self, ours: str, array: Array, element: str, where: str) -> None:
        if not np.isfinite(array).all():
            raise Refused(f"{where}: {_not_finite(array)} among its numbers; only finite ones are allowed")
        if array.size == 0 and array.ndim != 1:
            raise Refused(f"{where}: it is empty (shape {list(array.shape)})")
        self._constants[ours] = array
        self._types[ours] = _Tensor(element, tuple(array.shape))

    def _count(self, more: int, where: str) -> None:
        self._numbers += more
        if more < 0 or self._numbers > MOST_PARAMETERS:
            found = f"{self._numbers:,} numbers, {MOST_PARAMETERS:,} are allowed"
            raise Refused(f"{where}: with it the constants have {found}; use smaller layers")

    # Inputs and outputs.

    def _inputs(self, values: Iterable[ValueInfoProto]) -> tuple[Input, ...]:
        inputs: dict[str, Input] = {}
        for value in values:
            constant = self._ours(value.name) in self._constants
            if constant and value.name not in self._features and value.name != WHOLE:
                continue  # old models list their weights among the inputs
            where = f"input {shown(value.name)}"
            if constant:
                raise Refused(f"{where}: an initializer has this name too; remove it, the harness gives the feature")
            if value.name in inputs:
                raise Refused(f"{where}: there are two of this name")
            inputs[value.name] = self._input(value, where)
        if not inputs:
            raise Refused(f"it has no inputs; name each after a feature, or one of all 38 numbers {WHOLE!r}")
        if WHOLE in inputs and len(inputs) > 1:
            raise Refused(f"input {WHOLE!r} takes all features; there can be no other input beside it")
        return tuple(inputs.values())

    def _input(self, value: ValueInfoProto, where: str) -> Input:
        if value.name != WHOLE and value.name not in self._features:
            close = difflib.get_close_matches(value.name, [*self._features, WHOLE], n=1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; the features are {', '.join(self._features)}"
            raise Refused(f"{where}: there is no such feature{hint}")
        wide = len(self._features) if value.name == WHOLE else 1
        element, shape = _declared(value.type, where)
        if element == "bool":
            raise Refused(f"{where}: its elements are bool; int64, int32, float and double are allowed")
        dims = tuple(1 if size is None else size for size in shape)
        if len(dims) > 2 or math.prod(dims) != wide or (dims and dims[-1] != wide):
            allowed = f"[{wide}] or [1, {wide}]" if wide > 1 else "[], [1] or [1, 1]"
            text = ", ".join("?" if size is None else str(size) for size in shape)
            raise Refused(f"{where}: its shape is [{text}]; {allowed} are allowed (a free batch dimension counts as 1)")
        ours = self._ours(value.name)
        taken = tuple(range(wide)) if value.name == WHOLE else (self._features.index(value.name),)
        self._types[ours] = _Tensor(element, dims)
        return Input(ours, taken, element, dims)

    def _output_name(self, names: Sequence[str]) -> str:
        if len(names) == 1:
            return names[0]
        if names.count(DECISION) == 1:
            return DECISION
        listed = ", ".join(map(shown, names[:5])) or "none"
        raise Refused(f"it has {len(names)} outputs ({listed}); leave one, or name the one that decides {DECISION!r}")

    def _check_output(self, output: Input, name: str) -> None:
        size = math.prod(output.shape)
        if size == 1 or (size == 2 and output.element in ("float", "double")):
            return
        raise Refused(
            f"output {name}: {output.element} of shape {list(output.shape)}; allowed are one number (a logit: inline "
            "above 0; an integer or bool: inline unless 0) or two floats (inline when the second is larger)"
        )

    # Nodes.

    def _node(self, index: int, node: NodeProto) -> NodeProto:
        where = f"node {shown(node.name) if node.name else index} ({shown(node.op_type)})"
        self._labels.append(where)
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
        built = NodeProto(op_type=node.op_type, name=f"node{index}")
        built.input.extend(self._ours(name) for name in node.input)
        built.output.append(self._ours(node.output[0]))
        if node.op_type == "Constant":
            self._constant_node(node, where, built.output[0])
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

    def _constant_node(self, node: NodeProto, where: str, ours: str) -> None:
        if len(node.attribute) != 1 or node.attribute[0].ref_attr_name:
            raise Refused(f"{where}: it must have one attribute, its value")
        attribute = node.attribute[0]
        numbers = {
            "value_float": (np.float32, attribute.f),
            "value_floats": (np.float32, list(attribute.floats)),
            "value_int": (np.int64, attribute.i),
            "value_ints": (np.int64, list(attribute.ints)),
        }
        if ours in self._constants:
            raise Refused(f"{where}: its output {shown(node.output[0])} has two sources")
        if attribute.name == "value":
            self._constant(attribute.t, where, ours)
        elif attribute.name in numbers:
            kind, value = numbers[attribute.name]
            array = np.array(value, kind)
            self._count(array.size, where)
            self._add_constant(ours, array, "float" if kind is np.float32 else "int64", where)
        else:
            raise Refused(f"{where}: {shown(attribute.name)} is not allowed; give numbers as 'value'")

    def _check_order(self, nodes: list[NodeProto], inputs: tuple[Input, ...]) -> None:
        """Every tensor has one source, before those that read it."""
        known = {"", *self._constants, *(entry.name for entry in inputs)}
        for node in nodes:
            for name in node.input:
                if name not in known:
                    raise Refused(f"{self._label(node)}: nothing before it gives its input {self._tensor(name)}")
            if node.output[0] in known:
                raise Refused(f"{self._label(node)}: its output {self._tensor(node.output[0])} has two sources")
            known.add(node.output[0])

    def _folded(self, nodes: list[NodeProto], inputs: tuple[Input, ...], opset: int) -> list[NodeProto]:
        """The nodes that depend on inputs: what constants alone give is computed here, not at each decision."""
        self._infer(nodes, inputs, opset)
        kept: list[NodeProto] = []
        for node in nodes:
            if node.output[0] == "decision" or not all(name in self._constants for name in node.input if name):
                kept.append(node)
                continue
            where = self._label(node)
            output = node.output[0]
            self._check(node)
            self._count(self._types[output].size, where)
            self._add_constant(output, self._evaluated(node, opset), self._types[output].element, where)
        return kept

    def _evaluated(self, node: NodeProto, opset: int) -> Array:
        from onnx.reference import ReferenceEvaluator

        graph = helper.make_graph([node], "g", [], [onnx.ValueInfoProto(name=node.output[0])])
        graph.initializer.extend(
            numpy_helper.from_array(np.asarray(self._constants[name]), name) for name in set(node.input) if name
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        try:
            with np.errstate(all="ignore"):
                (result,) = ReferenceEvaluator(model).run(None, {})
        except Exception as error:
            raise Refused(f"{self._label(node)}: it cannot be computed from its constants") from error
        return np.asarray(result)

    def _infer(self, nodes: list[NodeProto], inputs: tuple[Input, ...], opset: int) -> None:
        """Learn every tensor's element type and shape. Raises Refused where the model contradicts itself."""
        model = self._built(nodes, inputs, opset, [onnx.ValueInfoProto(name="decision")])
        try:
            inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
            onnx.checker.check_model(inferred)
        except Exception as error:
            raise Refused(f"types and shapes do not fit: {self._translated(str(error))}") from error
        for value in (*inferred.graph.value_info, *inferred.graph.output):
            self._learn(value.name, value.type)
        for node in nodes:
            if node.output[0] not in self._types:
                raise Refused(f"{self._label(node)}: the shape of its output is not known; give it constants")

    def _learn(self, name: str, kind: TypeProto) -> None:
        where = "the output" if name == "decision" else f"tensor {shown(self._theirs.get(name, name))}"
        element, shape = _declared(kind, where)
        if None in shape:
            raise Refused(f"{where}: its shape {list(shape)} is not known; every shape must follow from the constants")
        sizes = tuple(size for size in shape if size is not None)
        if min(sizes, default=1) < 1:
            raise Refused(f"{where}: it is empty (shape {list(sizes)})")
        self._types[name] = _Tensor(element, sizes)

    def _check(self, node: NodeProto) -> None:
        """Raise Refused where the operator gets what it must not get."""
        operator, where = OPERATORS[node.op_type], self._label(node)
        for position, name in enumerate(node.input):
            if not name:
                continue
            if position in operator.constants:
                if name not in self._constants:
                    raise Refused(f"{where}: its input {self._tensor(name)} must be a constant")
                continue
            element = self._types[name].element
            condition = node.op_type == "Where" and position == 0
            if element not in operator.elements and not condition:
                allowed = ", ".join(sorted(operator.elements))
                raise Refused(f"{where}: its input {self._tensor(name)} is {element}; {allowed}; {operator.hint}")
        if node.op_type == "Gather":
            self._check_gather(node, where)
        if node.op_type == "Slice" and len(node.input) > 4 and not (self._constants[node.input[4]] > 0).all():
            raise Refused(f"{where}: its steps must be positive; Gather takes elements in any order")

    def _check_gather(self, node: NodeProto, where: str) -> None:
        """An index beyond the end would read what is none of the model's."""
        shape = self._types[node.input[0]].shape
        axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), 0)
        size = shape[axis]
        indices = self._constants[node.input[1]]
        if not ((indices >= -size) & (indices < size)).all():
            raise Refused(f"{where}: an index is out of range; the axis has {size} elements")

    def _check_sizes(self, nodes: list[NodeProto]) -> None:
        total = 0
        for node in nodes:
            total += self._types[node.output[0]].size
            if total > MOST_ACTIVATIONS:
                raise Refused(
                    f"{self._label(node)}: with it the tensors that are computed have {total:,} elements, "
                    f"{MOST_ACTIVATIONS:,} are allowed; use smaller layers"
                )

    def _without_transposed_weights(self, node: NodeProto) -> NodeProto:
        """Gemm with its constant matrix turned over, so that the generated loops run along its rows."""
        turned = next((attribute for attribute in node.attribute if attribute.name == "transB"), None)
        if node.op_type != "Gemm" or turned is None or not turned.i or node.input[1] not in self._constants:
            return node
        ours = f"{node.input[1]}_turned"
        self._constants[ours] = np.ascontiguousarray(self._constants[node.input[1]].T)
        built = NodeProto(op_type="Gemm", input=[node.input[0], ours, *node.input[2:]], output=node.output)
        built.attribute.extend(attribute for attribute in node.attribute if attribute.name != "transB")
        return built

    def _built(
        self, nodes: list[NodeProto], inputs: tuple[Input, ...], opset: int, outputs: list[ValueInfoProto]
    ) -> onnx.ModelProto:
        used = _read(nodes)
        graph = helper.make_graph(
            nodes,
            "network",
            [_value(entry.name, _Tensor(entry.element, entry.shape)) for entry in inputs],
            outputs,
            [
                numpy_helper.from_array(np.asarray(array), name)
                for name, array in self._constants.items()
                if name in used
            ],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])

    # Messages.

    def _label(self, node: NodeProto) -> str:
        return self._labels[int(node.name.removeprefix("node"))]

    def _tensor(self, ours: str) -> str:
        return shown(self._theirs.get(ours, ours))

    def _translated(self, text: str) -> str:
        """A library's message with the model's names in place of ours."""
        line = " ".join(text.split())[:400]
        line = re.sub(r"\bnode(\d+)\b", lambda match: self._labels[int(match[1])], line)
        return re.sub(r"\bt\d+\b", lambda match: self._tensor(match[0]), line)


def _needed(nodes: list[NodeProto], output: str) -> list[NodeProto]:
    """The nodes that the output depends on. They are in order: each after those that it reads."""
    wanted, kept = {output}, []
    for node in reversed(nodes):
        if node.output[0] in wanted:
            kept.append(node)
            wanted.update(node.input)
    return kept[::-1]


def _read(nodes: Iterable[NodeProto]) -> set[str]:
    return {name for node in nodes for name in node.input}


def _element(data_type: int, where: str) -> str:
    if data_type in _ELEMENT_NAMES:
        return _ELEMENT_NAMES[data_type]
    known = data_type in TensorProto.DataType.values()
    name = TensorProto.DataType.Name(data_type).lower() if known else str(data_type)
    raise Refused(f"{where}: its elements are {name}; {', '.join(sorted(ELEMENTS))} are allowed: convert the model")


def _declared(kind: TypeProto, where: str) -> tuple[str, tuple[int | None, ...]]:
    """Element type and shape of a declaration; None for a dimension that it leaves open."""
    if not kind.HasField("tensor_type"):
        raise Refused(f"{where}: it is no tensor")
    element = _element(kind.tensor_type.elem_type, where)
    if not kind.tensor_type.HasField("shape"):
        raise Refused(f"{where}: it has no shape")
    dims = kind.tensor_type.shape.dim
    return element, tuple(dim.dim_value if dim.HasField("dim_value") else None for dim in dims)


def _value(name: str, tensor: _Tensor) -> ValueInfoProto:
    number = next(number for number, element in _ELEMENT_NAMES.items() if element == tensor.element)
    return helper.make_tensor_value_info(name, number, tensor.shape)


def _not_finite(array: Array) -> str:
    return "NaN is" if np.isnan(array).any() else "infinity is"
