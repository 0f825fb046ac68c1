"""The schema of ``suites/NAME/sharding.toml``: a suite of instances, where they come from, what is known of them."""

import difflib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.base.paths import SUITES
from harness.base.vocabulary import Origin, Split
from harness.suite.load import read_definition, suite_names
from harness.suite.model import Line, Model, Name, Prose, RelativePath, Sha256

__all__ = [
    "DEFINITION",
    "InstanceEntry",
    "LoadedSharding",
    "Made",
    "Problem",
    "ShardingSuite",
    "Upstream",
    "load_sharding_suite",
    "sharding_file",
    "sharding_names",
]

DEFINITION = "sharding.toml"
GENERATOR = 1
"""Version of the generator: another one makes other instances of the same arguments."""

InstanceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]


class Upstream(Model):
    """Where files are that are not here."""

    repository: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$", max_length=200)]
    """``owner/name`` on GitHub."""
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    folder: RelativePath
    licence: Line
    """An SPDX expression."""


class Made(Model):
    """Arguments of ``harness.problems.sharding.generate.generate``."""

    seed: int = Field(ge=0, lt=1 << 63)
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
    """The lowest cost known: of what was published, or proven to be the lowest."""
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

    name: Name
    version: Line
    description: Prose
    min_coverage: float = Field(default=0.8, gt=0, le=1)
    """A policy that was run on a smaller share of the instances is not ranked."""
    upstream: Upstream | None = None
    absent: dict[InstanceName, Prose] = Field(default_factory=dict, max_length=1000)
    """Instances that belong to the set and are not in it, each with the reason."""
    instances: tuple[InstanceEntry, ...] = Field(min_length=1, max_length=1000)

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        names = Counter([*(entry.name for entry in self.instances), *self.absent])
        if duplicate := [name for name, count in names.items() if count > 1]:
            raise ValueError(f"two instances are called {duplicate[0]!r}")
        return self


@dataclass(frozen=True)
class Problem:
    """An instance of a suite with what it takes to find its file."""

    suite: str
    entry: InstanceEntry
    upstream: Upstream | None = None
    folder: Path | None = None
    """The suite's: files may stand beside its definition."""

    @property
    def id(self) -> str:
        """``suite/instance``."""
        return f"{self.suite}/{self.entry.name}"

    @property
    def untrusted(self) -> bool:
        """Whether its suite does not come with the harness."""
        return self.folder is None or not self.folder.is_relative_to(SUITES)

    @property
    def origin(self) -> Origin:
        """Made here; of a contest, whose files are published; or a file of the user's."""
        if self.entry.made:
            return Origin.OWN
        return Origin.CONTEST if self.upstream else Origin.LOCAL

    @cached_property
    def digest(self) -> str:
        """Of all that decides what the instance is."""
        made = self.entry.made
        return digest_of(["instance", self.entry.sha256, made and [GENERATOR, made.model_dump(mode="json")]])


@dataclass(frozen=True)
class LoadedSharding:
    """A suite of instances and the file that it was read from."""

    definition: ShardingSuite
    file: Path

    @property
    def name(self) -> str:
        """The suite's name."""
        return self.definition.name

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """The suite's instances, in its order."""
        definition, folder = self.definition, self.file.parent
        return tuple(Problem(self.name, entry, definition.upstream, folder) for entry in definition.instances)

    def choose(self, names: Iterable[str]) -> tuple[Problem, ...]:
        """The instances of these names (``A`` or ``iopddl/A``), or all when none is named. Raises UsageError."""
        by_name = {problem.entry.name: problem for problem in self.problems}
        wanted = [name.removeprefix(f"{self.name}/") for name in names] or list(by_name)
        for name in wanted:
            if name in self.definition.absent:
                raise UsageError(f"{name!r} is absent from {self.name}: {self.definition.absent[name]}")
            if name not in by_name:
                close = difflib.get_close_matches(name, by_name, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(by_name)}"
                raise UsageError(f"suite {self.name!r} has no instance {name!r}", hint=hint)
        return tuple(by_name[name] for name in dict.fromkeys(wanted))


def sharding_names() -> list[str]:
    """Names of the suites of instances that come with the harness."""
    return sorted(path.parent.name for path in SUITES.glob(f"*/{DEFINITION}"))


def sharding_file(name: str) -> Path | None:
    """The definition, if ``name`` is a suite of instances: its name, its folder's path or its file's."""
    if "/" not in name and not name.endswith(".toml"):
        file = SUITES / name / DEFINITION
        return file if file.is_file() else None
    path = Path(name).expanduser().resolve()
    file = path / DEFINITION if path.is_dir() else path
    return file if file.name == DEFINITION and file.is_file() else None


def load_sharding_suite(name: str) -> LoadedSharding:
    """The suite that comes with the harness, or that a path names. Raises UsageError."""
    file = sharding_file(name)
    if file is None:
        raise UsageError("there is no such suite of instances", where=name)
    definition = read_definition(ShardingSuite, file)
    if definition.name in {*suite_names(), *sharding_names()} and file.parent != SUITES / definition.name:
        raise UsageError(
            f"name: a suite called {definition.name!r} comes with the harness, and results are told apart by name",
            where=str(file),
            hint="give yours another name",
        )
    return LoadedSharding(definition, file)
