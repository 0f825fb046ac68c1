"""A model's constants: finite numbers inside the file, and not too many of them."""

import math
from collections.abc import Iterable

import numpy as np
from onnx import TensorProto, checker, numpy_helper

from harness.policy.forms.onnx.refused import Refused
from harness.policy.forms.onnx.tensors import Array, Tensor, element_of

__all__ = ["MOST_PARAMETERS", "Constants"]

MOST_PARAMETERS = 1 << 20
"""Numbers in all constants: their C has 17 MB, and a decision takes half a millisecond."""


class Constants:
    """Our names of constants → what they are."""

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}
        self._types: dict[str, Tensor] = {}
        self._numbers = 0

    def __contains__(self, name: object) -> bool:
        return name in self._arrays

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    @property
    def types(self) -> dict[str, Tensor]:
        """Element type and shape of each."""
        return dict(self._types)

    def read(self, name: str, tensor: TensorProto, where: str) -> None:
        """Take over one out of the file. Raises Refused."""
        if tensor.data_location != TensorProto.DEFAULT or tensor.external_data:
            raise Refused(f"{where}: its numbers are in another file; save the model with its data inside")
        element = element_of(tensor.data_type, where)
        self.count(math.prod(tensor.dims), where)
        if name in self._arrays:
            raise Refused(f"{where}: there are two of this name")
        try:
            array = numpy_helper.to_array(tensor)
        except Exception as error:
            raise Refused(f"{where}: its numbers do not fit its shape {list(tensor.dims)}") from error
        try:
            checker.check_tensor(tensor)
        except checker.ValidationError as error:
            what = "its numbers are there twice, or not where its type has them; save it anew"
            raise Refused(f"{where}: {what}") from error
        self.add(name, array, element, where)

    def count(self, more: int, where: str) -> None:
        """Make room for that many numbers. Raises Refused when there is none."""
        self._numbers += more
        if more < 0 or self._numbers > MOST_PARAMETERS:
            found = f"{self._numbers:,} numbers, {MOST_PARAMETERS:,} are allowed"
            raise Refused(f"{where}: with it the constants have {found}; use smaller layers")

    def add(self, name: str, array: Array, element: str, where: str) -> None:
        """Add one that was counted. Raises Refused for numbers that are not finite."""
        if not np.isfinite(array).all():
            found = "NaN is" if np.isnan(array).any() else "infinity is"
            raise Refused(f"{where}: {found} among its numbers; only finite ones are allowed")
        if array.size == 0 and array.ndim != 1:
            raise Refused(f"{where}: it is empty (shape {list(array.shape)})")
        self._arrays[name] = array
        self._types[name] = Tensor(element, tuple(array.shape))

    def turn_over(self, name: str) -> str:
        """The name of a constant that is this one, a matrix, with rows and columns exchanged."""
        turned = f"{name}_turned"
        self._arrays[turned] = np.ascontiguousarray(self._arrays[name].T)
        return turned

    def tensors(self, names: Iterable[str]) -> list[TensorProto]:
        """Those of these names that are constants, as a graph holds them."""
        wanted = set(names)
        return [
            numpy_helper.from_array(np.asarray(array), name) for name, array in self._arrays.items() if name in wanted
        ]
