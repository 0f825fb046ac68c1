"""Writes model.onnx, as it came with this folder: ``pip install onnx numpy``, then ``python make_model.py``.

Replace the weights by trained ones, and the sum by a network that is asked of all slots (docs/regalloc.md).
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SLOTS = 33
FEATURES = {"weighed_reads_by_max": -1.0, "weighed_writes_by_max": -1.0, "is_hint": 0.1}
"""Any of slots that are listed there, with their weights: only those that are inputs are computed."""
WHOLE = {"mask", "is_free", "is_hint", "is_local", "max_stage", "min_stage"}
"""Those that are whole numbers."""
ILLEGAL = np.array([-1e9], np.float32)
"""What a slot has that may not be named."""


def make_model() -> onnx.ModelProto:
    """A weighted sum for each slot; the legal slot with the largest is named."""
    names = list(FEATURES)
    nodes = [helper.make_node("Cast", [name], [f"{name}_float"], to=TensorProto.FLOAT) for name in names]
    nodes += [helper.make_node("Mul", [f"{name}_float", f"{name}_weight"], [f"{name}_part"]) for name in names]
    total = f"{names[0]}_part"
    for name in names[1:]:
        nodes.append(helper.make_node("Add", [total, f"{name}_part"], [f"{name}_total"]))
        total = f"{name}_total"
    nodes += [
        helper.make_node("Cast", ["mask"], ["is_legal"], to=TensorProto.BOOL),
        helper.make_node("Where", ["is_legal", total, "illegal"], ["ranked"]),
        helper.make_node("ArgMax", ["ranked"], ["index_to_evict"], axis=1, keepdims=0),
    ]
    weights = [numpy_helper.from_array(np.array([FEATURES[name]], np.float32), f"{name}_weight") for name in names]
    graph = helper.make_graph(
        nodes,
        "slots",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64 if name in WHOLE else TensorProto.FLOAT, [1, SLOTS])
            for name in ["mask", *names]
        ],
        [helper.make_tensor_value_info("index_to_evict", TensorProto.INT64, [1])],
        [*weights, numpy_helper.from_array(ILLEGAL, "illegal")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


if __name__ == "__main__":
    onnx.save(make_model(), Path(__file__).with_name("model.onnx"))
