"""Instances made from a seed, with the structure of the contest's: training steps of layered networks.

A made program has a chain of equal layers around a residual stream; its backward pass runs the layers in reverse and
needs what the forward pass left, so that memory peaks in between; each weight lives from start to end, and its update
must lie on the devices as the weight does (any other way is forbidden). Devices form a mesh; along each of its axes a
tensor is split by rows, by columns or not at all, and a product also by the dimension that is summed over, which takes
an exchange of sums. To go from one way to another costs the bytes that a device must be sent. Copies save traffic and
take memory, of which there is a tenth more than the assignment of least memory needs, as in the contest's instances.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from random import Random

import numpy as np

from harness.problems.instances.domain import Integers
from harness.problems.sharding.evaluate import memory_profile
from harness.problems.sharding.instance import FORBIDDEN, Instance
from harness.problems.sharding.parse import parse_instance

__all__ = ["generate", "least_usage"]

_BYTES = 4
"""Of a number."""
Way = tuple[str, ...]
"""For each axis of the mesh, what it splits: ``r`` rows, ``c`` columns, ``k`` the summed dimension, ``-`` nothing."""
_TURNED = {"r": "c", "c": "r", "-": "-"}


@dataclass(frozen=True)
class _Tensor:
    """The result of one operation, or a weight."""

    rows: int
    columns: int
    ways: tuple[Way, ...]
    costs: tuple[int, ...]
    begin: int
    lasting: bool


@dataclass
class _Program:
    """Operations in the order in which they run, and who takes whose result."""

    mesh: tuple[int, ...]
    tensors: list[_Tensor] = field(default_factory=list)
    needed: list[int] = field(default_factory=list)
    """The last moment at which the result is taken."""
    edges: list[tuple[int, int]] = field(default_factory=list)
    tables: list[list[int]] = field(default_factory=list)
    moment: int = 0

    def weight(self, rows: int, columns: int) -> int:
        """A tensor that is there all the time; its number."""
        ways = tuple(product("-rc", repeat=len(self.mesh)))
        return self._add(_Tensor(rows, columns, ways, (0,) * len(ways), 0, lasting=True))

    def elementwise(self, *sources: int, sums: int = 0) -> int:
        """Each device works on its part. ``sums``: numbers of each row that split rows must exchange."""
        like = self.tensors[sources[0]]
        ways = tuple(product("-rc", repeat=len(self.mesh)))
        costs = tuple(_BYTES * sums * like.rows * (self._parts(way, "c") - 1) for way in ways)
        node = self._run(_Tensor(like.rows, like.columns, ways, costs, self.moment, lasting=False))
        for source in sources:
            self._join(source, node, self.tensors[node].ways)
        return node

    def multiply(self, left: int, right: int, *, turn_left: bool = False, turn_right: bool = False) -> int:
        """The product of two; of one, if so wished, with rows and columns exchanged."""
        rows = self.tensors[left].columns if turn_left else self.tensors[left].rows
        columns = self.tensors[right].rows if turn_right else self.tensors[right].columns
        ways = tuple(product("-rck", repeat=len(self.mesh)))
        out = _Tensor(rows, columns, ways, (), self.moment, lasting=False)
        costs = tuple(2 * self._bytes(out, way) * (self._parts(way, "k") - 1) // self._parts(way, "k") for way in ways)
        node = self._run(_Tensor(rows, columns, ways, costs, self.moment, lasting=False))
        of_left = [tuple({"r": "r", "k": "c"}.get(axis, "-") for axis in way) for way in ways]
        of_right = [tuple({"c": "c", "k": "r"}.get(axis, "-") for axis in way) for way in ways]
        self._join(left, node, [_turn(way) for way in of_left] if turn_left else of_left)
        self._join(right, node, [_turn(way) for way in of_right] if turn_right else of_right)
        return node

    def update(self, weight: int, gradient: int) -> None:
        """The new weight, which lies as the old one."""
        node = self.elementwise(gradient)
        self._join(weight, node, self.tensors[node].ways, tied=True)

    def document(self, name: str, limit: int | None) -> bytes:
        """The contest's file."""
        spans = [
            [0, self.moment] if tensor.lasting else [tensor.begin, last + 1]
            for tensor, last in zip(self.tensors, self.needed, strict=True)
        ]
        usages = [[self._bytes(tensor, way) for way in tensor.ways] for tensor in self.tensors]
        problem = {
            "name": name,
            "nodes": {"intervals": spans, "costs": [tensor.costs for tensor in self.tensors], "usages": usages},
            "edges": {"nodes": self.edges, "costs": self.tables},
            **({} if limit is None else {"usage_limit": limit}),
        }
        return json.dumps({"problem": problem}, separators=(",", ":")).encode()

    def _run(self, tensor: _Tensor) -> int:
        self.moment += 1
        return self._add(tensor)

    def _add(self, tensor: _Tensor) -> int:
        self.tensors.append(tensor)
        self.needed.append(tensor.begin)
        return len(self.tensors) - 1

    def _join(self, source: int, user: int, wanted: Sequence[Way], *, tied: bool = False) -> None:
        """``wanted``: how each of the user's ways takes the source; ``tied``: as it lies or not at all."""
        tensor = self.tensors[source]
        haves = [tuple(axis if axis in "rc" else "-" for axis in way) for way in tensor.ways]
        self.edges.append((source, user))
        self.tables.append(
            [
                FORBIDDEN if tied and have != want else self._moved(tensor, have, want)
                for have, want in product(haves, wanted)
            ]
        )
        self.needed[source] = max(self.needed[source], self.tensors[user].begin)

    def _moved(self, tensor: _Tensor, have: Way, want: Way) -> int:
        """Bytes that a device must be sent: the share of what it wants that it does not have."""
        missing = prod(size for size, old, new in zip(self.mesh, have, want, strict=True) if old not in ("-", new))
        return self._bytes(tensor, want) * (missing - 1) // missing

    def _bytes(self, tensor: _Tensor, way: Way) -> int:
        """On each device."""
        return _BYTES * -(-tensor.rows // self._parts(way, "r")) * -(-tensor.columns // self._parts(way, "c"))

    def _parts(self, way: Way, dimension: str) -> int:
        return prod(size for size, axis in zip(self.mesh, way, strict=True) if axis == dimension)


def generate(name: str, seed: int, layers: int, slack: float = 0.1, mesh: tuple[int, ...] = (2, 4)) -> bytes:
    """The contest's JSON of a made instance of some 17 nodes a layer: the same bytes for the same arguments.

    ``slack``: how much more memory there is than the assignment of least memory needs, as a share of that.
    Raises ValueError for sizes that make no program.
    """
    if layers < 1 or slack < 0 or not 1 <= len(mesh) <= 3 or min(mesh) < 2:
        raise ValueError("an instance needs a layer, no negative slack, and one to three axes of two devices or more")
    program = _training_step(Random(seed), layers, mesh)
    free = parse_instance(program.document(name, None), name)
    least = memory_profile(free, least_usage(free)).peak
    return program.document(name, least + int(least * slack))


def least_usage(instance: Instance) -> Integers:
    """The first strategy of each node that uses least."""
    bounds = zip(instance.node_offsets[:-1], instance.node_offsets[1:], strict=True)
    return np.array([int(np.argmin(instance.usages[a:b])) for a, b in bounds], np.int64)


def _training_step(random: Random, layers: int, mesh: tuple[int, ...]) -> _Program:
    """Forward, loss, backward, updates."""
    program = _Program(mesh)
    batch, width, times = (1 << _between(random, *range_) for range_ in ((5, 9), (5, 9), (1, 2)))
    state = program.elementwise(program.weight(batch, width))
    kept: list[tuple[int, ...]] = []
    for _ in range(layers):
        up, down = program.weight(width, width * times), program.weight(width * times, width)
        norm = program.elementwise(state, sums=2)
        spread = program.multiply(norm, up)
        active = program.elementwise(spread)
        kept.append((state, up, down, norm, spread, active))
        state = program.elementwise(state, program.multiply(active, down))
    gradient = program.elementwise(state, sums=1)
    for before, up, down, norm, spread, active in reversed(kept):
        of_active = program.multiply(gradient, down, turn_right=True)
        program.update(down, program.multiply(active, gradient, turn_left=True))
        of_spread = program.elementwise(of_active, spread)
        of_norm = program.multiply(of_spread, up, turn_right=True)
        program.update(up, program.multiply(norm, of_spread, turn_left=True))
        gradient = program.elementwise(gradient, of_norm, before)
    return program


def _turn(way: Way) -> Way:
    return tuple(_TURNED[axis] for axis in way)


def _between(random: Random, low: int, high: int) -> int:
    return low + int(random.random() * (high - low + 1))
