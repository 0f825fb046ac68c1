"""Writes agent.onnx, as it came with this folder: ``pip install onnx numpy``, then ``python make_model.py``.

Replace the weights by trained ones, and the layer by a network (docs/agents.md).
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FEATURES, ACTIONS = 56, 42
FIRST = ["sroa", "early-cse", "simplifycfg", "instcombine", "inline", "gvn", "globalopt", "globaldce", "dse", "adce"]
NUMBERS = {"sroa": 38, "early-cse": 6, "simplifycfg": 36, "instcombine": 14, "inline": 13, "gvn": 11}
NUMBERS |= {"globalopt": 10, "globaldce": 9, "dse": 5, "adce": 0}


def make_model() -> onnx.ModelProto:
    """One linear layer: a pass becomes less likely with each time that it was taken."""
    weights = np.zeros((FEATURES + ACTIONS, ACTIONS), np.float32)
    weights[FEATURES:] = -1000 * np.eye(ACTIONS, dtype=np.float32)
    bias = np.zeros(ACTIONS, np.float32)
    for place, name in enumerate(FIRST):
        bias[NUMBERS[name]] = len(FIRST) - place
    graph = helper.make_graph(
        [
            helper.make_node("Concat", ["autophase", "histogram"], ["seen"], axis=1),
            helper.make_node("Gemm", ["seen", "weights", "bias"], ["logits"]),
        ],
        "linear",
        [
            helper.make_tensor_value_info("autophase", TensorProto.FLOAT, [1, FEATURES]),
            helper.make_tensor_value_info("histogram", TensorProto.FLOAT, [1, ACTIONS]),
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, ACTIONS])],
        [numpy_helper.from_array(weights, "weights"), numpy_helper.from_array(bias, "bias")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


if __name__ == "__main__":
    onnx.save(make_model(), Path(__file__).with_name("agent.onnx"))
