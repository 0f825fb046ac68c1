"""What a problem says about its instances; all that it shares with others of its sort is made of this."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.base.views import Bars, Steps
from harness.suite.fields import Model

__all__ = ["Assignment", "Domain", "Integers", "Solution", "domain_at"]

Integers = NDArray[np.int64]
Assignment = Sequence[int] | Integers
"""Of every place of an instance, the number of what is chosen there."""
Instance = TypeVar("Instance")


class Domain(ABC, Generic[Instance]):
    """One sort of instances. It has no state: what its class says is all."""

    name: ClassVar[str]
    """Of the problem's folder, its track, and the files ``suites/SUITE/NAME.toml``."""
    instance: ClassVar[type]
    """A frozen dataclass of numbers, texts and arrays: what is parsed once, and read from the cache from then on."""
    places: ClassVar[str]
    """What an assignment has one number for each of, for people: ``nodes``."""
    choices: ClassVar[str]
    """What these numbers count, for people: ``strategies``."""
    made: ClassVar[type[Model] | None] = None
    """Arguments of ``make``; None: instances are files."""
    generator: ClassVar[int] = 1
    """Version of ``make``: another one makes other instances of the same arguments."""
    judging: ClassVar[int] = 1
    """To be raised with every change of what an assignment costs or may be: no cell keeps an old value then."""
    measures: ClassVar[Mapping[str, str]]
    """What a table of instances shows of their size: field → heading."""
    plain_called: ClassVar[str]
    """What ``plain`` gives, for people."""
    further: ClassVar[Mapping[str, str]] = {}
    """Column → metric of what standings show of a solution beyond its cost."""
    pictured: ClassVar[str] = ""
    """What ``picture`` draws of a solution, for people; none: nothing is drawn."""
    script: ClassVar[str] = ""
    """Lines of plain Python that judge ``assignment`` against ``content``, the bytes of the instance's file, unpacked.

    They set ``cost`` and print what they find; ``sys.exit("why")`` where the assignment is not feasible.
    """

    @property
    def called(self) -> str:
        """Its instances, for people."""
        return f"{self.name} instances"

    @property
    def definition(self) -> str:
        """How the file is called that defines a suite of them."""
        return f"{self.name}.toml"

    @abstractmethod
    def parse(self, content: bytes, where: str) -> Instance:
        """The instance of a file, gzipped or not. Raises UsageError, with ``where`` in it, for anything else."""

    @abstractmethod
    def size(self, instance: Instance) -> int:
        """How many places it has."""

    @abstractmethod
    def verify(self, instance: Instance, assignment: Assignment) -> str | None:
        """Why the assignment is not feasible, for people; None: it is."""

    @abstractmethod
    def cost(self, instance: Instance, assignment: Assignment) -> int:
        """The exact cost of a feasible assignment."""

    @abstractmethod
    def plain(self, instance: Instance) -> Integers:
        """An assignment that is feasible if any is, as far as that can be said at once: ``suites check`` tries it."""

    @abstractmethod
    def sizes(self, instance: Instance) -> Sequence[int | None]:
        """The instance's ``measures``."""

    def make(self, name: str, made: Any) -> bytes:
        """The file of a made instance: the same bytes for the same arguments."""
        raise NotImplementedError

    def renumbered(self, instance: Instance, seed: bytes) -> tuple[bytes, Callable[[Integers], Integers]]:
        """The same problem under other numbers, as a file, and what turns an assignment to it into one to the instance.

        The same for the same seed, and nobody can tell from the file which instance it is of. An assignment back from
        there costs what it costs here.
        """
        raise NotImplementedError

    @property
    def renumbers(self) -> bool:
        """Whether it can."""
        return type(self).renumbered is not Domain.renumbered

    def picture(self, name: str, instance: Instance, assignment: Assignment, policy: str) -> Bars | Steps:
        """A chart of the policy's assignment to the instance of this name."""
        raise NotImplementedError

    @property
    def at(self) -> str:
        """Where ``domain_at`` finds it in another process."""
        return f"{type(self).__module__}:{type(self).__qualname__}"


def domain_at(place: str) -> "Domain[Any]":
    """The domain whose ``at`` this is."""
    module, _, name = place.partition(":")
    found: Domain[Any] = getattr(import_module(module), name)()
    return found


@dataclass(frozen=True, eq=False, slots=True)
class Solution:
    """A feasible assignment."""

    instance: Any
    assignment: Integers
    cost: int
    seconds: float
    """When it was printed."""
