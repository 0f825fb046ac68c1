"""The tensors of a model: their elements, their shapes, and what a declaration says of them."""

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from onnx import TensorProto, TypeProto, ValueInfoProto, helper

from harness.policy.forms.interface import Element
from harness.policy.forms.onnx.operators import ELEMENTS
from harness.policy.forms.onnx.refused import Refused

__all__ = ["ELEMENT_NAMES", "Array", "Tensor", "declared", "element_of", "value_info"]

Array = NDArray[Any]

ELEMENT_NAMES = {Element.FLOAT: "float", Element.DOUBLE: "double", Element.INT32: "int32", Element.INT64: "int64"}
"""Elements of features → what messages and operators call them here."""

_TYPES: dict[int, str] = {
    TensorProto.FLOAT: "float",
    TensorProto.DOUBLE: "double",
    TensorProto.INT32: "int32",
    TensorProto.INT64: "int64",
    TensorProto.BOOL: "bool",
}
_NUMBERS = {name: number for number, name in _TYPES.items()}


@dataclass(frozen=True, slots=True)
class Tensor:
    """What is known of a tensor before anything is computed."""

    element: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Its elements."""
        return math.prod(self.shape)


def element_of(data_type: int, where: str) -> str:
    """The element type's name. Raises Refused for one that is not allowed."""
    if data_type in _TYPES:
        return _TYPES[data_type]
    known = data_type in TensorProto.DataType.values()
    name = TensorProto.DataType.Name(data_type).lower() if known else str(data_type)
    raise Refused(f"{where}: its elements are {name}; {', '.join(sorted(ELEMENTS))} are allowed: convert the model")


def declared(kind: TypeProto, where: str) -> tuple[str, tuple[int | None, ...]]:
    """Element type and shape of a declaration; None for a dimension that it leaves open. Raises Refused."""
    if not kind.HasField("tensor_type"):
        raise Refused(f"{where}: it is no tensor")
    element = element_of(kind.tensor_type.elem_type, where)
    if not kind.tensor_type.HasField("shape"):
        raise Refused(f"{where}: it has no shape")
    dims = kind.tensor_type.shape.dim
    return element, tuple(dim.dim_value if dim.HasField("dim_value") else None for dim in dims)


def value_info(name: str, tensor: Tensor) -> ValueInfoProto:
    """The declaration of an input or output."""
    return helper.make_tensor_value_info(name, _NUMBERS[tensor.element], tensor.shape)
