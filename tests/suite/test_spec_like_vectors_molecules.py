"""The molecular programs of spec-like give the energies and motions that they should.

Energies are calculated a second time, in Python and over all pairs of atoms; beyond that there are
closed solutions: the Madelung constant of rock salt, an oscillating bond, Born's equation, a pair of atoms at rest.
"""

import math
import re
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path

import pytest

from harness.base.errors import UsageError
from harness.suite.generators import generate
from harness.toolchain import find_toolchain

pytestmark = pytest.mark.slow

SOURCES = Path(__file__).parents[2] / "suites" / "spec-like" / "src"
TOOLCHAIN = find_toolchain()

Build = Callable[[str], Path]
Point = list[float]
Params = dict[str, int | str | bool]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compile a program at -O1, once."""
    folder = tmp_path_factory.mktemp("programs")

    def compile_once(name: str) -> Path:
        program = folder / name
        if not program.exists():
            files = sorted(str(path) for path in (SOURCES / name).glob("*.c*"))
            driver = TOOLCHAIN.tool("clang++" if name == "namd" else "clang")
            language = ["-std=c++17"] if name == "namd" else []
            command = [driver, *language, "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", *files]
            subprocess.run([*command, "-lm", "-o", str(program)], check=True, timeout=120)
        return program

    return compile_once


def run(program: Path, folder: Path, *arguments: str, status: int = 0) -> list[str]:
    """The lines that the program prints when run in ``folder``."""
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, timeout=60)
    assert done.returncode == status, done.stdout.decode() + done.stderr.decode()
    assert bool(done.stderr) == bool(status)
    return done.stdout.decode("ascii").splitlines()


def distances_in_bonds(atoms: int, bonds: Sequence[tuple[int, int]], most: int) -> dict[tuple[int, int], int]:
    """How many bonds apart two atoms are, where they are at most ``most``."""
    near: list[list[int]] = [[] for _ in range(atoms)]
    for first, second in bonds:
        near[first].append(second)
        near[second].append(first)
    found = {}
    for start in range(atoms):
        steps = {start: 0}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for there in near[here]:
                if there not in steps and steps[here] < most:
                    steps[there] = steps[here] + 1
                    queue.append(there)
        found.update({(start, there): count for there, count in steps.items() if there > start})
    return found


# namd


@dataclass
class Fluid:
    """A system as ``namd`` reads it."""

    settings: dict[str, float] = field(default_factory=lambda: {"dielectric": 1.0, "excluded": 2.0, "scale14": 1.0})
    types: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    pairs: dict[frozenset[str], tuple[float, float]] = field(default_factory=dict)
    molecules: dict[str, list[list[str]]] = field(default_factory=dict)
    box: Point = field(default_factory=list)
    atoms: list[tuple[str, float, Point]] = field(default_factory=list)
    bonds: list[tuple[int, int, float, float]] = field(default_factory=list)
    angles: list[tuple[int, int, int, float, float]] = field(default_factory=list)


def read_fluid(text: str) -> Fluid:
    fluid = Fluid()
    lines = iter(text.splitlines())
    for line in lines:
        keyword, *words = line.split()
        if keyword in fluid.settings:
            fluid.settings[keyword] = float(words[0])
        elif keyword == "type":
            mass, sigma, epsilon = map(float, words[1:])
            fluid.types[words[0]] = mass, sigma, epsilon
        elif keyword == "pair":
            fluid.pairs[frozenset(words[:2])] = float(words[2]), float(words[3])
        elif keyword == "molecule":
            fluid.molecules[words[0]] = list(iter(lambda: next(lines).split(), ["end"]))
        elif keyword == "box":
            fluid.box = [float(word) for word in words]
        elif keyword == "place":
            place(fluid, fluid.molecules[words[0]], int(words[1]), lines)
    return fluid


def place(fluid: Fluid, molecule: list[list[str]], count: int, lines: Iterator[str]) -> None:
    for _ in range(count):
        start = len(fluid.atoms)
        for keyword, *words in molecule:
            if keyword == "atom":
                fluid.atoms.append((words[0], float(words[1]), [float(word) for word in next(lines).split()]))
            elif keyword == "bond":
                i, j = (start + int(word) for word in words[:2])
                fluid.bonds.append((i, j, float(words[2]), float(words[3])))
            else:
                i, j, k = (start + int(word) for word in words[:3])
                fluid.angles.append((i, j, k, float(words[3]), float(words[4])))


COULOMB = 138.93545764
ALPHA, SURROUNDINGS = 2.5, 78.5


def charge_functions(kind: str, cutoff: float) -> tuple[Callable[[float], float], float]:
    """The energy of two charges of 1, and of one with itself."""
    if kind == "none":
        return (lambda _: 0.0), 0.0
    if kind == "shifted":
        return (lambda r: (1 - (r / cutoff) ** 2) ** 2 / r), 0.0
    if kind == "reaction-field":
        curvature = (SURROUNDINGS - 1) / (2 * SURROUNDINGS + 1) / cutoff**3
        constant = 1 / cutoff + curvature * cutoff**2
        return (lambda r: 1 / r + curvature * r * r - constant), -constant / 2
    last = math.erfc(ALPHA * cutoff) / cutoff
    bell = 2 * ALPHA / math.sqrt(math.pi) * math.exp(-((ALPHA * cutoff) ** 2))
    slope = -(last + bell) / cutoff
    self = -ALPHA / math.sqrt(math.pi) - (last - slope * cutoff) / 2
    return (lambda r: math.erfc(ALPHA * r) / r - last - slope * (r - cutoff)), self


def energies_of(fluid: Fluid, kind: str, cutoff: float, begin: float) -> tuple[list[float], float]:
    """Energies of bonds, angles, dispersion and charges, and the virial, from differences of the energy by size."""
    sides = fluid.box

    def between(i: int, j: int) -> Point:
        first, second = fluid.atoms[i][2], fluid.atoms[j][2]
        return [a - b - side * round((a - b) / side) for a, b, side in zip(first, second, sides, strict=True)]

    charge_energy, self = charge_functions(kind, cutoff)

    def dispersion(sigma: float, epsilon: float, r: float) -> float:
        energy = 4 * epsilon * ((sigma / r) ** 12 - (sigma / r) ** 6)
        if r > begin:
            outer, inner = cutoff**2 - r * r, begin**2
            energy *= outer**2 * (cutoff**2 + 2 * r * r - 3 * inner) / (cutoff**2 - inner) ** 3
        return energy

    apart = distances_in_bonds(len(fluid.atoms), [bond[:2] for bond in fluid.bonds], 3)
    sums, virial, step = [0.0] * 4, 0.0, 1e-6
    for i, j, stiffness, length in fluid.bonds:
        r = math.dist(between(i, j), (0, 0, 0))
        sums[0] += stiffness / 2 * (r - length) ** 2
        virial -= stiffness * (r - length) * r
    for i, j, k, stiffness, cosine in fluid.angles:
        left, right = between(i, j), between(k, j)
        found = sum(map(float.__mul__, left, right)) / math.hypot(*left) / math.hypot(*right)
        sums[1] += stiffness / 2 * (found - cosine) ** 2
    for i, j in combinations(range(len(fluid.atoms)), 2):
        r = math.hypot(*between(i, j))
        bonds = apart.get((i, j), 4)
        if r >= cutoff or bonds <= fluid.settings["excluded"]:
            continue
        scale = fluid.settings["scale14"] if bonds == 3 else 1.0
        (one, q, _), (other, p, _) = fluid.atoms[i], fluid.atoms[j]
        mixed = (
            (fluid.types[one][1] + fluid.types[other][1]) / 2,
            math.sqrt(fluid.types[one][2] * fluid.types[other][2]),
        )
        sigma, epsilon = fluid.pairs.get(frozenset((one, other)), mixed)
        strength = COULOMB / fluid.settings["dielectric"] * q * p

        def pair_energy(r: float, s: float = sigma, e: float = epsilon, c: float = strength) -> float:
            return dispersion(s, e, r) + c * charge_energy(r)

        sums[2] += scale * dispersion(sigma, epsilon, r)
        sums[3] += scale * strength * charge_energy(r)
        virial -= scale * r * (pair_energy(r * (1 + step)) - pair_energy(r * (1 - step))) / (2 * step * r)
    sums[3] += self * COULOMB / fluid.settings["dielectric"] * sum(q * q for _, q, _ in fluid.atoms)
    return sums, virial


def energy_lines(lines: Sequence[str]) -> list[list[float]]:
    """The lines of the tables: step, bond, angle, dispersion, charge, kinetic, total, temperature, pressure."""
    return [[float(word) for word in line.split()] for line in lines if re.match(r" +\d", line)]


FLUIDS: list[tuple[str, str, Params]] = [
    ("none", "0.85", {"style": "noble", "side": 6}),
    ("damped", "0.60", {"style": "water", "side": 5, "ions": 6}),
    ("reaction-field", "0.60", {"style": "water", "side": 5}),
    ("shifted", "1.10", {"style": "beads", "side": 6, "chains": 5, "length": 10}),
    ("damped", "1.10", {"style": "beads", "side": 6, "chains": 4, "length": 15}),
]


@pytest.mark.parametrize(("kind", "cutoff", "params"), FLUIDS)
def test_namd_energies(build: Build, tmp_path: Path, kind: str, cutoff: str, params: Params) -> None:
    data = generate("fluid", 3, params)
    (tmp_path / "fluid").write_bytes(data)
    begin = float(cutoff) - 0.1
    settings = [f"electrostatics={kind}", f"cutoff={cutoff}", f"switchdist={begin}", "slack=0.08"]
    lines = run(build("namd"), tmp_path, *settings, "steps=0", "fluid")
    _, *found, kinetic, total, temperature, pressure = energy_lines(lines)[0]
    expected, virial = energies_of(read_fluid(data.decode()), kind, float(cutoff), begin)
    assert found == pytest.approx(expected, rel=1e-6, abs=2e-6)
    assert total == pytest.approx(sum(found) + kinetic, abs=1e-5)
    assert temperature == pytest.approx(300)
    side = read_fluid(data.decode()).box[0]
    assert pressure == pytest.approx(16.6053906717 * (2 * kinetic + virial) / (3 * side**3), rel=1e-5)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("kind", "cutoff", "params"), FLUIDS[:4])
def test_namd_forces_are_slopes(
    build: Build, tmp_path: Path, kind: str, cutoff: str, params: Params, seed: int
) -> None:
    (tmp_path / "fluid").write_bytes(generate("fluid", seed, params))
    settings = [f"electrostatics={kind}", f"cutoff={cutoff}", "switchdist=0.5", "slack=0.05", "minimize=20"]
    lines = run(build("namd"), tmp_path, *settings, "steps=5", "timestep=0.5", "numeric=3", "check=40", "fluid")
    assert "forces are slopes of the energy: ok" in lines
    assert "forces are direct sums: ok" in lines
    before, after = energy_lines(lines)[:2]
    assert sum(after[1:5]) < sum(before[1:5])


def rock_salt(side: int, spacing: float) -> str:
    cells = list(product(range(side), repeat=3))
    places = {sign: [cell for cell in cells if sum(cell) % 2 == (sign < 0)] for sign in (1, -1)}
    lines = ["type X 20 0.1 0", *("molecule plus", "atom X 1", "end", "molecule minus", "atom X -1", "end")]
    lines.append(f"box {side * spacing} {side * spacing} {side * spacing}")
    for name, sign in (("plus", 1), ("minus", -1)):
        lines.append(f"place {name} {len(places[sign])}")
        lines += [" ".join(f"{spacing * c:.4f}" for c in cell) for cell in places[sign]]
    return "\n".join(lines) + "\n"


def test_namd_knows_the_madelung_constant(build: Build, tmp_path: Path) -> None:
    (tmp_path / "salt").write_text(rock_salt(10, 0.282))
    settings = ["electrostatics=damped", "damping=2.5", "cutoff=1.35", "slack=0.05", "check=0"]
    lines = run(build("namd"), tmp_path, *settings, "steps=0", "temperature=0", "salt")
    energy = energy_lines(lines)[0][4]
    assert energy == pytest.approx(-1.7475646 * COULOMB / 0.282 * 500, rel=3e-6)


def test_namd_lets_a_bond_oscillate(build: Build, tmp_path: Path) -> None:
    stiffness, masses, stretch = 5000.0, (3.0, 6.0), 0.004
    atoms = ["type A 3 0.1 0", "type B 6 0.1 0", "molecule AB", "atom A 0", "atom B 0", "bond 0 1 5000 0.2", "end"]
    (tmp_path / "bond").write_text("\n".join([*atoms, "box 3 3 3", "place AB 1", "2.95 1 1", "3.154 1 1", ""]))
    settings = ["electrostatics=none", "check=0", "temperature=0", "timestep=0.2", "outputenergies=5"]
    lines = run(build("namd"), tmp_path, *settings, "steps=900", "tolerance=0.001", "reverse=yes", "bond")
    frequency = math.sqrt(stiffness * (1 / masses[0] + 1 / masses[1]))
    whole = stiffness / 2 * stretch**2
    forward = energy_lines(lines)[:181]
    for step, energy, *_ in forward:
        assert energy == pytest.approx(whole * math.cos(frequency * step * 0.0002) ** 2, abs=0.002 * whole)
    assert "way back to the beginning: ok" in lines


def test_namd_notices_what_goes_wrong(build: Build, tmp_path: Path) -> None:
    (tmp_path / "fluid").write_bytes(generate("fluid", 5, {"style": "water", "side": 5}))
    settings = ["electrostatics=damped", "cutoff=0.6", "switchdist=0.5"]
    assert not run(build("namd"), tmp_path, *settings, "timestep=50", "fluid", status=1)[-1].startswith("checksum")
    lines = run(build("namd"), tmp_path, *settings, "steps=30", "tolerance=1e-9", "fluid", status=1)
    assert lines[-1] == "conservation of energy: FAILED"


TINY = "type A 10 0.3 1\nmolecule M\natom A 0\natom A 0\nbond 0 1 1000 0.3\nend\nbox 3 3 3\nplace M 1\n1 1 1\n1.3 1 1\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("type A", "type"),
        ("10 0.3 1", "10 0.3 nan"),
        ("bond 0 1", "bond 0 2"),
        ("bond 0 1", "bond 1 1"),
        ("1000 0.3", "1000"),
        ("end\n", ""),
        ("box 3 3 3\n", ""),
        ("box 3 3 3", "box 3 3 1.9"),
        ("place M 1", "place M 2"),
        ("place M 1", "place N 1"),
        ("1.3 1 1\n", "1.3 1 1\n1.6 1 1\n"),
        ("1.3 1 1\n", "1.3 1 x\n"),
        ("1.3 1 1\n", "1.3 1 1 1\n"),
        ("atom A 0", "atom A 0 0"),
        (TINY, ""),
    ],
)
def test_namd_refuses_a_broken_system(build: Build, tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "good").write_text(TINY)
    (tmp_path / "bad").write_text(TINY.replace(old, new, 1))
    run(build("namd"), tmp_path, "steps=2", "good")
    assert not run(build("namd"), tmp_path, "steps=2", "bad", status=2)


def test_namd_refuses_bad_usage(build: Build, tmp_path: Path) -> None:
    (tmp_path / "good").write_text(TINY)
    for arguments in ([], ["absent"], ["good", "good"], ["-x", "good"], ["step=1", "good"], ["steps=x", "good"]):
        run(build("namd"), tmp_path, *arguments, status=2)
    for argument in ("steps=-1", "steps=1 2", "electrostatics=x", "cutoff=0.5", "reverse=maybe", "seed="):
        run(build("namd"), tmp_path, argument, "good", status=2)


# nab


@dataclass
class Molecule:
    """A molecule as ``nab`` reads it: its items are the words of the lines."""

    types: dict[str, list[float]] = field(default_factory=dict)
    atoms: list[tuple[str, float, Point]] = field(default_factory=list)
    bond: list[list[float]] = field(default_factory=list)
    angle: list[list[float]] = field(default_factory=list)
    torsion: list[list[float]] = field(default_factory=list)


def read_peptide(text: str) -> Molecule:
    molecule = Molecule()
    for line in text.splitlines():
        keyword, *words = line.split()
        if keyword == "type":
            molecule.types[words[0]] = [float(word) for word in words[1:]]
        elif keyword == "atom":
            molecule.atoms.append((words[0], float(words[1]), [float(word) for word in words[2:]]))
        elif keyword != "title":
            getattr(molecule, keyword).append([float(word) for word in words])
    return molecule


def minus(left: Point, right: Point) -> Point:
    return [a - b for a, b in zip(left, right, strict=True)]


def dot(left: Point, right: Point) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def cross(a: Point, b: Point) -> Point:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def torsion_of(a: Point, b: Point, c: Point, d: Point) -> float:
    first, axis, last = minus(b, a), minus(c, b), minus(d, c)
    left, right = cross(first, axis), cross(axis, last)
    return math.atan2(dot(cross(left, right), axis) / math.hypot(*axis), dot(left, right))


def descreening_by_integration(r: float, rho: float, s: float) -> float:
    """The integral of 1/(4 pi d^4) over a sphere of radius s at a distance r, outside of rho, by shells of Gauss."""
    low, high = max(rho, abs(r - s)), r + s
    if high <= low:
        return 0.0
    whole = 1 / rho - 1 / low if s > r + rho else 0.0
    steps = 4000
    width = (high - low) / steps
    total = 0.0
    for i in range(steps):
        d = low + (i + 0.5) * width
        # The part of the shell of radius d that is inside of the sphere.
        total += width * (1 - (r * r + d * d - s * s) / (2 * r * d)) / 2 / (d * d)
    return whole + total


def born_radii(molecule: Molecule, radii: str, descreening: Callable[[float, float, float], float]) -> list[float]:
    found = []
    for i, (kind, _, here) in enumerate(molecule.atoms):
        radius = molecule.types[kind][3]
        rho = radius - 0.09
        integral = 0.0
        for j, (other, _, there) in enumerate(molecule.atoms):
            if i != j:
                s = molecule.types[other][4] * (molecule.types[other][3] - 0.09)
                integral += descreening(math.dist(here, there), rho, s)
        if radii == "obc":
            psi = integral * rho
            inverse = 1 / rho - math.tanh(psi - 0.8 * psi**2 + 4.85 * psi**3) / radius
        else:
            inverse = 1 / rho - integral
        found.append(1 / inverse if inverse > 1 / 30 else 30.0)
    return found


def closed_descreening(r: float, rho: float, s: float) -> float:
    low, high = max(rho, abs(r - s)), r + s
    if high <= low:
        return 0.0
    whole = 1 / rho - 1 / low if s > r + rho else 0.0
    bend = (r - s * s / r) * (1 / high**2 - 1 / low**2) / 8
    return whole + (1 / low - 1 / high) / 2 + bend + math.log(low / high) / (4 * r)


KCAL = 332.0637141491396


def peptide_energies(molecule: Molecule, radii: str, kappa: float) -> dict[str, float]:
    places = [place for _, _, place in molecule.atoms]
    sums = dict.fromkeys(("bond", "angle", "torsion", "contact", "charge", "born"), 0.0)
    for i, j, stiffness, length in molecule.bond:
        sums["bond"] += stiffness * (math.dist(places[int(i)], places[int(j)]) - length) ** 2
    for i, j, k, stiffness, radians in molecule.angle:
        left, right = minus(places[int(i)], places[int(j)]), minus(places[int(k)], places[int(j)])
        found = math.acos(dot(left, right) / math.hypot(*left) / math.hypot(*right))
        sums["angle"] += stiffness * (found - radians) ** 2
    for i, j, k, m, height, fold, sign in molecule.torsion:
        found = torsion_of(*(places[int(n)] for n in (i, j, k, m)))
        sums["torsion"] += height * (1 + sign * math.cos(fold * found))
    apart = distances_in_bonds(len(places), [(int(bond[0]), int(bond[1])) for bond in molecule.bond], 3)
    effective = born_radii(molecule, radii, closed_descreening)
    for i, (kind, q, here) in enumerate(molecule.atoms):
        salt = math.exp(-kappa * effective[i])
        sums["born"] -= KCAL / 2 * q * q * (1 - salt / 78.5) / effective[i]
        for j in range(i + 1, len(places)):
            other, p, there = molecule.atoms[j]
            r, bonds = math.dist(here, there), apart.get((i, j), 4)
            area = effective[i] * effective[j]
            f = math.sqrt(r * r + area * math.exp(-r * r / (4 * area)))
            sums["born"] -= KCAL * q * p * (1 - math.exp(-kappa * f) / 78.5) / f
            if bonds >= 3:
                ratio = (molecule.types[kind][1] + molecule.types[other][1]) / r
                depth = math.sqrt(molecule.types[kind][2] * molecule.types[other][2])
                sums["contact"] += depth * (ratio**12 - 2 * ratio**6) / (2 if bonds == 3 else 1)
                sums["charge"] += KCAL * q * p / r / (1.2 if bonds == 3 else 1)
    return sums


def shown_terms(lines: Sequence[str], when: str) -> dict[str, float]:
    at = next(i for i, line in enumerate(lines) if line.startswith(f"{when}: energy"))
    return {name: float(number) for name, number in re.findall(r"(\w+) (-?\d+\.\d+)", lines[at + 1])}


def shown_energy(lines: Sequence[str], when: str) -> float:
    return float(next(line.split()[-4].rstrip(",") for line in lines if line.startswith(f"{when}: energy")))


@pytest.mark.parametrize(("radii", "kappa", "seed"), [("obc", 0, 1), ("hct", 0, 2), ("obc", 0.1, 3), ("hct", 0.3, 4)])
def test_nab_energies(build: Build, tmp_path: Path, radii: str, kappa: float, seed: int) -> None:
    data = generate("peptide", seed, {"residues": 8})
    (tmp_path / "peptide").write_bytes(data)
    lines = run(build("nab"), tmp_path, "-b", radii, "-k", str(kappa), "peptide")
    expected = peptide_energies(read_peptide(data.decode()), radii, kappa)
    found = shown_terms(lines, "at first")
    assert found == pytest.approx(expected, rel=1e-7, abs=2e-6)
    assert shown_energy(lines, "at first") == pytest.approx(sum(expected.values()), rel=1e-7, abs=2e-6)


def test_nab_radii_are_integrals(build: Build, tmp_path: Path) -> None:
    """One small atom within the large sphere of another, one that overlaps, one apart."""
    types = "type S 10 1 0 1.2 0.9\ntype L 10 1 0 3.5 0.9\n"
    places = ["S 0 0.5 0.3 0", "L 0 0 0 0", "S 0 3.6 0 0", "L 0 0 9 1"]
    text = types + "".join(f"atom {place}\n" for place in places)
    (tmp_path / "atoms").write_text(text)
    for radii in ("hct", "obc"):
        lines = run(build("nab"), tmp_path, "-b", radii, "atoms")
        expected = born_radii(read_peptide(text), radii, descreening_by_integration)
        shown = next(line for line in lines if line.startswith("Born radii"))
        low, low_atom, high, high_atom, mean = map(float, re.findall(r"\d+(?:\.\d+)?", shown))
        assert [low, high, mean] == pytest.approx([min(expected), max(expected), sum(expected) / 4], rel=1e-5)
        assert (expected[int(low_atom)], expected[int(high_atom)]) == (min(expected), max(expected))


def test_nab_knows_borns_equation(build: Build, tmp_path: Path) -> None:
    (tmp_path / "ions").write_text("type I 20 2 0.1 2.09 0.8\natom I 1 0 0 0\natom I -2 9000 0 0\n")
    lines = run(build("nab"), tmp_path, "-b", "hct", "ions")
    pair = KCAL * 2 / 9000
    expected = -KCAL / 2 * (1 - 1 / 78.5) * (1 + 4) / 2 + pair * (1 - 1 / 78.5)
    assert shown_terms(lines, "at first")["born"] == pytest.approx(expected, rel=1e-6)
    assert shown_terms(lines, "at first")["charge"] == pytest.approx(-pair, abs=1e-6)


@pytest.mark.parametrize("method", ["cg", "lbfgs"])
@pytest.mark.parametrize("start", [2.9, 4.5])
def test_nab_brings_two_atoms_to_rest(build: Build, tmp_path: Path, method: str, start: float) -> None:
    (tmp_path / "pair").write_text(f"type A 20 2 0.25 2 0\natom A 0 0 0 0\natom A 0 {start} 0.1 0.2\n")
    lines = run(build("nab"), tmp_path, "-m", method, "-i", "100", "-e", "1e-7", "pair")
    assert shown_terms(lines, "minimised")["contact"] == pytest.approx(-0.25, abs=1e-6)


@pytest.mark.parametrize("method", ["cg", "lbfgs"])
def test_nab_minimises(build: Build, tmp_path: Path, method: str) -> None:
    (tmp_path / "peptide").write_bytes(generate("peptide", 5, {"residues": 4}))
    lines = run(build("nab"), tmp_path, "-m", method, "-i", "3000", "-e", "0.02", "peptide")
    energies = [float(line.split()[3].rstrip(",")) for line in lines if line.startswith("iteration")]
    assert energies == sorted(energies, reverse=True)
    slope = next(float(line.split()[-1]) for line in lines if line.startswith("minimised: energy"))
    assert slope <= 0.02


@pytest.mark.parametrize("seed", range(4))
def test_nab_slopes_are_differences(build: Build, tmp_path: Path, seed: int) -> None:
    (tmp_path / "peptide").write_bytes(generate("peptide", seed, {"residues": 6}))
    for radii, iterations in (("obc", "0"), ("hct", "20")):
        options = ["-b", radii, "-k", "0.1", "-i", iterations, "-g", "60"]
        assert "slopes are differences: ok" in run(build("nab"), tmp_path, *options, "peptide")


def test_nab_conserves(build: Build, tmp_path: Path) -> None:
    (tmp_path / "peptide").write_bytes(generate("peptide", 6, {"residues": 5}))
    lines = run(build("nab"), tmp_path, "-i", "200", "-n", "200", "-d", "0.5", "peptide")
    totals = [float(line.split()[7].rstrip(",")) for line in lines if line.startswith("step")]
    assert len(totals) == 21
    for what in ("energy", "momentum", "angular momentum"):
        assert f"conservation of {what}: ok" in lines


PAIR = "type A 10 1.5 0.1 1.5 0.8\natom A 0.5 0 0 0\natom A -0.5 3 0 0\nbond 0 1 300 3\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("type A", "type B"),
        ("1.5 0.8", "1.5"),
        ("0.1 1.5", "x 1.5"),
        ("-0.5 3", "-0.5 nan"),
        ("-0.5 3 0 0", "-0.5 0 0 0"),
        ("bond 0 1", "bond 0 2"),
        ("bond 0 1", "bond 1 1"),
        ("bond 0 1", "bond 0 0.5"),
        ("300 3", "300 3 3"),
        ("bond", "bend"),
        (PAIR, ""),
    ],
)
def test_nab_refuses_a_broken_molecule(build: Build, tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "good").write_text(PAIR)
    (tmp_path / "bad").write_text(PAIR.replace(old, new, 1))
    run(build("nab"), tmp_path, "-i", "3", "-n", "3", "good")
    run(build("nab"), tmp_path, "-i", "3", "bad", status=2)


def test_nab_refuses_bad_usage(build: Build, tmp_path: Path) -> None:
    (tmp_path / "good").write_text(PAIR)
    for arguments in ([], ["absent"], ["good", "good"], ["-x", "1", "good"], ["-i", "good"], ["good", "-i"]):
        run(build("nab"), tmp_path, *arguments, status=2)
    for option in (["-m", "x"], ["-b", "x"], ["-i", "-1"], ["-i", "1.5"], ["-d", "0"], ["-n", "9x"]):
        run(build("nab"), tmp_path, *option, "good", status=2)


# Generators


@pytest.mark.parametrize("seed", [1, 2, 77777])
def test_fluids_are_of_one_kind(seed: int) -> None:
    for _, _, params in FLUIDS:
        fluid, other = (read_fluid(generate("fluid", s, params).decode()) for s in (seed, seed + 1))
        assert len(fluid.atoms) == len(other.atoms)
        assert len(fluid.bonds) == len(other.bonds)
        assert sum(charge for _, charge, _ in fluid.atoms) == pytest.approx(0, abs=1e-9)
        assert fluid.atoms != other.atoms


@pytest.mark.parametrize("seed", [1, 2, 77777])
def test_peptides_are_of_one_kind(seed: int) -> None:
    molecule, other = (read_peptide(generate("peptide", s, {"residues": 16}).decode()) for s in (seed, seed + 1))
    assert len(molecule.atoms) == len(other.atoms)
    assert len(molecule.torsion) == len(other.torsion)
    assert sum(charge for _, charge, _ in molecule.atoms) == pytest.approx(0, abs=1e-9)
    apart = distances_in_bonds(len(molecule.atoms), [(int(b[0]), int(b[1])) for b in molecule.bond], 5)
    for i, j in combinations(range(len(molecule.atoms)), 2):
        if (i, j) not in apart:
            assert math.dist(molecule.atoms[i][2], molecule.atoms[j][2]) > 1.0


def test_generators_refuse() -> None:
    wrong: list[tuple[str, Params]] = [
        ("fluid", {"style": "wine"}),
        ("fluid", {"side": 1}),
        ("fluid", {"side": 3, "ions": 14}),
        ("fluid", {"style": "beads", "side": 4, "chains": 3, "length": 10}),
        ("peptide", {"residues": 0}),
    ]
    for name, params in wrong:
        with pytest.raises(UsageError):
            generate(name, 1, params)
