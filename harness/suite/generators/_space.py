"""Points and directions in space."""

from math import sqrt
from random import Random

__all__ = ["Point", "add", "cross", "direction", "dot", "jittered", "line", "symmetric", "unit"]

Point = tuple[float, float, float]


def add(left: Point, right: Point, factor: float = 1.0) -> Point:
    """The sum of the one and so many times the other."""
    return left[0] + factor * right[0], left[1] + factor * right[1], left[2] + factor * right[2]


def dot(left: Point, right: Point) -> float:
    """The inner product."""
    return left[0] * right[0] + left[1] * right[1] + left[2] * right[2]


def cross(left: Point, right: Point) -> Point:
    """The outer product."""
    return (
        left[1] * right[2] - left[2] * right[1],
        left[2] * right[0] - left[0] * right[2],
        left[0] * right[1] - left[1] * right[0],
    )


def unit(vector: Point) -> Point:
    """The vector of this direction whose length is 1."""
    length = sqrt(dot(vector, vector))
    return vector[0] / length, vector[1] / length, vector[2] / length


def symmetric(random: Random, width: float) -> float:
    """A number from -width to width."""
    return (2 * random.random() - 1) * width


def direction(random: Random) -> Point:
    """A unit vector, all directions equally likely."""
    while True:
        vector = symmetric(random, 1), symmetric(random, 1), symmetric(random, 1)
        if 0.01 < dot(vector, vector) < 1:
            return unit(vector)


def jittered(random: Random, site: Point, width: float) -> Point:
    """A point near the site."""
    return add(site, (symmetric(random, width), symmetric(random, width), symmetric(random, width)))


def line(point: Point, digits: int) -> str:
    """The coordinates as text."""
    return f"{point[0]:.{digits}f} {point[1]:.{digits}f} {point[2]:.{digits}f}"
