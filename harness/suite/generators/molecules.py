"""Molecules for simulations, as text: fluids in a periodic box."""

from random import Random

from harness.base.errors import UsageError
from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, one_of, pick, shuffle
from harness.suite.generators._space import Point, add, cross, direction, jittered, line, unit

__all__ = ["fluid"]


# Fluids: nm, atomic mass units, elementary charges, kJ/mol.


@generator("fluid")
def fluid(
    random: Random, *, style: str = "water", side: int = 6, ions: int = 0, chains: int = 0, length: int = 12
) -> bytes:
    """Molecules in a periodic box, for ``namd``, about ``side``³ of them, placed near a lattice of as many sites.

    ``style``: "noble" (four atoms of argon to one of krypton), "water" (flexible, of three atoms each;
    ``ions`` pairs of sodium and chlorine instead of some), or "beads" (``chains`` chains of ``length``
    beads, some of them charged, counter-ions, and single beads as the solvent).
    """
    at_least("side", side, 2)
    at_least("ions", ions, 0)
    at_least("chains", chains, 0)
    at_least("length", length, 4)
    one_of("style", style, ["noble", "water", "beads"])
    if style == "noble":
        lines = _noble(random, side)
    elif style == "water":
        lines = _water(random, side, ions)
    else:
        lines = _beads(random, side, chains, length)
    return ("\n".join(lines) + "\n").encode("ascii")


def _cells(side: int) -> list[tuple[int, int, int]]:
    return [(x, y, z) for z in range(side) for y in range(side) for x in range(side)]


def _site(cell: tuple[int, int, int], spacing: float) -> Point:
    return (cell[0] + 0.5) * spacing, (cell[1] + 0.5) * spacing, (cell[2] + 0.5) * spacing


def _box(side: int, spacing: float) -> str:
    edge = side * spacing
    return f"box {line((edge, edge, edge), 5)}"


def _noble(random: Random, side: int) -> list[str]:
    spacing = 0.363
    cells = _cells(side)
    shuffle(random, cells)
    krypton = len(cells) // 5
    lines = [
        "title argon and krypton",
        "type Ar 39.948 0.3405 0.9961",
        "type Kr 83.798 0.3633 1.3900",
        *("molecule Ar", "atom Ar 0", "end", "molecule Kr", "atom Kr 0", "end"),
        _box(side, spacing),
    ]
    for name, part in (("Kr", cells[:krypton]), ("Ar", cells[krypton:])):
        if part:
            lines.append(f"place {name} {len(part)}")
            lines += [line(jittered(random, _site(cell, spacing), 0.02), 5) for cell in part]
    return lines


def _water(random: Random, side: int, ions: int) -> list[str]:
    """The flexible water of Y. Wu, H. L. Tepper and G. A. Voth, 2006, its angle harmonic in the cosine."""
    spacing = 0.3107
    cells = _cells(side)
    if 2 * ions >= len(cells):
        raise UsageError(f"ions = {ions}: so many pairs leave no water")
    shuffle(random, cells)
    lines = [
        "title water" + (" with salt" if ions else ""),
        "type OW 15.9994 0.3165492 0.650299",
        "type HW 1.008 0 0",
        "type Na 22.9898 0.2350 0.5439",
        "type Cl 35.453 0.4401 0.4184",
        *("molecule water", "atom OW -0.82", "atom HW 0.41", "atom HW 0.41"),
        *("bond 0 1 443153.4 0.1012", "bond 0 2 443153.4 0.1012", "angle 1 0 2 376.127 -0.394583", "end"),
        *("molecule Na", "atom Na 1", "end", "molecule Cl", "atom Cl -1", "end"),
        _box(side, spacing),
    ]
    for name, start in (("Na", 0), ("Cl", ions)):
        if ions:
            lines.append(f"place {name} {ions}")
            lines += [line(_site(cell, spacing), 5) for cell in cells[start : start + ions]]
    lines.append(f"place water {len(cells) - 2 * ions}")
    for cell in cells[2 * ions :]:
        oxygen = jittered(random, _site(cell, spacing), 0.01)
        axis = direction(random)
        across = unit(cross(axis, direction(random)))
        lines.append(line(oxygen, 5))
        for sign in (-0.0845060, 0.0845060):
            lines.append(line(add(add(oxygen, axis, 0.0556792), across, sign), 5))
    return lines


def _walk(random: Random, side: int, length: int, free: set[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """A chain of neighbouring free cells, which are not free from then on. It may leave the box."""
    steps = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    starts = sorted(free)
    for _ in range(10_000):
        chain = [pick(random, starts)]
        taken = {chain[0]}
        while len(chain) < length:
            x, y, z = chain[-1]
            choices = []
            for dx, dy, dz in steps:
                inside = (x + dx) % side, (y + dy) % side, (z + dz) % side
                if inside in free and inside not in taken:
                    choices.append((x + dx, y + dy, z + dz))
            if not choices:
                break
            x, y, z = pick(random, choices)
            chain.append((x, y, z))
            taken.add((x % side, y % side, z % side))
        else:
            free -= taken
            return chain
    raise UsageError("there is no place for so many chains")


def _beads(random: Random, side: int, chains: int, length: int) -> list[str]:
    """Beads of four heavy atoms each, in the manner of MARTINI (S. J. Marrink et al., 2007)."""
    spacing = 0.4947
    if 5 * chains * length > 2 * side**3:
        raise UsageError(f"chains = {chains}: chains fill more than two fifths of the box")
    free = set(_cells(side))
    kinds = 3
    charged = length // 5
    lines = [
        "title chains of charged beads",
        *("dielectric 15", "excluded 2", "scale14 0.5"),
        *(f"type {name} 72 0.47 {depth}" for name, depth in (("A", 3.5), ("P", 5), ("N", 3.5), ("Q", 3.5))),
        *("pair A P 0.47 2", "pair P N 0.47 5", "pair P Q 0.47 5", "pair A N 0.52 2", "pair A Q 0.52 2"),
    ]
    for kind in range(kinds):
        names = ["N"] * charged + ["P"] * (length // 3) + ["A"] * (length - charged - length // 3)
        shuffle(random, names)
        lines.append(f"molecule chain{kind}")
        lines += [f"atom {name} {-1 if name == 'N' else 0}" for name in names]
        lines += [f"bond {i} {i + 1} 1250 0.47" for i in range(length - 1)]
        lines += [f"angle {i} {i + 1} {i + 2} 25 -0.5" for i in range(length - 2)]
        lines.append("end")
    lines += ["molecule ion", "atom Q 1", "end", "molecule bead", "atom P 0", "end", _box(side, spacing)]
    for number in range(chains):
        lines.append(f"place chain{number % kinds} 1")
        for cell in _walk(random, side, length, free):
            lines.append(line(jittered(random, _site(cell, spacing), 0.03), 4))
    rest = sorted(free)
    shuffle(random, rest)
    for name, part in (("ion", rest[: chains * charged]), ("bead", rest[chains * charged :])):
        if part:
            lines.append(f"place {name} {len(part)}")
            lines += [line(jittered(random, _site(cell, spacing), 0.03), 4) for cell in part]
    return lines
