"""A trained network as ``model.onnx``, which a submission brings: the same numbers, the buckets included."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from harness.learn.inliners.network import Network

__all__ = ["as_onnx"]

_OPERATORS = 17
_FORMAT = 9
_NEVER = np.finfo(np.float32).max
"""A threshold that no count is above."""


def as_onnx(network: Network) -> onnx.ModelProto:
    """One input a feature, one logit (docs/inliner-models.md)."""
    counts = np.array([[len(limits)] for limits in network.thresholds], np.float32)
    limits = np.full((len(counts), int(counts.max())), _NEVER, np.float32)
    for row, known in zip(limits, network.thresholds, strict=True):
        row[: len(known)] = known
    constants = {
        "limits": limits,
        "counts": counts,
        "column": np.array([-1, 1]),
        "row": np.array([1, -1]),
        "along": np.array([1]),
    }
    nodes = [
        helper.make_node("Concat", list(network.features), ["whole"], axis=1),
        helper.make_node("Cast", ["whole"], ["floats"], to=TensorProto.FLOAT),
        helper.make_node("Reshape", ["floats", "column"], ["values"]),
        helper.make_node("Greater", ["values", "limits"], ["is_above"]),
        helper.make_node("Cast", ["is_above"], ["above"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["above", "along"], ["how_many"], keepdims=1),
        helper.make_node("Div", ["how_many", "counts"], ["share"]),
        helper.make_node("Sqrt", ["share"], ["root"]),
        helper.make_node("Mul", ["share", "share"], ["square"]),
        helper.make_node("Concat", ["share", "root", "square"], ["inputs"], axis=1),
        helper.make_node("Reshape", ["inputs", "row"], ["layer0"]),
    ]
    for number, layer in enumerate(network.layers):
        is_last = number + 1 == len(network.layers)
        constants |= {f"weights{number}": layer.weights, f"bias{number}": layer.bias}
        made = "logit" if is_last else f"sum{number}"
        given = [f"layer{number}", f"weights{number}", f"bias{number}"]
        nodes.append(helper.make_node("Gemm", given, [made], transB=1))
        if not is_last:
            nodes.append(helper.make_node("Relu", [made], [f"layer{number + 1}"]))
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, 1]) for name in network.features]
    output = helper.make_tensor_value_info("logit", TensorProto.FLOAT, [1, 1])
    held = [numpy_helper.from_array(values, name) for name, values in constants.items()]
    graph = helper.make_graph(nodes, "inliner", inputs, [output], held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPERATORS)], ir_version=_FORMAT)
