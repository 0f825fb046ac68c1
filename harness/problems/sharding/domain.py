"""Sharding: one strategy for each operation of a tensor program, cheap together, within the memory that there is."""

from collections.abc import Callable
from typing import Annotated, ClassVar

from pydantic import Field

from harness.base.views import Steps
from harness.problems.instances.domain import Assignment, Domain, Integers
from harness.problems.sharding.evaluate import evaluate, verify
from harness.problems.sharding.generate import generate, least_usage
from harness.problems.sharding.instance import Instance
from harness.problems.sharding.names import SHARDING
from harness.problems.sharding.parse import parse_instance
from harness.problems.sharding.profile import memory_chart
from harness.problems.sharding.renumber import renumbered
from harness.problems.sharding.script import SCRIPT
from harness.suite.fields import Model

__all__ = ["Made", "Sharding"]


class Made(Model):
    """Arguments of ``harness.problems.sharding.generate.generate``."""

    seed: int = Field(ge=0, lt=1 << 63)
    """Another one, another program of the same shape."""
    layers: int = Field(ge=1, le=1000)
    """Of the network that the instance is a program of."""
    mesh: tuple[Annotated[int, Field(ge=2, le=64)], ...] = Field(min_length=1, max_length=3)
    """Devices along each axis."""
    slack: float = Field(default=0.1, ge=0, le=10)
    """How far the memory limit is above the least that suffices, as a share of it."""


class Sharding(Domain[Instance]):
    """See ``harness.problems.instances.domain.Domain``."""

    name = SHARDING
    instance = Instance
    places, choices = "nodes", "strategies"
    made = Made
    plain_called = "the assignment of least memory"
    measures: ClassVar = {
        "nodes": "nodes",
        "edges": "edges",
        "strategies": "strategies",
        "usage_limit": "memory limit",
    }
    further: ClassVar = {"peak": "usage.peak"}
    pictured = "Memory"
    script = SCRIPT

    def parse(self, content: bytes, where: str) -> Instance:
        """The contest's JSON."""
        return parse_instance(content, where)

    def size(self, instance: Instance) -> int:
        """Its nodes."""
        return instance.nodes

    def verify(self, instance: Instance, assignment: Assignment) -> str | None:
        """By the contest's rules."""
        return verify(instance, assignment)

    def cost(self, instance: Instance, assignment: Assignment) -> int:
        """The sum over nodes and edges."""
        return evaluate(instance, assignment)

    def plain(self, instance: Instance) -> Integers:
        """Of each node, what uses least."""
        return least_usage(instance)

    def sizes(self, instance: Instance) -> tuple[int | None, ...]:
        """Of nodes, edges, strategies; the limit in bytes."""
        return instance.nodes, instance.edges, int(instance.strategies.sum()), instance.usage_limit

    def renumbered(self, instance: Instance, seed: bytes) -> tuple[bytes, Callable[[Integers], Integers]]:
        """Nodes, strategies and edges in another order, and costs scaled."""
        return renumbered(instance, seed)

    def picture(self, name: str, instance: Instance, assignment: Assignment, policy: str) -> Steps:
        """Memory over the instance's time."""
        return memory_chart(name, instance, assignment, policy)

    def make(self, name: str, made: Made) -> bytes:
        """A training step of a layered network."""
        return generate(name, made.seed, made.layers, made.slack, made.mesh)
