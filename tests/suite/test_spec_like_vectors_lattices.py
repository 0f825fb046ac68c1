"""The programs of spec-like that compute on lattices give the answers that they should.

Flows are compared with their closed solutions and with a plain lattice Boltzmann program in Python,
gauge fields with the integral of a single plaquette, propagators with those of free quarks.
"""

import math
import re
import subprocess
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest

from harness.suite.generators import generate
from harness.toolchain import find_toolchain

pytestmark = pytest.mark.slow

SOURCES = Path(__file__).parents[2] / "suites" / "spec-like" / "src"
CLANG = find_toolchain().tool("clang")

Build = Callable[[str], Path]
Place = tuple[int, int, int]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compile a program at -O1, once."""
    folder = tmp_path_factory.mktemp("programs")

    def compile_once(name: str) -> Path:
        program = folder / name
        if not program.exists():
            files = sorted(str(path) for path in (SOURCES / name).glob("*.c"))
            command = [CLANG, "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", *files]
            subprocess.run([*command, "-lm", "-o", str(program)], check=True, timeout=120)
        return program

    return compile_once


def run(program: Path, folder: Path, *arguments: str, status: int = 0) -> list[str]:
    """The lines that the program prints when run in ``folder``."""
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, timeout=60)
    assert done.returncode == status, done.stderr.decode()
    assert (status == 2) == bool(done.stderr)
    return done.stdout.decode("ascii").splitlines()


def numbers_after(lines: list[str], label: str) -> list[list[float]]:
    """The numbers of all lines that begin with a label, after it."""
    return [
        [float(n) for n in re.findall(r"-?\d+\.\d+(?:e[+-]\d+)?", line)] for line in lines if line.startswith(label)
    ]


# lbm


def write_medium(folder: Path, sides: Place, solid: set[Place] | None = None) -> None:
    x, y, z = sides
    rows = ["".join("#" if (i, j, k) in (solid or ()) else "." for i in range(x)) for k in range(z) for j in range(y)]
    (folder / "medium").write_text(f"porous {x} {y} {z}\n" + "\n".join(rows) + "\n")


@pytest.mark.parametrize(("model", "viscosity"), [("trt", 0.1), ("trt", 0.4), ("bgk", math.sqrt(3) / 12)])
def test_lbm_flow_between_plates_is_a_parabola(build: Build, tmp_path: Path, model: str, viscosity: float) -> None:
    height, force = 8, 1e-6
    write_medium(tmp_path, (1, 2, height))
    options = ["-w", "channel", "-c", model, "-n", "5000", "-v", repr(viscosity), "-x", repr(force), "-p"]
    lines = run(build("lbm"), tmp_path, *options, "medium", "slice")
    middles = [0.5 + i for i in range(height)]
    expected = [force / (2 * viscosity) * z * (height - z) for z in middles]
    for (along, across, up), speed in zip(numbers_after(lines, "plane"), expected, strict=True):
        assert along == pytest.approx(speed, rel=1e-7)
        assert abs(across) + abs(up) < 1e-9 * speed
    [[permeability]] = numbers_after(lines, "permeability")
    assert permeability == pytest.approx(viscosity * sum(expected) / height / force, rel=1e-6)
    image = (tmp_path / "slice").read_bytes().removeprefix(b"P5\n1 8\n65535\n")
    speeds = [int.from_bytes(image[i : i + 2], "big") for i in range(0, 16, 2)]
    assert speeds == pytest.approx([1 + 65534 * speed / max(expected) for speed in expected], abs=1.01)


@pytest.mark.parametrize("model", ["bgk", "trt", "les"])
def test_lbm_flow_below_a_moving_plate_is_a_line(build: Build, tmp_path: Path, model: str) -> None:
    height = 6
    write_medium(tmp_path, (2, 1, height))
    options = ["-w", "channel", "-c", model, "-n", "3000", "-v", "0.1", "-u", "0.05", "-p"]
    lines = run(build("lbm"), tmp_path, *options, "medium", "slice")
    for i, (along, across, up) in enumerate(numbers_after(lines, "plane")):
        assert along == pytest.approx(0.05 * (i + 0.5) / height, rel=1e-7)
        assert abs(across) + abs(up) < 1e-12


VELOCITIES: list[Place] = [v for v in product((-1, 0, 1), repeat=3) if sum(map(abs, v)) < 3]
WEIGHTS = {v: (1 / 3, 1 / 18, 1 / 36)[sum(map(abs, v))] for v in VELOCITIES}
REST: Place = (0, 0, 0)


def dot(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def opposite(v: Place) -> Place:
    return (-v[0], -v[1], -v[2])


def collided(
    f: dict[Place, float], model: str, viscosity: float, force: tuple[float, ...]
) -> tuple[dict[Place, float], tuple[float, ...]]:
    """The populations of a cell after a collision, as the papers have it, and the velocity."""
    density = sum(f.values())
    u = tuple((sum(f[v] * v[a] for v in f) + force[a] / 2) / density for a in range(3))
    balance = {v: WEIGHTS[v] * density * (1 + 3 * dot(v, u) + 4.5 * dot(v, u) ** 2 - 1.5 * dot(u, u)) for v in f}
    push = {v: WEIGHTS[v] * (3 * (dot(v, force) - dot(u, force)) + 9 * dot(v, u) * dot(v, force)) for v in f}
    time = 3 * viscosity + 0.5
    if model == "les":
        tensor = [sum((f[v] - balance[v]) * v[a] * v[b] for v in f) for a in range(3) for b in range(3)]
        time = (time + math.sqrt(time**2 + 18 * math.sqrt(2) * 0.01 * math.hypot(*tensor) / density)) / 2
    other = 3 / 16 / (time - 0.5) + 0.5 if model == "trt" else time
    result = {}
    for v in f:
        even, odd = ((f[v] + sign * f[opposite(v)] - balance[v] - sign * balance[opposite(v)]) / 2 for sign in (1, -1))
        even_push, odd_push = ((push[v] + sign * push[opposite(v)]) / 2 for sign in (1, -1))
        result[v] = f[v] - even / time - odd / other + (1 - 0.5 / time) * even_push + (1 - 0.5 / other) * odd_push
    return result, u


class PlainFlow:
    """Lattice Boltzmann with dictionaries."""

    def __init__(self, sides: Place, solid: set[Place], walls: str, lid: float) -> None:
        self.sides = sides
        self.walls = walls
        self.lid = lid
        self.solid = solid
        self.cells = {c: dict(WEIGHTS) for c in product(*map(range, sides)) if c not in solid}
        self.velocity: dict[Place, tuple[float, ...]] = {}

    def target(self, cell: Place, v: Place) -> Place | str:
        """Where a population goes."""
        closed = {"periodic": (), "channel": (2,), "cavity": (0, 1, 2)}[self.walls]
        there = [cell[a] + v[a] for a in range(3)]
        if 2 in closed and there[2] == self.sides[2]:
            return "lid"
        if any(not 0 <= there[a] < self.sides[a] for a in closed):
            return "wall"
        x, y, z = (there[a] % self.sides[a] for a in range(3))
        return "wall" if (x, y, z) in self.solid else (x, y, z)

    def step(self, model: str, viscosity: float, force: tuple[float, ...]) -> None:
        arrived: dict[Place, dict[Place, float]] = {cell: {} for cell in self.cells}
        for cell, f in self.cells.items():
            for v, population in f.items():
                match self.target(cell, v):
                    case "lid":
                        arrived[cell][opposite(v)] = population - 6 * WEIGHTS[v] * v[0] * self.lid
                    case "wall":
                        arrived[cell][opposite(v)] = population
                    case (x, y, z):
                        arrived[x, y, z][v] = population
        for cell, f in arrived.items():
            self.cells[cell], self.velocity[cell] = collided(f, model, viscosity, force)

    def profile(self) -> Iterator[list[float]]:
        for z in range(self.sides[2]):
            plane = [u for cell, u in self.velocity.items() if cell[2] == z]
            yield [sum(u[a] for u in plane) / max(len(plane), 1) for a in range(3)]


@pytest.mark.parametrize("model", ["bgk", "trt", "les"])
@pytest.mark.parametrize("walls", ["periodic", "channel", "cavity"])
def test_lbm_steps_like_a_plain_program(build: Build, tmp_path: Path, model: str, walls: str) -> None:
    sides: Place = (5, 3, 4)
    solid: set[Place] = {(0, 0, 0), (2, 1, 1), (2, 1, 2), (4, 2, 3), (1, 0, 3)}
    force = (3e-3, -1e-3, 2e-3)
    lid = 0.0 if walls == "periodic" else 0.15
    write_medium(tmp_path, sides, solid)
    arguments = ["-w", walls, "-c", model, "-n", "6", "-r", "1", "-v", "0.01", "-u", repr(lid), "-p"]
    for axis, value in zip("xyz", force, strict=True):
        arguments += [f"-{axis}", repr(value)]
    lines = run(build("lbm"), tmp_path, *arguments, "medium", "slice")
    flow = PlainFlow(sides, solid, walls, lid)
    for _ in range(6):
        flow.step(model, 0.01, force)
    for found, expected in zip(numbers_after(lines, "plane"), flow.profile(), strict=True):
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-12)
    energies = [energy for _, energy, _ in numbers_after(lines, "step")]
    total = sum(sum(f.values()) * dot(flow.velocity[cell], flow.velocity[cell]) for cell, f in flow.cells.items())
    assert energies[-1] == pytest.approx(total / 2, rel=1e-7)


def test_lbm_draws_the_middle_of_the_medium(build: Build, tmp_path: Path) -> None:
    data = generate("porous", 3, {"x": 12, "y": 7, "z": 9, "solid": 40, "radius": 3, "style": "fibres"})
    (tmp_path / "medium").write_bytes(data)
    planes = data.decode().split("\n", 1)[1].strip().split("\n\n")
    middle = "".join(plane.split()[3] for plane in reversed(planes))
    run(build("lbm"), tmp_path, "-n", "20", "-x", "1e-4", "medium", "slice")
    image = (tmp_path / "slice").read_bytes().removeprefix(b"P5\n12 9\n65535\n")
    assert [image[i : i + 2] == b"\0\0" for i in range(0, len(image), 2)] == [c == "#" for c in middle]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "porous 2 2\n",
        "porous 2 1 1\n.x",
        "porous 2 1 1\n.",
        "porous 2 1 1\n...",
        "porous 1 1 1\n#",
        "porous 600 1 1\n",
    ],
)
def test_lbm_refuses_a_broken_medium(build: Build, tmp_path: Path, text: str) -> None:
    (tmp_path / "medium").write_text(text)
    run(build("lbm"), tmp_path, "-n", "1", "medium", "slice", status=2)


def test_lbm_refuses_bad_usage(build: Build, tmp_path: Path) -> None:
    write_medium(tmp_path, (3, 3, 3))
    for arguments in ([], ["medium"], ["absent", "slice"], ["medium", "slice", "-n"], ["-u", "0.1", "medium", "slice"]):
        run(build("lbm"), tmp_path, *arguments, status=2)
    run(build("lbm"), tmp_path, "-n", "0", "medium", "slice", status=2)
    run(build("lbm"), tmp_path, "-v", "nan", "medium", "slice", status=2)


def test_lbm_says_when_the_flow_is_not_stable(build: Build, tmp_path: Path) -> None:
    write_medium(tmp_path, (3, 3, 3))
    lines = run(build("lbm"), tmp_path, "-n", "100", "-x", "0.01", "medium", "slice", status=1)
    assert lines[-1] == "step 100: the flow is not stable"


# milc


def write_params(folder: Path, **values: object) -> None:
    (folder / "params").write_text("".join(f"{name} {value}\n" for name, value in values.items()))


def test_milc_elementary_functions(build: Build, tmp_path: Path) -> None:
    lines = run(build("milc"), tmp_path, "-f")
    assert len(lines) == 200
    for i, line in enumerate(lines):
        x, logarithm, exponential, cosine, sine = map(float, line.split())
        assert logarithm == pytest.approx(math.log(x), rel=4e-16, abs=0)
        assert exponential == pytest.approx(math.exp(10 - 40 * x), rel=4e-16, abs=0)
        assert (cosine, sine) == pytest.approx((math.cos(math.pi * i / 100), math.sin(math.pi * i / 100)), abs=3e-15)


def single_plaquette(beta: float, steps: int = 120) -> float:
    """The mean of Re tr U / 3 under the weight exp(beta / 3 Re tr U), by Weyl's integral over the eigenvalues."""
    angles = [2 * math.pi * i / steps for i in range(steps)]
    total = mean = 0.0
    for a, b in product(angles, repeat=2):
        phases = (a, b, -a - b)
        trace = sum(map(math.cos, phases))
        pairs = ((0, 1), (0, 2), (1, 2))
        weight = math.exp(beta / 3 * trace) * math.prod(2 - 2 * math.cos(phases[i] - phases[j]) for i, j in pairs)
        total += weight
        mean += weight * trace / 3
    return mean / total


@pytest.mark.parametrize(("start", "beta"), [("hot", 2.0), ("cold", 2.0), ("hot", 0.3)])
def test_milc_plaquettes_at_strong_coupling(build: Build, tmp_path: Path, start: str, beta: float) -> None:
    write_params(tmp_path, seed=5, start=start, beta=beta, sweeps=30, reflections=1)
    sweeps = numbers_after(run(build("milc"), tmp_path, "params"), "sweep")[10:]
    mean = sum(space + time for space, time in sweeps) / (2 * len(sweeps))
    single = single_plaquette(beta)
    assert mean == pytest.approx(single + 4 * single**5, abs=0.006)


def test_milc_plaquettes_at_weak_coupling(build: Build, tmp_path: Path) -> None:
    """The mean plaquette is 1 - 2 / beta, and in the next order a little less."""
    write_params(tmp_path, seed=6, start="cold", beta=60.0, sweeps=40)
    sweeps = numbers_after(run(build("milc"), tmp_path, "params"), "sweep")[10:]
    mean = sum(space + time for space, time in sweeps) / (2 * len(sweeps))
    assert mean == pytest.approx(1 - 2 / 60, abs=0.0015)


def test_milc_makes_the_field_that_the_seed_says(build: Build, tmp_path: Path) -> None:
    printed = []
    for seed in (1, 2, 1):
        write_params(tmp_path, seed=seed, start="hot", sweeps=1, transform="yes", loops=2)
        printed.append(run(build("milc"), tmp_path, "params")[1:])
    assert printed[0] == printed[2] != printed[1]
    assert printed[0][-2:] == ["loops are gauge invariant", "all checks passed"]


LENGTHS = (4, 2, 4, 6)
PLACES = list(product(*map(range, LENGTHS)))
MOMENTA = [
    tuple(2 * math.pi * (n + (0.5 if axis == 3 else 0.0)) / LENGTHS[axis] for axis, n in enumerate(place))
    for place in PLACES
]


def sum_over_time(squares: dict[tuple[int, ...], float]) -> list[float]:
    return [sum(value for place, value in squares.items() if place[3] == t) for t in range(LENGTHS[3])]


def free_staggered(mass: float) -> list[float]:
    """The pion's correlator without gauge field: 1 / (4 m^2 - D^2) in momentum space, then 2m - D in space."""
    inverse = [1 / (4 * mass**2 + 4 * sum(math.sin(k) ** 2 for k in p)) / len(PLACES) for p in MOMENTA]

    def green(place: tuple[int, ...]) -> float:
        return sum(value * math.cos(dot(p, place)) for p, value in zip(MOMENTA, inverse, strict=True))

    def propagator(place: tuple[int, ...]) -> float:
        if sum(place) % 2 == 0:
            return 2 * mass * green(place)
        change = 0.0
        for mu in range(4):
            ahead, behind = (tuple(n + step * (d == mu) for d, n in enumerate(place)) for step in (1, -1))
            change += (-1) ** sum(place[:mu]) * (green(ahead) - green(behind))
        return -change

    return sum_over_time({place: propagator(place) ** 2 for place in PLACES})


def free_wilson(kappa: float) -> list[float]:
    """The same for Wilson's quarks: the inverse is (a - i b gamma) / (a^2 + b^2), its parts real in space."""
    squares = dict.fromkeys(PLACES, 0.0)
    scalar = [1 - 2 * kappa * sum(map(math.cos, p)) for p in MOMENTA]
    vectors = [[2 * kappa * math.sin(k) for k in p] for p in MOMENTA]
    norms = [(a * a + dot(tuple(b), tuple(b))) * len(PLACES) for a, b in zip(scalar, vectors, strict=True)]
    for place in PLACES:
        turns = [dot(p, place) for p in MOMENTA]
        even = sum(a * math.cos(t) / n for a, t, n in zip(scalar, turns, norms, strict=True))
        odd = [sum(b[mu] * math.sin(t) / n for b, t, n in zip(vectors, turns, norms, strict=True)) for mu in range(4)]
        squares[place] = even**2 + dot(tuple(odd), tuple(odd))
    return sum_over_time(squares)


@pytest.mark.parametrize(("quark", "sources"), [("staggered", 3), ("wilson", 12)])
@pytest.mark.parametrize("transform", ["no", "yes"])
def test_milc_free_quarks(build: Build, tmp_path: Path, quark: str, sources: int, transform: str) -> None:
    """Also in a field that is nothing but a gauge transformation."""
    lengths = dict(zip("xyzt", LENGTHS, strict=True))
    what = {"quark": quark, "mass": 0.15, "kappa": 0.11, "sources": sources, "tolerance": 1e-11}
    write_params(tmp_path, **lengths, **what, transform=transform, loops=2)
    lines = run(build("milc"), tmp_path, "params")
    expected = free_staggered(0.15) if quark == "staggered" else free_wilson(0.11)
    found = [number for [number] in numbers_after(lines, "pion")]
    assert found == pytest.approx([sources * value for value in expected], rel=1e-7)
    assert all(loop == 1 for [loop] in numbers_after(lines, "Wilson loop"))


@pytest.mark.parametrize(
    "text",
    ["", "x 3\n", "x 66\n", "seed -1\n", "beta\n", "beta 1 2\n", "beta nan\n", "spin 1\n", "start warm\n", "kappa 1\n"],
)
def test_milc_refuses_broken_parameters(build: Build, tmp_path: Path, text: str) -> None:
    (tmp_path / "params").write_text(text)
    run(build("milc"), tmp_path, "params", status=2)


def test_milc_refuses_bad_usage(build: Build, tmp_path: Path) -> None:
    run(build("milc"), tmp_path, status=2)
    run(build("milc"), tmp_path, "absent", status=2)
    write_params(tmp_path, x=64, y=64, z=64)
    run(build("milc"), tmp_path, "params", status=2)
    write_params(tmp_path, quark="staggered", sources=4)
    run(build("milc"), tmp_path, "params", status=2)


def test_milc_says_when_the_solver_does_not_converge(build: Build, tmp_path: Path) -> None:
    write_params(tmp_path, start="hot", quark="staggered", iterations=3)
    assert run(build("milc"), tmp_path, "params", status=1)[-1] == "the solver did not converge"
