"""astar of spec-like finds shortest paths.

Dijkstra's algorithm on a dictionary of the open cells gives the costs; paths are walked move by
move. Nothing here is about levels, targets or speed.
"""

import heapq
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from harness.suite.generators import generate
from harness.toolchain import find_toolchain

SOURCES = Path(__file__).parents[2] / "suites" / "spec-like" / "src"
EXACT = {"astar", "bidirectional", "bucket", "dijkstra", "jump", "landmark"}
WEIGHTS = {
    "even": {".": 1, "G": 1, "S": 1},
    "walker": {".": 1, "G": 2, "S": 5},
    "rider": {".": 2, "G": 1, "S": 8},
    "swimmer": {".": 3, "G": 4, "S": 2, "W": 1},
}
COMPASS = {
    "N": (0, -1),
    "S": (0, 1),
    "W": (-1, 0),
    "E": (1, 0),
    "NW": (-1, -1),
    "NE": (1, -1),
    "SW": (-1, 1),
    "SE": (1, 1),
}

Run = Callable[..., list[str]]
Cell = tuple[int, int]


class Map:
    def __init__(self, rows: Sequence[str], terrain: str) -> None:
        weights = WEIGHTS[terrain]
        self.weight = {
            (x, y): weights[symbol] for y, row in enumerate(rows) for x, symbol in enumerate(row) if symbol in weights
        }
        self.even = terrain == "even"

    def step(self, here: Cell, move: str) -> tuple[Cell, int] | None:
        """Where the move leads and what it costs, or None."""
        (x, y), (dx, dy) = here, COMPASS[move]
        there = x + dx, y + dy
        if any(cell not in self.weight for cell in (there, (x + dx, y), (x, y + dy))):
            return None
        return there, (7 if dx and dy else 5) * (self.weight[here] + self.weight[there])

    def distances(self, start: Cell) -> dict[Cell, int]:
        distance: dict[Cell, int] = {}
        queue = [(0, start)]
        while queue:
            cost, here = heapq.heappop(queue)
            if here in distance:
                continue
            distance[here] = cost
            for move in COMPASS:
                if (step := self.step(here, move)) and step[0] not in distance:
                    heapq.heappush(queue, (cost + step[1], step[0]))
        return distance


@pytest.fixture(scope="module")
def astar(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Compile the program, once; gives the lines that it prints for a map.

    All files as one: the headers of the standard library take most of the time.
    """
    folder = tmp_path_factory.mktemp("astar")
    files = sorted((SOURCES / "astar").glob("*.cpp"))
    (folder / "all.cpp").write_text("".join(f'#include "{path}"\n' for path in files))
    flags = ["-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]
    command = [find_toolchain().tool("clang++"), *flags, str(folder / "all.cpp"), "-o", str(folder / "astar")]
    subprocess.run(command, check=True, timeout=300)

    def run(text: str | None, *options: str, status: int = 0) -> list[str]:
        if text is not None:
            (folder / "map").write_text(text)
        command = [folder / "astar", *options, *(["map"] if text is not None else [])]
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60)
        assert done.returncode == status, done.stdout.decode() + done.stderr.decode()
        assert (status == 2) == bool(done.stderr)
        return done.stdout.decode().splitlines()

    return run


def map_text(rows: Sequence[str], routes: Sequence[tuple[Cell, Cell]]) -> str:
    lines = ["type octile", f"height {len(rows)}", f"width {len(rows[0])}", "map", *rows, f"routes {len(routes)}"]
    return "\n".join([*lines, *(f"{a[0]} {a[1]} {b[0]} {b[1]}" for a, b in routes)]) + "\n"


def check_path(world: Map, start: Cell, goal: Cell, cost: int, moves: str) -> None:
    here, total = start, 0
    for count, move in re.findall(r"(\d+)([NSEW]+)", moves):
        for _ in range(int(count)):
            step = world.step(here, move)
            assert step, f"a step {move} from {here}"
            here, total = step[0], total + step[1]
    assert (here, total) == (goal, cost)


def check(astar: Run, text: str, terrain: str) -> int:
    """Check all that is printed for a map; gives the number of routes for which there is a path."""
    lines = text.splitlines()
    height = int(lines[1].split()[1])
    world = Map(lines[4 : 4 + height], terrain)
    printed = iter(astar(text, "-p", "-t", terrain)[1:])
    names = EXACT | {"hierarchical"} if world.even else EXACT - {"jump"} | {"hierarchical"}
    found = 0
    for route in lines[5 + height :]:
        x, y, to_x, to_y = map(int, route.split())
        start, goal = (x, y), (to_x, to_y)
        prefix = f"{x},{y} -> {to_x},{to_y}: "
        if closed := [cell for cell in (start, goal) if cell not in world.weight]:
            assert next(printed) == f"{prefix}nobody can be at {closed[0][0]},{closed[0][1]}"
            continue
        expected = world.distances(start).get(goal)
        if expected is None:
            assert next(printed) == prefix + "no path"
            continue
        found += 1
        by_name = {}
        while match := re.fullmatch(r"  (\w+) (\d+):(.*)", line := next(printed)):
            by_name[match[1]] = int(match[2])
            check_path(world, start, goal, int(match[2]), match[3])
        assert line.startswith(f"{prefix}cost {expected}, ")
        assert set(by_name) == names
        assert {by_name[name] for name in names & EXACT} == {expected}
        assert expected <= by_name["hierarchical"] <= 2 * expected + 1000
    assert len(list(printed)) == len(names), "one line for each algorithm"
    return found


@pytest.mark.parametrize("terrain", list(WEIGHTS))
@pytest.mark.parametrize("density", [0.1, 0.25, 0.36])
def test_random_maps(astar: Run, terrain: str, density: float) -> None:
    random = Random(f"{terrain} {density}")
    found = 0
    for width, height in [(1, 1), (2, 9), (17, 16), (23, 35), (33, 12), (40, 40)]:
        rows = [
            "".join(random.choice("@TO") if random.random() < density else random.choice(".GSW.") for _ in range(width))
            for _ in range(height)
        ]
        cells = [(x, y) for x in range(width) for y in range(height)]
        routes = [(random.choice(cells), random.choice(cells)) for _ in range(12)]
        found += check(astar, map_text(rows, [*routes, (routes[0][0], routes[0][0])]), terrain)
    assert found > 2


@pytest.mark.parametrize("style", ["cave", "rooms", "maze"])
def test_generated_maps(astar: Run, style: str) -> None:
    for seed, pitch in [(1, 3), (2, 7)]:
        params = {"width": 50, "height": 44, "style": style, "pitch": pitch, "routes": 10}
        assert check(astar, generate("gridmap", seed, params).decode(), "even") >= 5


@pytest.mark.parametrize("terrain", list(WEIGHTS))
def test_open_country(astar: Run, terrain: str) -> None:
    text = generate("gridmap", 3, {"width": 60, "height": 44, "style": "field", "routes": 10}).decode()
    assert check(astar, text, terrain) >= 5
    assert set("".join(text.splitlines()[4:48])) == set(".GSWT@")


def test_corners_are_not_cut(astar: Run) -> None:
    lines = astar(map_text(["..", ".@"], [((0, 1), (1, 0))]))
    assert lines[1] == "0,1 -> 1,0: cost 20, 2 steps"
    assert astar(map_text(["@.", ".@"], [((0, 1), (1, 0))]))[1] == "0,1 -> 1,0: no path"


def test_one_algorithm_alone(astar: Run) -> None:
    text = map_text(["....", ".@@.", "...."], [((0, 1), (3, 1))])
    for name in [*EXACT, "hierarchical"]:
        lines = astar(text, "-a", name)
        assert lines[1] == "0,1 -> 3,1: cost 50, 5 steps"
        assert lines[2].startswith(name) and "1 paths, cost 50, 5 steps" in lines[2]
    assert len(astar(text, "-a", "jump,astar")) == 4


def test_jumps_queue_little(astar: Run) -> None:
    lines = astar(map_text(["." * 60] * 60, [((3, 5), (50, 40))]), "-a", "jump,dijkstra")
    queued = [int(re.findall(r"(\d+) queued", line)[0]) for line in lines[2:]]
    assert queued[0] < 10 < 1000 < queued[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("octile", "hex"),
        ("height 2", "height 3"),
        ("height 2", "height two"),
        ("height 2", "height 99999999999"),
        ("width 3", "width 4"),
        ("width 3", "width 0"),
        ("map", "mop"),
        ("..@", ".x@"),
        ("..@", "..@."),
        ("routes 1", "routes 2"),
        ("routes 1", "routes 0"),
        ("routes 1", "routes -1"),
        ("0 0 2 1", "0 0 2 2"),
        ("0 0 2 1", "0 0 2"),
        ("0 0 2 1", "0 0 2 1 1"),
        ("0 0 2 1", "0 -1 2 1"),
    ],
)
def test_bad_maps_are_refused(astar: Run, old: str, new: str) -> None:
    text = map_text(["..@", "..."], [((0, 0), (2, 1))])
    astar(text)
    assert old in text
    astar(text.replace(old, new, 1), status=2)


def test_bad_usage_is_refused(astar: Run) -> None:
    text = map_text(["..@", "..."], [((0, 0), (2, 1))])
    astar("", status=2)
    astar(None, status=2)
    astar(None, "absent", status=2)
    for options in (["-x"], ["-a", "none"], ["-t", "moon"], ["-t", "walker", "-a", "jump"]):
        astar(text, *options, status=2)
    astar(None, "map", "-a", status=2)
