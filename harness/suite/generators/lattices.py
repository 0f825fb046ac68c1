"""Inputs of computations on lattices: porous media, and parameters of gauge fields."""

from math import floor, sqrt
from random import Random

from harness.base.errors import UsageError
from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, one_of

__all__ = ["gauge", "porous"]


class _Medium:
    """A periodic block of cells that balls are put into."""

    def __init__(self, x: int, y: int, z: int) -> None:
        self.sides = (x, y, z)
        self.cells = bytearray(b"." * (x * y * z))
        self.solid = 0

    def add_ball(self, centre: tuple[float, ...], radius: float) -> None:
        """Make the cells solid whose centres are inside; cell i of an axis reaches from i to i + 1."""
        ranges = []
        for middle, side in zip(centre, self.sides, strict=True):
            cells = range(floor(middle - radius), floor(middle + radius) + 1)
            ranges.append([(cell % side, (cell + 0.5 - middle) * (cell + 0.5 - middle)) for cell in cells])
        xs, ys, zs = ranges
        square = radius * radius
        for z, dz in zs:
            for y, dy in ys:
                row = (z * self.sides[1] + y) * self.sides[0]
                left = square - dy - dz
                for x, dx in xs:
                    if dx <= left and self.cells[row + x] == 46:
                        self.cells[row + x] = 35
                        self.solid += 1


def _grain(random: Random, medium: _Medium, radius: int) -> None:
    """One ball anywhere."""
    centre = tuple(random.random() * side for side in medium.sides)
    medium.add_ball(centre, radius * (0.5 + 0.5 * random.random()))


def _fibre(random: Random, medium: _Medium, radius: int) -> None:
    """A straight row of balls in any direction, half as thick as grains and as long as the block."""
    length = 0.0
    while not 0.1 < length <= 1.0:
        direction = [2.0 * random.random() - 1.0 for _ in range(3)]
        length = sqrt(sum(d * d for d in direction))
    start = [random.random() * side for side in medium.sides]
    thickness = radius * (0.25 + 0.25 * random.random())
    for step in range(max(medium.sides)):
        centre = (s + step * d / length for s, d in zip(start, direction, strict=True))
        medium.add_ball(tuple(c % side for c, side in zip(centre, medium.sides, strict=True)), thickness)


@generator("porous")
def porous(
    random: Random, *, x: int = 24, y: int = 16, z: int = 16, solid: int = 25, radius: int = 4, style: str = "grains"
) -> bytes:
    """A porous medium of x * y * z cells: a line "porous x y z", then z planes of y rows, '.' fluid and '#' solid.

    ``style`` "grains" puts overlapping balls of up to ``radius`` cells into it, "fibres" straight rods half as
    thick, until ``solid`` percent of the cells are solid. What leaves at one side goes on at the opposite one.
    """
    one_of("style", style, ("grains", "fibres"))
    at_least("radius", radius, 2)
    for side in (x, y, z):
        at_least("a side", side, 1)
    if not 0 <= solid <= 90:
        raise UsageError(f"solid = {solid}: must be from 0 to 90")
    medium = _Medium(x, y, z)
    while medium.solid * 100 < solid * len(medium.cells):
        (_grain if style == "grains" else _fibre)(random, medium, radius)
    text = medium.cells.decode("ascii")
    lines = [f"porous {x} {y} {z}"]
    for plane in range(z):
        lines += [text[row * x : row * x + x] for row in range(plane * y, plane * y + y)] + [""]
    return "\n".join(lines).encode("ascii")


@generator("gauge")
def gauge(
    random: Random,
    *,
    x: int = 4,
    y: int = 4,
    z: int = 4,
    t: int = 4,
    start: str = "hot",
    beta: str = "6.0",
    sweeps: int = 2,
    reflections: int = 1,
    loops: int = 1,
    quark: str = "none",
    mass: str = "0.1",
    kappa: str = "0.12",
    sources: int = 1,
) -> bytes:
    """Parameters of a lattice gauge computation, a name and a value on each line; drawn is the seed."""
    one_of("start", start, ("cold", "hot"))
    one_of("quark", quark, ("none", "staggered", "wilson"))
    values: dict[str, int | str] = {"x": x, "y": y, "z": z, "t": t, "seed": random.getrandbits(48), "start": start}
    values |= {"beta": beta, "sweeps": sweeps, "reflections": reflections, "loops": loops, "transform": "yes"}
    values |= {"quark": quark, "mass": mass, "kappa": kappa, "sources": sources}
    return "".join(f"{name} {value}\n" for name, value in values.items()).encode("ascii")
