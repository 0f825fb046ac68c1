"""The scorer as ``model.onnx``: the numbers of ``harness.learn.priorities.scorer``, in double precision."""

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from harness.learn.priorities.scorer import CLASS, COLUMNS, HIGHEST, UNIT, ZERO, Column, Weights, divisor

__all__ = ["network", "weights_in"]

_OPSET, _IR = 17, 8


def network(weights: Weights) -> bytes:
    """The file, the same bytes for the same ``weights``: (2 × columns,).

    Its inputs are features, of shape [1, 1]; its output is ``priority``, of shape [1, 1].
    """
    logs, flags, shares = (_of(kind) for kind in ("log", "is", "share"))
    constants: dict[str, NDArray[np.float64]] = {
        "always": np.ones((1, 1)),
        "highest": np.array(HIGHEST),
        "scales": np.array([[column.scale for column in logs]], float),
        "divisors": np.array([[divisor(column) for column in logs]]),
        "looked_for": np.array([[column.scale for column in flags]], float),
        "weights": weights.reshape(2, len(COLUMNS))[:, _PLACES].T.copy(),
        "class": np.array(CLASS),
        "classes": np.array(32.0),
        "unit": np.array(UNIT),
        "zero": np.array(ZERO),
    }
    features = {"is_local", "default_priority", "function_size", *(one.feature for one in COLUMNS if one.feature)}
    node = helper.make_node
    nodes = [
        *(node("Cast", [name], [f"{name}_"], to=TensorProto.DOUBLE) for name in sorted(features)),
        # Logarithms of what is counted; flags; places.
        node("Concat", [f"{column.feature}_" for column in logs], ["counted"], axis=1),
        node("Min", ["counted", "highest"], ["bounded"]),
        node("Mul", ["bounded", "scales"], ["scaled"]),
        node("Add", ["scaled", "always"], ["above"]),
        node("Log", ["above"], ["natural"]),
        node("Div", ["natural", "divisors"], ["logs"]),
        node("Concat", [f"{column.feature}_" for column in flags], ["asked"], axis=1),
        node("Equal", ["asked", "looked_for"], ["found"]),
        node("Cast", ["found"], ["flags"], to=TensorProto.DOUBLE),
        node("Concat", [f"{column.feature}_" for column in shares], ["places"], axis=1),
        node("Add", ["function_size_", "always"], ["length"]),
        node("Div", ["places", "length"], ["shares"]),
        # Both corrections, and the one that is meant.
        node("Concat", ["always", "logs", "flags", "shares"], ["columns"], axis=1),
        node("MatMul", ["columns", "weights"], ["both"]),
        node("Sub", ["always", "is_local_"], ["far"]),
        node("Concat", ["far", "is_local_"], ["sorts"], axis=1),
        node("Transpose", ["sorts"], ["meant"], perm=[1, 0]),
        node("MatMul", ["both", "meant"], ["correction"]),
        # Greedy's own: what comes before size, and size.
        node("Div", ["default_priority_", "class"], ["exact"]),
        node("Floor", ["exact"], ["before"]),
        node("Mul", ["before", "class"], ["sizeless"]),
        node("Sub", ["default_priority_", "sizeless"], ["size"]),
        node("Div", ["before", "classes"], ["own"]),
        node("Add", ["own", "correction"], ["sum"]),
        node("Add", ["sum", "zero"], ["positive"]),
        node("Mul", ["positive", "unit"], ["large"]),
        node("Add", ["large", "size"], ["priority"]),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT if name == "weight" else TensorProto.INT64, [1, 1])
        for name in sorted(features)
    ]
    graph = helper.make_graph(
        nodes,
        "priority",
        inputs,
        [helper.make_tensor_value_info("priority", TensorProto.DOUBLE, [1, 1])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString(deterministic=True))


def _of(kind: str) -> list[Column]:
    return [column for column in COLUMNS if column.kind == kind and column.feature]


def weights_in(content: bytes) -> Weights:
    """What ``network`` wrote into a file."""
    model = onnx.load_model_from_string(content)
    found = next(one for one in model.graph.initializer if one.name == "weights")
    weights = np.zeros((2, len(COLUMNS)))
    weights[:, _PLACES] = numpy_helper.to_array(found).T
    return weights.ravel()


_PLACES = [
    COLUMNS.index(one) for one in (*(c for c in COLUMNS if not c.feature), *_of("log"), *_of("is"), *_of("share"))
]
"""Of columns among ``COLUMNS``, in the network's order: those of one kind are computed together."""
