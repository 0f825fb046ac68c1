"""The learning curve of a policy: a line of JSON for each step of its training."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.base.errors import UsageError
from harness.base.reading import MIB, read_bytes

__all__ = ["MOST_POINTS", "Point", "points_of", "read_curve"]

MOST_POINTS = 10_000
_BYTES = 2 * MIB
_Ratio = Annotated[float, Field(gt=0, lt=1000, allow_inf_nan=False)]


class Point(BaseModel):
    """Where a training stood after a step."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    step: Annotated[int, Field(ge=0, lt=1 << 53)]
    compilations: Annotated[int, Field(ge=0, lt=1 << 53)]
    """Of modules, from the beginning."""
    cpu: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """CPU seconds of all compilations so far."""
    train: _Ratio
    """What the trainer saw of its modules at this step: geometric mean of LLVM's bytes / the policy's."""
    validation: _Ratio | None
    """The same of modules that it does not learn from, without chance; nothing where that was not measured."""


def points_of(text: str) -> tuple[Point, ...]:
    """The steps, in their order. Raises ValueError, naming the line."""
    lines = text.splitlines()
    if len(lines) > MOST_POINTS:
        raise ValueError(f"a learning curve has at most {MOST_POINTS:,} steps")
    points: list[Point] = []
    for number, line in enumerate(lines, start=1):
        try:
            points.append(Point.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise ValueError(f"line {number}: {where + ': ' if where else ''}{first['msg']}") from None
        if number > 1 and points[-1].compilations < points[-2].compilations:
            raise ValueError(f"line {number}: compilations are counted from the beginning")
    return tuple(points)


def read_curve(folder: Path, name: str) -> tuple[Point, ...]:
    """Of a policy's folder. Raises UsageError for a file that is none, or lies elsewhere."""
    path = folder / name
    try:
        return points_of(read_bytes(path, _BYTES, inside=folder).decode())
    except ValueError as error:
        raise UsageError(str(error), where=str(path)) from None
