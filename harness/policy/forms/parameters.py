"""The tunable constants of a policy, and the values that its manifest gives them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

from harness.base.errors import UsageError

__all__ = ["Hyperparameter", "Value", "valued"]

Value = int | float


@dataclass(frozen=True, slots=True)
class Hyperparameter:
    """One tunable constant."""

    name: str
    is_int: bool
    low: Value
    high: Value
    default: Value
    line: int
    """Where in the file it is declared."""

    def accepts(self, value: object) -> TypeGuard[Value]:
        """Whether this may be its value."""
        if isinstance(value, bool) or not isinstance(value, int if self.is_int else (int, float)):
            return False
        return bool(self.low <= value <= self.high)


def valued(parameters: tuple[Hyperparameter, ...], given: Mapping[str, object], where: str) -> dict[str, Value]:
    """Every hyperparameter's value: the one given, or its default.

    Raises UsageError, naming the field, for an unknown name and for a value that it cannot have.
    """
    known = {one.name: one for one in parameters}
    values = {one.name: one.default for one in parameters}
    for name, value in given.items():
        if name not in known:
            names = ", ".join(known) or "none"
            raise UsageError(f"values.{name}: there is no such hyperparameter (there are: {names})", where=where)
        if not known[name].accepts(value):
            one = known[name]
            kind = "an int" if one.is_int else "a number"
            raise UsageError(f"values.{name}: {value!r} is not {kind} within {one.low} to {one.high}", where=where)
        values[name] = value
    return values
