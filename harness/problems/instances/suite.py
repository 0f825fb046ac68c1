"""The schema of ``suites/SUITE/PROBLEM.toml``: a suite of instances, where they come from, what is known of them."""

import difflib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import Field, model_validator

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.base.own import own_suite, remember_suite, suite_is_path
from harness.base.paths import SUITES, at_home
from harness.base.vocabulary import Origin, Split
from harness.problems.instances.domain import Domain
from harness.suite.fields import Line, Model, Name, Prose, RelativePath, Sha256
from harness.suite.known import known_suites, require_own_name, suites_defined_by
from harness.suite.load import read_definition

__all__ = [
    "Contest",
    "InstanceEntry",
    "InstanceSuite",
    "LoadedInstances",
    "SuiteInstance",
    "Upstream",
    "load_instances",
    "schema_of",
    "suite_file",
    "suite_names",
]

Made = TypeVar("Made")
InstanceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]


class Upstream(Model):
    """Where files are that are not here."""

    repository: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$", max_length=200)]
    """``owner/name`` on GitHub."""
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    """All of its 40 digits: what a branch or tag names may change."""
    folder: RelativePath
    """Where in the repository the instances' files are."""
    licence: Line
    """An SPDX expression."""


class Contest(Model):
    """What is known of the contest whose competitors' costs stand in ``contest.csv`` (``published``).

    It counts the instances of the test split, which were withheld from its competitors.
    """

    cores: int | None = Field(default=None, ge=1)
    """That a competitor could use; None: not published."""
    cpu: Line | None = None
    """Of the machine that it ran competitors on; None: not published."""
    no_teams: tuple[Line, ...] = Field(default=(), max_length=100)
    """Rows of ``contest.csv`` that are no competitors': they set no best cost, and their machine is not known."""


class InstanceEntry(Model, Generic[Made]):
    """One instance of a suite. ``Made``: the arguments that the problem's generator takes."""

    name: InstanceName
    """By which commands and results call it."""
    seconds: float = Field(gt=0, le=3600)
    """A solver's limit of wall time."""
    split: Split
    """``train`` to make policies on, ``test`` to rank them by."""
    file: RelativePath | None = None
    """Beside this file, or in the upstream's folder; ``.json``, or packed as ``.json.gz``."""
    sha256: Sha256 | None = None
    """Of the file as it lies there."""
    made: Made | None = None
    """Instead of a file."""
    best: int | None = Field(default=None, ge=0)
    """The lowest cost known: of what was published, or proven to be the lowest."""
    bound: int | None = Field(default=None, ge=0)
    """A proven lower bound: an assignment that costs less shows a fault of the evaluator."""

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


class InstanceSuite(Model, Generic[Made]):
    """A named, versioned set of instances."""

    name: Name
    """By which commands and results call the suite."""
    version: Line
    """A new one whenever an instance or a limit changes: results of other versions are not compared."""
    description: Prose
    """A sentence or two, for people."""
    min_coverage: float = Field(default=0.8, gt=0, le=1)
    """A policy that was run on a smaller share of the instances is not ranked."""
    upstream: Upstream | None = None
    """Where the files are that do not stand beside this one; None: all do, or are made."""
    contest: Contest = Contest()
    """Of the contest that the instances are from, if they are from one."""
    absent: dict[InstanceName, Prose] = Field(default_factory=dict, max_length=1000)
    """Instances that belong to the set and are not in it, each with the reason."""
    instances: tuple[InstanceEntry[Made], ...] = Field(min_length=1, max_length=1000)
    """In the order in which they are shown."""

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        names = Counter([*(entry.name for entry in self.instances), *self.absent])
        if duplicate := [name for name, count in names.items() if count > 1]:
            raise ValueError(f"two instances are called {duplicate[0]!r}")
        return self


@dataclass(frozen=True)
class SuiteInstance:
    """An instance of a suite with what it takes to find its file."""

    domain: Domain[Any]
    suite: str
    entry: InstanceEntry[Any]
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
        return digest_of(
            ["instance", self.entry.sha256, made and [self.domain.generator, made.model_dump(mode="json")]]
        )


@dataclass(frozen=True)
class LoadedInstances:
    """A suite of instances and the file that it was read from."""

    domain: Domain[Any]
    definition: InstanceSuite[Any]
    file: Path

    @property
    def name(self) -> str:
        """The suite's name."""
        return self.definition.name

    @cached_property
    def instances(self) -> tuple[SuiteInstance, ...]:
        """The suite's instances, in its order."""
        definition, folder = self.definition, self.file.parent
        return tuple(
            SuiteInstance(self.domain, self.name, entry, definition.upstream, folder) for entry in definition.instances
        )

    def choose(self, names: Iterable[str]) -> tuple[SuiteInstance, ...]:
        """The instances of these names (``A`` or ``SUITE/A``), or all when none is named. Raises UsageError."""
        by_name = {one.entry.name: one for one in self.instances}
        wanted = [name.removeprefix(f"{self.name}/") for name in names] or list(by_name)
        for name in wanted:
            if name in self.definition.absent:
                raise UsageError(f"{name!r} is absent from {self.name}: {self.definition.absent[name]}")
            if name not in by_name:
                close = difflib.get_close_matches(name, by_name, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(by_name)}"
                raise UsageError(f"suite {self.name!r} has no instance {name!r}", hint=hint)
        return tuple(by_name[name] for name in dict.fromkeys(wanted))


def schema_of(domain: Domain[Any]) -> type[InstanceSuite[Any]]:
    """The schema of a definition of the domain's suites."""
    return InstanceSuite[domain.made]  # type: ignore[name-defined]


def suite_names(domain: Domain[Any]) -> list[str]:
    """Names of the domain's suites that come with the harness."""
    return suites_defined_by(domain.definition)


def suite_file(domain: Domain[Any], name: str) -> Path | None:
    """The definition, if ``name`` is a suite of the domain's: its name, its folder's path or its file's.

    A name may be that of a suite of one's own that was named by its path before.
    """
    if not suite_is_path(name):
        if name not in known_suites():
            own = own_suite(name)
            return own if own is not None and own.name == domain.definition and own.is_file() else None
        file = known_suites().get(name, SUITES / name) / domain.definition
        return file if file.is_file() else None
    path = at_home(name).resolve()
    file = path / domain.definition if path.is_dir() else path
    return file if file.name == domain.definition and file.is_file() else None


def load_instances(domain: Domain[Any], name: str) -> LoadedInstances:
    """The suite that comes with the harness, or that a path names. Raises UsageError."""
    file = suite_file(domain, name)
    if file is None:
        raise UsageError(f"there is no such suite of {domain.called}", where=name)
    definition = read_definition(schema_of(domain), file)
    require_own_name(definition.name, file)
    if suite_is_path(name):
        if definition.name not in known_suites():
            remember_suite(definition.name, file)
    elif definition.name != name:
        raise UsageError(f"this suite is called {definition.name!r} now, not {name!r}", where=str(file))
    return LoadedInstances(domain, definition, file)
