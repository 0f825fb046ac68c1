"""Refusing what is not allowed of a model, and building it anew from nothing but numbers.

The generator writes names, comments and metadata as they are into C. So none of them is taken over: operators,
attributes that are numbers, and tensors are, under names of our own. Runs in the sandbox.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import NodeProto, TypeProto, ValueInfoProto, helper

from harness.policy.forms.interface import Choice, Interface, Number
from harness.policy.forms.onnx.operators import OPERATORS
from harness.policy.forms.onnx.read import DECIDES, Draft, Input, draft_of
from harness.policy.forms.onnx.refused import Refused, shown
from harness.policy.forms.onnx.tensors import Array, Tensor, declared, value_info

__all__ = ["MOST_ACTIVATIONS", "Network", "read_model"]

MOST_ACTIVATIONS = 1 << 16
"""Elements of all tensors that are computed: they lie on the compiler's stack."""


@dataclass(frozen=True, slots=True)
class Network:
    """A model that may be translated: every shape known, every name ours."""

    model: onnx.ModelProto
    inputs: tuple[Input, ...]
    outputs: tuple[Input, ...]
    """The tensor that decides, and the next state; they take no feature."""
    parameters: int
    """Numbers in its constants."""
    operators: int
    """Nodes that are left."""


def read_model(content: bytes, interface: Interface) -> Network:
    """The network in ``content``, an ONNX file. Raises Refused."""
    return _Builder(draft_of(content, interface), interface).network()


class _Builder:
    """One draft on its way to a network, with what is known of its tensors so far."""

    def __init__(self, draft: Draft, interface: Interface) -> None:
        self._draft = draft
        self._interface = interface
        self._ends = (DECIDES, *(entry.after for entry in draft.inputs if entry.after))
        self._names = draft.names
        self._constants = draft.constants
        self._types = {entry.name: Tensor(entry.element, entry.shape) for entry in draft.inputs}
        self._types.update(draft.constants.types)

    def network(self) -> Network:
        nodes = self._folded(_needed(self._draft.nodes, self._ends))
        for node in nodes:
            self._check(node)
        self._check_sizes(nodes)
        nodes = [self._without_transposed_weights(node) for node in nodes]
        outputs = tuple(Input(name, (), self._types[name].element, self._types[name].shape) for name in self._ends)
        _check_output(self._types[DECIDES], shown(self._draft.output), self._interface)
        for entry in self._draft.inputs:
            if entry.after and self._types[entry.after] != self._types[entry.name]:
                found, wanted = self._types[entry.after], self._types[entry.name]
                raise Refused(
                    f"the next values of {self._names.tensor(entry.name)} are {found.element} of shape "
                    f"{list(found.shape)}, it is {wanted.element} of shape {list(wanted.shape)}"
                )
        for node in nodes:
            node.ClearField("name")
        model = self._built(nodes, [value_info(name, self._types[name]) for name in self._ends])
        kept = sum(int(self._constants[name].size) for name in _read(nodes) if name in self._constants)
        return Network(model, self._draft.inputs, outputs, kept, len(nodes))

    def _folded(self, nodes: list[NodeProto]) -> list[NodeProto]:
        """The nodes that depend on inputs: what constants alone give is computed here, not at each decision."""
        self._infer(nodes)
        kept: list[NodeProto] = []
        for node in nodes:
            if node.output[0] in self._ends or not all(name in self._constants for name in node.input if name):
                kept.append(node)
                continue
            where = self._names.label(node)
            result = self._types[node.output[0]]
            self._check(node)
            self._constants.count(result.size, where)
            self._constants.add(node.output[0], self._evaluated(node), result.element, where)
        return kept

    def _evaluated(self, node: NodeProto) -> Array:
        from onnx.reference import ReferenceEvaluator

        outputs = [onnx.ValueInfoProto(name=node.output[0])]
        graph = helper.make_graph([node], "g", [], outputs, self._constants.tensors(node.input))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self._draft.opset)])
        try:
            with np.errstate(all="ignore"):
                (result,) = ReferenceEvaluator(model).run(None, {})
        except Exception as error:
            raise Refused(f"{self._names.label(node)}: it cannot be computed from its constants") from error
        return np.asarray(result)

    def _infer(self, nodes: list[NodeProto]) -> None:
        """Learn every tensor's element type and shape. Raises Refused where the model contradicts itself."""
        model = self._built(nodes, [onnx.ValueInfoProto(name=name) for name in self._ends])
        try:
            inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
            onnx.checker.check_model(inferred)
        except Exception as error:
            raise Refused(f"types and shapes do not fit: {self._names.translated(str(error))}") from error
        for value in (*inferred.graph.value_info, *inferred.graph.output):
            self._learn(value.name, value.type)
        for node in nodes:
            if node.output[0] not in self._types:
                raise Refused(f"{self._names.label(node)}: the shape of its output is not known; give it constants")

    def _learn(self, name: str, kind: TypeProto) -> None:
        where = "the output" if name in self._ends else f"tensor {self._names.tensor(name)}"
        element, shape = declared(kind, where)
        if None in shape:
            raise Refused(f"{where}: its shape {list(shape)} is not known; every shape must follow from the constants")
        sizes = tuple(size for size in shape if size is not None)
        if min(sizes, default=1) < 1:
            raise Refused(f"{where}: it is empty (shape {list(sizes)})")
        self._types[name] = Tensor(element, sizes)

    def _check(self, node: NodeProto) -> None:
        """Raise Refused where the operator gets what it must not get."""
        operator, where = OPERATORS[node.op_type], self._names.label(node)
        for position, name in enumerate(node.input):
            if not name:
                continue
            if position in operator.constants:
                if name not in self._constants:
                    raise Refused(f"{where}: its input {self._names.tensor(name)} must be a constant")
                continue
            element = self._types[name].element
            condition = node.op_type == "Where" and position == 0
            if element not in operator.elements and not condition:
                allowed = ", ".join(sorted(operator.elements))
                raise Refused(f"{where}: its input {self._names.tensor(name)} is {element}; {allowed}; {operator.hint}")
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
                    f"{self._names.label(node)}: with it the tensors that are computed have {total:,} elements, "
                    f"{MOST_ACTIVATIONS:,} are allowed; use smaller layers"
                )

    def _without_transposed_weights(self, node: NodeProto) -> NodeProto:
        """Gemm with its constant matrix turned over, so that the generated loops run along its rows."""
        turned = next((attribute for attribute in node.attribute if attribute.name == "transB"), None)
        if node.op_type != "Gemm" or turned is None or not turned.i or node.input[1] not in self._constants:
            return node
        weights = self._constants.turn_over(node.input[1])
        built = NodeProto(op_type="Gemm", input=[node.input[0], weights, *node.input[2:]], output=node.output)
        built.attribute.extend(attribute for attribute in node.attribute if attribute.name != "transB")
        return built

    def _built(self, nodes: list[NodeProto], outputs: list[ValueInfoProto]) -> onnx.ModelProto:
        graph = helper.make_graph(
            nodes,
            "network",
            [value_info(entry.name, Tensor(entry.element, entry.shape)) for entry in self._draft.inputs],
            outputs,
            self._constants.tensors(_read(nodes)),
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self._draft.opset)])


def _check_output(output: Tensor, name: str, interface: Interface) -> None:
    real, many, one = output.element in ("float", "double"), interface.alternatives, interface.decision
    if isinstance(one, Choice) and many == 2:
        if output.size == 1 or (output.size == 2 and real):
            return
        yes = one.alternatives[1]
        allowed = (
            f"one number (a logit: {yes} above 0; an integer or bool: {yes} unless 0) or two floats ({yes} when the "
            "second is larger)"
        )
    elif isinstance(one, Number):
        if output.size == 1 and output.element != "bool":
            return
        allowed = "one number"
    else:
        if (output.size == many and real) or (output.size == 1 and output.element in ("int32", "int64")):
            return
        allowed = f"{many} floats (the largest decides) or one integer, a position from 0 to {many - 1}"
    raise Refused(f"output {name}: {output.element} of shape {list(output.shape)}; allowed are {allowed}")


def _needed(nodes: Sequence[NodeProto], outputs: Iterable[str]) -> list[NodeProto]:
    """The nodes that the outputs depend on. They are in order: each after those that it reads."""
    wanted, kept = set(outputs), []
    for node in reversed(nodes):
        if node.output[0] in wanted:
            kept.append(node)
            wanted.update(node.input)
    return kept[::-1]


def _read(nodes: Iterable[NodeProto]) -> set[str]:
    return {name for node in nodes for name in node.input}
