"""The operators that a model may use: those whose C gives what onnxruntime gives, and cannot do harm.

Element types are restricted where C would say something else, or nothing: an integer division by zero ends the
process, and so on.
"""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["ELEMENTS", "FIRST_OPSET", "LAST_OPSET", "OPERATORS", "Operator"]

FIRST_OPSET = 13
"""Before it, several operators took as attributes what are inputs now, and Softmax meant something else."""
LAST_OPSET = 24
"""The last one that was compared with onnxruntime."""

_FLOATS = frozenset({"float", "double"})
_INTEGERS = frozenset({"int32", "int64"})
_NUMBERS = _FLOATS | _INTEGERS
_BOOL = frozenset({"bool"})
ELEMENTS = _NUMBERS | _BOOL
"""The element types that tensors may have."""


@dataclass(frozen=True, slots=True)
class Operator:
    """What is allowed of one operator."""

    elements: frozenset[str]
    """Element types of the inputs that are no constants by rule."""
    constants: tuple[int, ...] = ()
    """Positions of inputs that must be constants: what shapes and positions depend on."""
    hint: str = ""
    """What to do about another element type."""


_ANY = Operator(ELEMENTS)
_REAL = Operator(_FLOATS, hint="Cast to float before")
_FLOAT = Operator(frozenset({"float"}), hint="Cast to float before: onnxruntime has it for no other type")
_NUMBER = Operator(_NUMBERS, hint="Cast before")
_LOGICAL = Operator(_BOOL, hint="Cast to bool before")


def _all(operator: Operator, names: str) -> dict[str, Operator]:
    return dict.fromkeys(names.split(), operator)


OPERATORS: Mapping[str, Operator] = {
    **_all(_REAL, "Gemm MatMul Div Pow Sqrt Exp Log Reciprocal Floor Ceil"),
    **_all(_REAL, "Relu LeakyRelu Tanh Sigmoid Softmax LogSoftmax"),
    **_all(_FLOAT, "Elu Selu Softplus Softsign Erf"),
    **_all(_NUMBER, "Add Sub Mul Neg Abs Sign Min Max Where"),
    **_all(_NUMBER, "Greater Less GreaterOrEqual LessOrEqual ArgMax ArgMin"),
    **_all(_LOGICAL, "Not And Or Xor"),
    **_all(_ANY, "Equal Cast Identity Concat Flatten Transpose Constant"),
    **_all(Operator(ELEMENTS, (1,)), "Reshape Squeeze Unsqueeze Gather"),
    **_all(Operator(_FLOATS, (1,), "Cast to float before"), "ReduceSum ReduceMean"),
    "Slice": Operator(ELEMENTS, (1, 2, 3, 4)),
    "Clip": Operator(_NUMBERS, (1, 2), "Cast before"),
}
"""ReduceMax and ReduceMin are left out: what onnxruntime makes of NaN depends on where it stands."""
