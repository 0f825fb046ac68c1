"""Writes model.onnx, as it came with this folder: ``pip install onnx numpy``, then ``python make_model.py``.

Replace the weights by trained ones, and the layer by a network (docs/regalloc.md).
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FEATURES = ["li_size", "operands", "calls"]
"""Any that are listed there, in any order: only those that are inputs are computed."""
WEIGHTS = np.array([[1.0], [-8.0], [-16.0]], np.float32)
BIAS = np.array([1e6], np.float32)
"""The priority is the features times the weights, plus this; below 0 it is 0."""


def make_model() -> onnx.ModelProto:
    """One linear layer."""
    graph = helper.make_graph(
        [
            helper.make_node("Concat", FEATURES, ["features"], axis=1),
            helper.make_node("Cast", ["features"], ["numbers"], to=TensorProto.FLOAT),
            helper.make_node("Gemm", ["numbers", "weights", "bias"], ["priority"]),
        ],
        "linear",
        [helper.make_tensor_value_info(name, TensorProto.INT64, [1, 1]) for name in FEATURES],
        [helper.make_tensor_value_info("priority", TensorProto.FLOAT, [1, 1])],
        [numpy_helper.from_array(WEIGHTS, "weights"), numpy_helper.from_array(BIAS, "bias")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


if __name__ == "__main__":
    onnx.save(make_model(), Path(__file__).with_name("model.onnx"))
