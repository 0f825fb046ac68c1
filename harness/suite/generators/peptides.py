"""Molecules for simulations, as text: a chain of amino acids."""

from collections.abc import Sequence
from math import sqrt
from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, below, between, pick, shuffle
from harness.suite.generators._space import Point, add, cross, line, symmetric, unit

__all__ = ["peptide"]

Turn = tuple[float, float]
"""An angle by its cosine and sine."""

# Peptides: Angstrom, atomic mass units, elementary charges, kcal/mol.

_CIS, _TRANS = (1.0, 0.0), (-1.0, 0.0)
_THIRD, _MINUS_THIRD = (-0.5, sqrt(3.0) / 2), (-0.5, -sqrt(3.0) / 2)
_PLANAR = (-0.5, sqrt(3.0) / 2)
_TETRAHEDRAL = (-1.0 / 3, sqrt(8.0) / 3)
_STAGGERED = ((0.5, sqrt(3.0) / 2), (0.5, -sqrt(3.0) / 2), _TRANS)

_TYPES = {
    # mass, half the distance of least energy, depth, Born radius, its screening factor
    "N": "14.01 1.8240 0.1700 1.55 0.79",
    "H": "1.008 0.6000 0.0157 1.30 0.85",
    "CT": "12.01 1.9080 0.1094 1.70 0.72",
    "H1": "1.008 1.3870 0.0157 1.20 0.85",
    "C": "12.01 1.9080 0.0860 1.70 0.72",
    "O": "16.00 1.6612 0.2100 1.50 0.85",
    "C1": "13.02 2.1300 0.0800 1.80 0.72",
    "C2": "14.03 2.1000 0.1180 1.85 0.72",
    "C3": "15.03 2.1000 0.1700 1.90 0.72",
    "N3": "17.03 1.8750 0.1700 1.70 0.79",
    "OH": "16.00 1.7210 0.2104 1.50 0.85",
    "HO": "1.008 0.6000 0.0157 1.30 0.85",
}
_FLAT = {"N", "C"}
_HYDROGEN = {"H", "H1", "HO"}
_ROOM = 3.2 * 3.2
"""The squared distance at which atoms are not in each other's way."""
_ENOUGH_ROOM = 2.5 * 2.5
"""That at which their energy is not yet large."""

# What hangs on the alpha carbon: type, charge, parent (-1: the alpha carbon), bond, and how its
# torsion follows from that of the first atom on the same parent (None: it is that atom).
_SIDES: dict[str, list[tuple[str, float, int, float, float, Turn | None]]] = {
    "A": [("C3", -0.0016, -1, 310, 1.526, None)],
    "L": [
        ("C2", -0.0016, -1, 310, 1.526, None),
        ("C1", 0.0, 0, 310, 1.526, None),
        ("C3", 0.0, 1, 310, 1.526, None),
        ("C3", 0.0, 1, 310, 1.526, _THIRD),
    ],
    "K": [
        ("C2", -0.0016, -1, 310, 1.526, None),
        ("C2", 0.0, 0, 310, 1.526, None),
        ("C2", 0.0, 1, 310, 1.526, None),
        ("C2", 0.25, 2, 310, 1.526, None),
        ("N3", 0.75, 3, 367, 1.471, None),
    ],
    "E": [
        ("C2", -0.0016, -1, 310, 1.526, None),
        ("C2", -0.1, 0, 310, 1.526, None),
        ("C", 0.7, 1, 317, 1.522, None),
        ("O", -0.8, 2, 656, 1.250, None),
        ("O", -0.8, 2, 656, 1.250, _TRANS),
    ],
    "S": [
        ("C2", 0.1984, -1, 310, 1.526, None),
        ("OH", -0.65, 0, 320, 1.410, None),
        ("HO", 0.45, 1, 553, 0.960, None),
    ],
}

# Backbone torsions: those of a helix, of a strand, of a turn.
_BASINS: tuple[tuple[Turn, Turn], ...] = (
    ((0.544639035015, -0.838670567945), (0.681998360062, -0.731353701619)),
    ((-0.484809620246, -0.874619707139), (-0.390731128489, 0.920504853452)),
    ((0.258819045103, -0.965925826289), (-0.819152044289, 0.573576436351)),
    ((0.544639035015, 0.838670567945), (0.681998360062, 0.731353701619)),
)


def _turned(one: Turn, other: Turn) -> Turn:
    """The sum of two angles."""
    return one[0] * other[0] - one[1] * other[1], one[1] * other[0] + one[0] * other[1]


def _wobbled(random: Random, angle: Turn) -> Turn:
    """The angle, and at most 10 degrees more or less."""
    half = symmetric(random, 0.087)
    return _turned(angle, ((1 - half * half) / (1 + half * half), 2 * half / (1 + half * half)))


def _placed(first: Point, second: Point, third: Point, bond: float, angle: Turn, torsion: Turn) -> Point:
    """The atom that is bonded to the third one, by its bond, angle and torsion."""
    along = unit(add(third, second, -1))
    normal = unit(cross(add(second, first, -1), along))
    across = cross(normal, along)
    away = add(third, along, -bond * angle[0])
    away = add(away, across, bond * angle[1] * torsion[0])
    return add(away, normal, bond * angle[1] * torsion[1])


class _Chain:
    """Atoms with their bonds, growing."""

    def __init__(self) -> None:
        self.types: list[str] = []
        self.charges: list[float] = []
        self.places: list[Point] = []
        self.bonds: list[tuple[int, int, float, float]] = []
        self.parents: list[int] = []

    def put(self, kind: str, charge: float, place: Point, parent: int, stiffness: float, length: float) -> int:
        """Add an atom, bonded to ``parent`` unless that is negative; its number."""
        number = len(self.types)
        self.types.append(kind)
        self.charges.append(charge)
        self.places.append(place)
        self.parents.append(parent)
        if parent >= 0:
            self.bonds.append((parent, number, stiffness, length))
        return number

    def grow(
        self, kind: str, charge: float, path: tuple[int, int, int], stiffness: float, length: float, torsion: Turn
    ) -> int:
        """Add an atom that is bonded to the last one of the path; its number."""
        angle = _PLANAR if self.types[path[2]] in _FLAT else _TETRAHEDRAL
        first, second, third = (self.places[i] for i in path)
        place = _placed(first, second, third, length, angle, torsion)
        return self.put(kind, charge, place, path[2], stiffness, length)

    def fork(self) -> "_Chain":
        """A copy, to grow on its own."""
        copy = _Chain()
        copy.types, copy.charges = self.types[:], self.charges[:]
        copy.places, copy.bonds, copy.parents = self.places[:], self.bonds[:], self.parents[:]
        return copy

    def _bonds_between(self, first: int, second: int) -> int:
        """How many bonds apart two atoms are. The atoms are a tree, and a parent has a smaller number."""
        count = 0
        while first != second:
            first, second = max(first, second), min(first, second)
            first = self.parents[first]
            count += 1
        return count

    def room(self, start: int) -> float:
        """The least squared distance of the atoms from ``start`` on to others that are four bonds away or more.

        Where one is a hydrogen, or there are four bonds, it counts twice.
        """
        least = _ROOM
        for i in range(start, len(self.places)):
            x, y, z = self.places[i]
            for j, other in enumerate(self.places[:i]):
                dx, dy, dz = x - other[0], y - other[1], z - other[2]
                squared = dx * dx + dy * dy + dz * dz
                if squared < least and (bonds := self._bonds_between(i, j)) > 3:
                    twice = bonds == 4 or self.types[i] in _HYDROGEN or self.types[j] in _HYDROGEN
                    least = min(least, squared * (2 if twice else 1))
        return least


def _residue(random: Random, chain: _Chain, kind: str, ends: tuple[int, int, int], basin: int) -> tuple[int, int, int]:
    """Add a residue to the chain that ends with these atoms, and the next residue's nitrogen; the new ends."""
    phi, psi = (_wobbled(random, angle) for angle in _BASINS[basin])
    _, carbonyl, nitrogen = ends
    chain.grow("H", 0.2719, ends, 434, 1.010, _CIS)
    alpha = chain.grow("CT", 0.0337, ends, 337, 1.449, _TRANS)
    chain.grow("H1", 0.0823, (carbonyl, nitrogen, alpha), 340, 1.090, _turned(phi, _THIRD))
    side: list[int] = []
    parents = {-1: (carbonyl, nitrogen, alpha)}
    torsions: dict[int, Turn] = {}
    for name, charge, parent, stiffness, length, offset in _SIDES[kind]:
        if parent < 0:
            torsion = _turned(phi, _MINUS_THIRD)
        elif offset is None:
            torsion = torsions[parent] = _wobbled(random, pick(random, _STAGGERED))
        else:
            torsion = _turned(torsions[parent], offset)
        path = parents[parent]
        side.append(chain.grow(name, charge, path, stiffness, length, torsion))
        parents[len(side) - 1] = (path[1], path[2], side[-1])
    new_carbonyl = chain.grow("C", 0.5973, (carbonyl, nitrogen, alpha), 317, 1.522, phi)
    ends = (nitrogen, alpha, new_carbonyl)
    chain.grow("O", -0.5679, ends, 570, 1.229, _turned(psi, _TRANS))
    return alpha, new_carbonyl, chain.grow("N", -0.4157, ends, 490, 1.335, psi)


def _build(random: Random, kinds: Sequence[str]) -> tuple[_Chain, float]:
    """The chain, capped at both ends, in helices and strands with turns between, and its room where that is least."""
    chain = _Chain()
    methyl = chain.put("C3", 0.0, (0.0, 0.0, 0.0), -1, 0, 0)
    carbonyl = chain.put("C", 0.5679, (1.522, 0.0, 0.0), methyl, 317, 1.522)
    for kind, charge, torsion, stiffness, length in (
        ("O", -0.5679, _CIS, 570, 1.229),
        ("N", -0.4157, _TRANS, 490, 1.335),
    ):
        place = _placed((-0.5, 1.4, 0.0), chain.places[0], chain.places[1], length, _PLANAR, torsion)
        nitrogen = chain.put(kind, charge, place, carbonyl, stiffness, length)
    ends = (methyl, carbonyl, nitrogen)
    left, basin, least_room = 0, 0, _ROOM
    for kind in kinds:
        if left == 0:
            left, basin = between(random, 3, 8), below(random, 3)
        left -= 1
        start, best_room = len(chain.types), -1.0
        best, best_ends = chain, ends
        for attempt in range(40):
            grown = chain.fork()
            grown_ends = _residue(random, grown, kind, ends, basin if attempt < 4 else below(random, len(_BASINS)))
            room = grown.room(start)
            if room > best_room:
                best, best_ends, best_room = grown, grown_ends, room
            if room >= _ROOM:
                break
        chain, ends, least_room = best, best_ends, min(least_room, best_room)
    chain.grow("H", 0.2719, ends, 434, 1.010, _CIS)
    chain.grow("C3", 0.1438, ends, 337, 1.449, _TRANS)
    return chain, least_room


def _neighbours(chain: _Chain) -> list[list[int]]:
    neighbours: list[list[int]] = [[] for _ in chain.types]
    for first, second, _, _ in chain.bonds:
        neighbours[first].append(second)
        neighbours[second].append(first)
    return neighbours


def _terms(chain: _Chain) -> list[str]:
    """Lines of all bonds, angles and torsions, the improper ones included."""
    lines = [f"bond {first} {second} {stiffness:g} {length}" for first, second, stiffness, length in chain.bonds]
    neighbours = _neighbours(chain)
    for middle, around in enumerate(neighbours):
        is_flat = chain.types[middle] in _FLAT
        for i, first in enumerate(around):
            for last in around[i + 1 :]:
                light = chain.types[first] in _HYDROGEN or chain.types[last] in _HYDROGEN
                stiffness = (35 if light else 70) if is_flat else (50 if light else 63)
                radians = "2.0943951024" if is_flat else "1.9106332362"
                lines.append(f"angle {first} {middle} {last} {stiffness} {radians}")
    for second, third, _, _ in chain.bonds:
        flat = [chain.types[i] in _FLAT for i in (second, third)]
        height, fold, sign = (2.5, 2, -1) if all(flat) else (0.08, 3, 1) if any(flat) else (0.156, 3, 1)
        for first in neighbours[second]:
            for fourth in neighbours[third]:
                if first != third and fourth != second:
                    lines.append(f"torsion {first} {second} {third} {fourth} {height} {fold} {sign}")
    for centre, around in enumerate(neighbours):
        if chain.types[centre] in _FLAT and len(around) == 3:
            height = 1.1 if chain.types[centre] == "N" else 10.5
            lines.append(f"torsion {around[0]} {around[1]} {centre} {around[2]} {height} 2 -1")
    return lines


@generator("peptide")
def peptide(random: Random, *, residues: int = 12) -> bytes:
    """A chain of amino acids, for ``nab``: folded into helices and strands at random, with no place taken twice.

    All chains of so many residues have the same composition, and so the same number of atoms. Hydrogens
    on carbons other than the alpha carbons are part of these; the numbers are near to those of AMBER.
    """
    at_least("residues", residues, 1)
    kinds = [("A", "L", "K", "E", "S", "A", "L", "A")[i % 8] for i in range(residues)]
    shuffle(random, kinds)
    chain, room = _build(random, kinds)
    for _ in range(5):
        if room >= _ENOUGH_ROOM:
            break
        other, other_room = _build(random, kinds)
        if other_room > room:
            chain, room = other, other_room
    lines = [f"title {residues} residues, {len(chain.types)} atoms", *(f"type {k} {v}" for k, v in _TYPES.items())]
    for kind, charge, place in zip(chain.types, chain.charges, chain.places, strict=True):
        lines.append(f"atom {kind} {charge} {line(place, 4)}")
    lines += _terms(chain)
    return ("\n".join(lines) + "\n").encode("ascii")
