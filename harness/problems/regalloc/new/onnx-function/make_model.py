"""Writes model.onnx, as it came with this folder: ``pip install onnx numpy``, then ``python make_model.py``.

Replace the weights by trained ones, and the layer by a network (docs/regalloc.md).
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FEATURES = {"depth": TensorProto.INT64, "general_excess": TensorProto.FLOAT, "general_over_calls": TensorProto.FLOAT}
"""Any that are listed there, in any order, with their types: only those that are inputs are computed."""
ALLOCATIONS = 23
"""The allocations of the list there, by position: this network can say ``default`` (0) and ``weight`` (4) alone."""
WEIGHTS = np.zeros((len(FEATURES), ALLOCATIONS), np.float32)
WEIGHTS[1, 4] = 1.0
BIAS = np.full(ALLOCATIONS, -1e9, np.float32)
BIAS[[0, 4]] = 0.5, 0.0
"""A number for each allocation: the features times the weights, plus this. The largest is taken."""


def make_model() -> onnx.ModelProto:
    """One linear layer, and the position of its largest number."""
    floats = [f"{name}_float" for name in FEATURES]
    graph = helper.make_graph(
        [
            *(
                helper.make_node("Cast", [name], [made], to=TensorProto.FLOAT)
                for name, made in zip(FEATURES, floats, strict=True)
            ),
            helper.make_node("Concat", floats, ["numbers"], axis=1),
            helper.make_node("Gemm", ["numbers", "weights", "bias"], ["ranked"]),
            helper.make_node("ArgMax", ["ranked"], ["allocation"], axis=1, keepdims=0),
        ],
        "linear",
        [helper.make_tensor_value_info(name, element, [1, 1]) for name, element in FEATURES.items()],
        [helper.make_tensor_value_info("allocation", TensorProto.INT64, [1])],
        [numpy_helper.from_array(WEIGHTS, "weights"), numpy_helper.from_array(BIAS, "bias")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


if __name__ == "__main__":
    onnx.save(make_model(), Path(__file__).with_name("model.onnx"))
