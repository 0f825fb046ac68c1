"""The schema of ``suites/NAME/sharding.toml``: a suite of instances, where they come from, what is known of them."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from harness.errors import UsageError
from harness.paths import SUITES
from harness.suite.load import read_definition
from harness.suite.model import Model, RelativePath, Sha256
from harness.vocabulary import Split

__all__ = ["InstanceEntry", "Made", "ShardingSuite", "Upstream", "load_sharding_suite"]

InstanceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


class Upstream(Model):
    """Where files are that are not here."""

    repository: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
    """``owner/name`` on GitHub."""
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    folder: RelativePath
    licence: str = Field(min_length=1)
    """An SPDX expression."""


class Made(Model):
    """Arguments of ``harness.sharding.generate.generate``."""

    seed: int = Field(ge=0)
    layers: int = Field(ge=1, le=1000)
    mesh: tuple[Annotated[int, Field(ge=2, le=64)], ...] = Field(min_length=1, max_length=3)
    slack: float = Field(default=0.1, ge=0, le=10)


class InstanceEntry(Model):
    """One instance of a suite."""

    name: InstanceName
    seconds: float = Field(gt=0, le=3600)
    """A solver's limit of wall time."""
    split: Split
    file: RelativePath | None = None
    sha256: Sha256 | None = None
    made: Made | None = None
    """Instead of a file."""
    best: int | None = Field(default=None, ge=0)
    """The lowest cost published."""
    bound: int | None = Field(default=None, ge=0)
    """A proven lower bound: an assignment that costs less shows a fault of the evaluator."""
    xla: int | None = Field(default=None, ge=0)
    """What the compiler that the instances are of reaches."""

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if (self.file is None) == (self.made is None) or (self.file is None) != (self.sha256 is None):
            raise ValueError(f"instance {self.name!r} needs a file with its sha256, or how it is made")
        if self.best is not None and self.bound is not None and self.best < self.bound:
            raise ValueError(f"instance {self.name!r}: its best cost, {self.best}, is below its lower bound")
        return self

    @property
    def optimal(self) -> bool:
        """Whether the best cost is proven to be the lowest."""
        return self.best is not None and self.best == self.bound


class ShardingSuite(Model):
    """A named, versioned set of instances."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    version: str = Field(min_length=1)
    description: str = Field(min_length=1)
    upstream: Upstream | None = None
    absent: dict[InstanceName, str] = Field(default_factory=dict)
    """Instances that belong to the set and are not in it, each with the reason."""
    instances: tuple[InstanceEntry, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        names = Counter([*(entry.name for entry in self.instances), *self.absent])
        if duplicate := [name for name, count in names.items() if count > 1]:
            raise ValueError(f"two instances are called {duplicate[0]!r}")
        return self


def load_sharding_suite(name: str) -> ShardingSuite:
    """The suite that comes with the harness, or that a path to a ``sharding.toml`` names. Raises UsageError."""
    file = Path(name) if name.endswith(".toml") else SUITES / name / "sharding.toml"
    if not file.is_file():
        raise UsageError("there is no such suite of instances", where=str(file))
    return read_definition(ShardingSuite, file)
