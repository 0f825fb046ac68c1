"""Graphs, numbers, points and addresses, as text."""

from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import Zipf, at_least, below, between, pick, shuffle

__all__ = ["addresses", "integers", "matrix", "points"]


@generator("matrix")
def matrix(random: Random, *, nodes: int = 60, density: int = 20, max_weight: int = 100) -> bytes:
    """A directed graph: the number of nodes, then one row of weights for each node, 0 for no edge.

    About ``density`` percent of the possible edges are there, with weights of 1 … max_weight, and
    from every node one can reach every other. The diagonal is 0.
    """
    at_least("nodes", nodes, 1)
    at_least("max_weight", max_weight, 1)
    rows = [
        [between(random, 1, max_weight) if random.random() * 100 < density and i != j else 0 for j in range(nodes)]
        for i in range(nodes)
    ]
    cycle = list(range(nodes))
    shuffle(random, cycle)
    for here, there in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        if here != there and not rows[here][there]:
            rows[here][there] = between(random, 1, max_weight)
    lines = [str(nodes), *(" ".join(map(str, row)) for row in rows)]
    return ("\n".join(lines) + "\n").encode("ascii")


@generator("integers")
def integers(random: Random, *, count: int = 1000, bits: int = 31) -> bytes:
    """``count`` decimal integers of 0 … 2**bits - 1, one a line."""
    at_least("bits", bits, 1)
    return "".join(f"{random.getrandbits(bits)}\n" for _ in range(count)).encode("ascii")


@generator("points")
def points(random: Random, *, count: int = 1000, repeat: int = 1) -> bytes:
    """``count`` points "x y z", one a line, coordinates of -10000 … 10000; half of them lie in clusters.

    All of them come ``repeat`` times, one list after the other.
    """
    at_least("repeat", repeat, 1)
    centres = [[between(random, -9000, 9000) for _ in range(3)] for _ in range(8)]
    lines = []
    for _ in range(count):
        if random.random() < 0.5:
            x, y, z = (c + between(random, -999, 999) for c in pick(random, centres))
        else:
            x, y, z = (between(random, -10_000, 10_000) for _ in range(3))
        lines.append(f"{x} {y} {z}\n")
    return "".join(lines).encode("ascii") * repeat


@generator("addresses")
def addresses(random: Random, *, count: int = 1000, repeat: int = 1) -> bytes:
    """``count`` IPv4 addresses, one a line: a few networks (/8 to /28) hold most of them, some come twice.

    All of them come ``repeat`` times, one list after the other.
    """
    at_least("repeat", repeat, 1)
    networks = []
    for _ in range(24):
        length = between(random, 8, 28)
        first = pick(random, [n for n in range(1, 224) if n not in (10, 127)])
        networks.append(((first << 24 | below(random, 1 << 24)) >> (32 - length), 32 - length))
    popular = Zipf(len(networks), 1.5)
    lines = []
    for _ in range(count):
        prefix, host_bits = networks[popular.draw(random)]
        address = prefix << host_bits | below(random, 1 << host_bits)
        lines.append(".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0)) + "\n")
    return "".join(lines).encode("ascii") * repeat
