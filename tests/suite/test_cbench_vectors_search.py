"""The searching, sorting and image programs of cbench give the answers that they should.

Every expectation here is computed a second time, in a plainer way: shortest paths by relaxing all
edges until nothing changes, routes by trying them all, matches with ``str.find``, order with
``sorted``. Nothing here is about levels, targets or speed.
"""

import math
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from harness.suite.generators import generate
from harness.toolchain import find_toolchain

SOURCES = Path(__file__).parents[2] / "suites" / "cbench" / "src"
CLANG = find_toolchain().tool("clang")


Build = Callable[[str], Path]
Image = list[list[int]]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compile a program at -O1, once."""
    folder = tmp_path_factory.mktemp("programs")

    def compile_once(name: str) -> Path:
        program = folder / name
        if not program.exists():
            files = sorted(str(path) for path in (SOURCES / name).glob("*.c"))
            command = [CLANG, "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", *files]
            subprocess.run([*command, "-o", str(program)], check=True, timeout=120)
        return program

    return compile_once


def run(program: Path, folder: Path, *arguments: str, status: int = 0) -> list[str]:
    """The lines that the program prints when run in ``folder``."""
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, timeout=60)
    assert done.returncode == status, done.stderr.decode()
    assert (status == 2) == bool(done.stderr)
    return done.stdout.decode("latin-1").splitlines()


@pytest.mark.parametrize("name", ["dijkstra", "patricia", "qsort", "stringsearch", "stringsearch2", "susan"])
def test_bad_usage_is_refused(build: Build, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").write_bytes(b"")
    run(build(name), tmp_path, status=2)
    run(build(name), tmp_path, "-?", "empty", "empty", status=2)
    mode = ["-s"] if name == "susan" else []
    files = ["absent"] if name in ("dijkstra", "qsort") else ["absent", "empty"]
    run(build(name), tmp_path, *mode, *files, status=2)
    run(build(name), tmp_path, *mode, "empty", "empty", "empty", status=2)


# dijkstra


def distances_from(source: int, weights: Sequence[Sequence[int]]) -> list[float]:
    """Bellman and Ford's algorithm on a matrix in which 0 is no edge."""
    distance = [math.inf] * len(weights)
    distance[source] = 0
    changed = True
    while changed:
        changed = False
        for here, row in enumerate(weights):
            for there, weight in enumerate(row):
                if weight and distance[here] + weight < distance[there]:
                    distance[there] = distance[here] + weight
                    changed = True
    return distance


def sparse_matrix(seed: int, nodes: int, edges: int, heaviest: int) -> list[list[int]]:
    random = Random(seed)
    weights = [[0] * nodes for _ in range(nodes)]
    for _ in range(edges):
        weights[random.randrange(nodes)][random.randrange(nodes)] = random.randint(1, heaviest)
    return weights


def write_matrix(path: Path, weights: Sequence[Sequence[int]]) -> None:
    path.write_text(f"{len(weights)}\n" + "".join(" ".join(map(str, row)) + "\n" for row in weights))


def check_route(line: str, weights: Sequence[Sequence[int]]) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+) -> (\d+): (?:unreachable|(\d+) via ([\d ]+))", line)
    assert match, line
    source, target = int(match[1]), int(match[2])
    expected = distances_from(source, weights)[target]
    if match[3] is None:
        assert expected == math.inf
    else:
        path = [int(node) for node in match[4].split()]
        assert path[0] == source and path[-1] == target
        steps = [weights[here][there] for here, there in pairwise(path)]
        assert all(steps) and sum(steps) == int(match[3]) == expected
    return source, target


@pytest.mark.parametrize("density", [2, 30])
def test_dijkstra_pairs(build: Build, tmp_path: Path, density: int) -> None:
    data = generate("matrix", 5, {"nodes": 40, "density": density, "max_weight": 12})
    (tmp_path / "graph").write_bytes(data)
    weights = [[int(cell) for cell in row.split()] for row in data.decode().splitlines()[1:]]
    lines = run(build("dijkstra"), tmp_path, "-n", "50", "-s", "3", "graph")
    pairs = [check_route(line, weights) for line in lines if "->" in line]
    assert pairs == [(3 * i % 40, (3 * i % 40 + 20 + i) % 40) for i in range(50)]


def test_dijkstra_tree_of_a_graph_in_parts(build: Build, tmp_path: Path) -> None:
    weights = sparse_matrix(6, 30, 35, 5)
    write_matrix(tmp_path / "graph", weights)
    lines = run(build("dijkstra"), tmp_path, "-t", "4", "graph")
    routes = [line for line in lines if "->" in line]
    assert [check_route(line, weights) for line in routes] == [(4, node) for node in range(30)]
    assert any("unreachable" in line for line in routes)


def test_dijkstra_all_pairs(build: Build, tmp_path: Path) -> None:
    weights = sparse_matrix(7, 25, 110, 1000)
    write_matrix(tmp_path / "graph", weights)
    farthest, finite = [], []
    for source in range(25):
        distances = distances_from(source, weights)
        reached = [d for node, d in enumerate(distances) if d < math.inf and node != source]
        farthest.append(max(reached, default=0))
        finite += reached
    lines = run(build("dijkstra"), tmp_path, "-a", "graph")
    assert [int(line.split()[-1]) for line in lines if "farthest" in line] == farthest
    summary = f"paths: {len(finite)}, sum {sum(finite)}, radius {min(farthest)}, diameter {max(farthest)}"
    assert summary in lines


@pytest.mark.parametrize("text", ["", "0\n", "2\n0 1\n1\n", "2\n0 1\n1 0 7\n", "2\n0 -1\n1 0\n", "x"])
def test_dijkstra_refuses_a_broken_matrix(build: Build, tmp_path: Path, text: str) -> None:
    (tmp_path / "graph").write_text(text)
    run(build("dijkstra"), tmp_path, "graph", status=2)


# patricia

Table = dict[IPv4Network, int]


def best_route(table: Table, address: IPv4Address) -> tuple[IPv4Network, int] | None:
    fitting = [network for network in table if address in network]
    best = max(fitting, key=lambda network: network.prefixlen, default=None)
    return None if best is None else (best, table[best])


def random_table(seed: int, count: int) -> list[tuple[IPv4Network, int]]:
    """Nested and repeated routes, with the extreme ones among them."""
    random = Random(seed)
    extremes = ("0.0.0.0/0", "0.0.0.0/32", "255.255.255.255/32")
    routes = [(IPv4Network(text), hop) for hop, text in enumerate(extremes)]
    for _ in range(count):
        # Few set bits, so that prefixes are often alike far down.
        address = random.getrandbits(32) & random.getrandbits(32) & random.getrandbits(32)
        network = IPv4Network((address, random.randint(0, 32)), strict=False)
        routes.append((network, random.randint(1, 4)))
        if random.random() < 0.5:
            wider = network.supernet(new_prefix=random.randint(0, network.prefixlen))
            routes.append((wider, random.randint(1, 4)))
    random.shuffle(routes)
    return routes


def random_addresses(seed: int, table: Table, count: int) -> list[IPv4Address]:
    random = Random(seed)
    networks = list(table)
    addresses = [IPv4Address(0), IPv4Address(2**32 - 1)]
    for _ in range(count):
        network = random.choice(networks)
        inside = int(network.network_address) | random.getrandbits(32) & int(network.hostmask)
        addresses += [IPv4Address(inside), IPv4Address(inside ^ 1 << random.randrange(32))]
    return addresses


def split_passes(lines: Sequence[str]) -> list[tuple[list[str], list[str]]]:
    """The look-ups and the tables that the program printed, one of each after each change."""
    passes: list[tuple[list[str], list[str]]] = [([], [])]
    for line in lines:
        if " -> " in line:
            passes[-1][0].append(line)
        elif line.startswith("route "):
            passes[-1][1].append(line.partition(" hits")[0])
        elif line.startswith("table checksum"):
            passes.append(([], []))
    return passes[:-1]


def check_pass(printed: tuple[list[str], list[str]], table: Table, addresses: Sequence[IPv4Address]) -> None:
    expected = []
    for address in addresses:
        best = best_route(table, address)
        expected.append(f"{address} -> {f'{best[0]} hop {best[1]}' if best else 'none'}")
    assert printed[0] == expected
    assert printed[1] == [f"route {network} hop {table[network]}" for network in sorted(table)]


@pytest.mark.parametrize("seed", range(6))
def test_patricia_against_all_routes(build: Build, tmp_path: Path, seed: int) -> None:
    routes = random_table(seed, (2, 10, 40, 100, 200, 300)[seed])
    table = dict(routes)
    addresses = random_addresses(seed, table, 100)
    text = "# routes\n\n" + "".join(f"{network} {hop}\n" for network, hop in routes)
    (tmp_path / "routes").write_text(text)
    (tmp_path / "addresses").write_text("".join(f"{address}\n" for address in addresses))
    lines = run(build("patricia"), tmp_path, "-t", "-a", "-w", "3", "routes", "addresses")
    loaded, withdrawn, aggregated = split_passes(lines)
    check_pass(loaded, table, addresses)

    for network, _ in routes[::3]:
        table.pop(network, None)
    check_pass(withdrawn, table, addresses)

    def is_redundant(network: IPv4Network) -> bool:
        above = {n: hop for n, hop in table.items() if n != network and n.supernet_of(network)}
        cover = best_route(above, network.network_address)
        return cover is not None and cover[1] == table[network]

    check_pass(aggregated, {n: hop for n, hop in table.items() if not is_redundant(n)}, addresses)


def test_patricia_can_be_emptied(build: Build, tmp_path: Path) -> None:
    (tmp_path / "routes").write_text("10.0.0.0/8\n10.1.0.0/16\n192.168.7.1/32\n")
    (tmp_path / "addresses").write_text("10.1.2.3\n")
    lines = run(build("patricia"), tmp_path, "-t", "-w", "1", "routes", "addresses")
    assert split_passes(lines)[1] == (["10.1.2.3 -> none"], [])


def test_patricia_takes_lengths_by_turns(build: Build, tmp_path: Path) -> None:
    data = generate("addresses", 8, {"count": 200})
    (tmp_path / "addresses").write_bytes(data)
    lines = run(build("patricia"), tmp_path, "-t", "-l", "12,20,32", "addresses", "addresses")
    networks = {
        IPv4Network((address, (12, 20, 32)[i % 3]), strict=False) for i, address in enumerate(data.decode().split())
    }
    assert [line.split()[1] for line in split_passes(lines)[0][1]] == [str(n) for n in sorted(networks)]


# qsort

ORDERS: dict[str, Callable[[str], tuple[int, str, str]]] = {
    "bytes": lambda word: (0, word, word),
    "letters": lambda word: (0, word.lower(), word),
    "length": lambda word: (len(word), word, word),
}


@pytest.mark.parametrize("order", ["bytes", "reverse", "letters", "length"])
def test_qsort_of_words(build: Build, tmp_path: Path, order: str) -> None:
    data = generate("text", 9, {"size": 9000})
    (tmp_path / "text").write_bytes(data)
    words = re.findall(r"[A-Za-z]+(?:['-][A-Za-z]+)*", data.decode())
    lines = run(build("qsort"), tmp_path, "-w", "-o", order, "-f", "7", "text")
    expected = sorted(words, reverse=True) if order == "reverse" else sorted(words, key=ORDERS[order])
    assert lines[0].startswith(f"{len(words)} words by {order}, ")
    assert lines[2 : 2 + len(words)] == [f"{i} {word}" for i, word in enumerate(expected)]
    frequent = sorted(Counter(words).items(), key=lambda item: (-item[1], item[0]))
    assert lines[-8] == f"{len(frequent)} distinct"
    assert lines[-7:] == [f"{count} times {word}" for word, count in frequent[:7]]


def pipe_organ(count: int) -> list[int]:
    return [min(i, count - i) for i in range(count)]


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 40, 41, 1000])
@pytest.mark.parametrize("shape", ["random", "few", "equal", "sorted", "reversed", "organ"])
def test_qsort_of_points(build: Build, tmp_path: Path, count: int, shape: str) -> None:
    random = Random(count)
    xs = {
        "random": [random.randint(-(10**9), 10**9) for _ in range(count)],
        "few": [random.randint(-1, 1) for _ in range(count)],
        "equal": [5] * count,
        "sorted": list(range(count)),
        "reversed": list(range(count, 0, -1)),
        "organ": pipe_organ(count),
    }[shape]
    points = [(x, random.choice([0, 0, -3]), 4) for x in xs]
    (tmp_path / "points").write_text("".join(f"{x} {y} {z}\n" for x, y, z in points))
    lines = run(build("qsort"), tmp_path, "-p", "-o", "distance", "-c", "1,-2,3", "points")
    assert int(lines[0].rpartition(", ")[2].split()[0]) <= 3 * count * math.log2(count + 2) + 50

    printed = []
    for i, line in enumerate(lines[2:-1]):
        match = re.fullmatch(rf"{i} (\d+) \((-?\d+) (-?\d+) (-?\d+)\)", line)
        assert match, line
        x, y, z = (int(match[j]) for j in (2, 3, 4))
        assert int(match[1]) == (x - 1) ** 2 + (y + 2) ** 2 + (z - 3) ** 2
        printed.append((int(match[1]), (x, y, z)))
    assert [distance for distance, _ in printed] == sorted(distance for distance, _ in printed)
    assert Counter(point for _, point in printed) == Counter(points)


def test_qsort_sums_do_not_depend_on_the_order_of_the_input(build: Build, tmp_path: Path) -> None:
    lines = generate("points", 10, {"count": 300}).decode().splitlines()
    printed = []
    for step in (1, -1):
        (tmp_path / "points").write_text("\n".join(lines[::step]))
        printed.append(run(build("qsort"), tmp_path, "-p", "-e", "1000", "points"))
    assert printed[0][1] == printed[1][1]
    assert printed[0][-1] == printed[1][-1]


# stringsearch and stringsearch2


def places(text: str, pattern: str) -> list[int]:
    found = []
    place = text.find(pattern)
    while place >= 0:
        found.append(place)
        place = text.find(pattern, place + 1)
    return found


def expected_line(pattern: str, found: Sequence[int], most: int) -> str:
    shown = "".join(f" {place}" for place in found[:most])
    return f'"{pattern}": {len(found)}' + (f" at{shown}" if shown else "")


def check_search(program: Path, folder: Path, patterns: Sequence[str], text: str, *options: str) -> None:
    (folder / "patterns").write_text("".join(pattern + "\n" for pattern in patterns))
    (folder / "text").write_text(text)
    lines = run(program, folder, "-n", "9", *options, "patterns", "text")
    folded = str.lower if "-i" in options else str
    printed = [line for line in lines if line.startswith('"')]
    prints_folded = program.name == "stringsearch2"
    assert printed == [
        expected_line(folded(p) if prints_folded else p, places(folded(text), folded(p)), 9) for p in patterns
    ]


@pytest.mark.parametrize("name", ["stringsearch", "stringsearch2"])
@pytest.mark.parametrize("options", [[], ["-i"]])
def test_search_in_prose(build: Build, tmp_path: Path, name: str, options: list[str]) -> None:
    text = generate("text", 11, {"size": 6000}).decode()
    data = generate("patterns", 12, {"count": 40, "text_seed": 11, "text_size": 6000})
    patterns = [line for line in data.decode().splitlines() if line and '"' not in line]
    check_search(build(name), tmp_path, patterns, text, *options)


@pytest.mark.parametrize("name", ["stringsearch", "stringsearch2"])
@pytest.mark.parametrize("alphabet", ["ab", "abcA B"])
def test_search_for_patterns_that_repeat_themselves(build: Build, tmp_path: Path, name: str, alphabet: str) -> None:
    random = Random(13)
    for length in (0, 1, 5, 300):
        text = "".join(random.choice(alphabet) for _ in range(length))
        patterns = ["".join(random.choice(alphabet) for _ in range(random.randint(1, 9))) for _ in range(60)]
        patterns += ["ab" * 5, "a" * 12, "aabaabaa", "a", "a"]
        check_search(build(name), tmp_path, patterns, text)
        check_search(build(name), tmp_path, patterns, text, "-i")
    check_search(build(name), tmp_path, ["a", "aa", "a" * 7, "a" * 200, "a" * 201], "a" * 200)


@pytest.mark.parametrize("name", ["stringsearch", "stringsearch2"])
def test_search_for_long_patterns(build: Build, tmp_path: Path, name: str) -> None:
    random = Random(14)
    text = "".join(random.choice("ab") for _ in range(2000))
    patterns = [text[at : at + length] for length in (63, 64, 65, 127, 128, 129, 200) for at in (0, 700)]
    patterns += [pattern[:-1] + "c" for pattern in patterns]
    check_search(build(name), tmp_path, patterns, text + text[:900])


@pytest.mark.parametrize("letter", "ahks")
def test_each_algorithm_of_stringsearch2_alone(build: Build, tmp_path: Path, letter: str) -> None:
    patterns = ["abra", "a", "cad", "bracada", "abracadabra", "dabrab", "x"]
    check_search(build("stringsearch2"), tmp_path, patterns, "abracadabra" * 3, "-a", letter)


def test_stringsearch_of_whole_words_by_line(build: Build, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("The cat, concatenated.\nA cat's\n\nCat cat_ cat")
    (tmp_path / "patterns").write_text("cat\ncat, con\n\nCat\n")
    lines = run(build("stringsearch"), tmp_path, "-w", "-l", "patterns", "text")
    assert lines[:3] == ['"cat": 3 at 1:5 2:3 4:10', '"cat, con": 0', '"Cat": 1 at 4:1']


# susan


def write_image(path: Path, image: Image) -> None:
    header = f"P5\n# test\n{len(image[0])} {len(image)}\n255\n".encode()
    path.write_bytes(header + bytes(pixel for row in image for pixel in row))


def read_image(path: Path) -> Image:
    match = re.match(rb"P5\n(\d+) (\d+)\n255\n", data := path.read_bytes())
    assert match
    width, height = int(match[1]), int(match[2])
    pixels = data[match.end() :]
    assert len(pixels) == width * height
    return [list(pixels[y * width : (y + 1) * width]) for y in range(height)]


def susan(build: Build, folder: Path, image: Image, *options: str) -> tuple[list[str], Image]:
    write_image(folder / "in.pgm", image)
    lines = run(build("susan"), folder, *options, "in.pgm", "out.pgm")
    return lines, read_image(folder / "out.pgm")


def picture(width: int, height: int, brightness: Callable[[int, int], int]) -> Image:
    return [[brightness(x, y) for x in range(width)] for y in range(height)]


def noise(seed: int, width: int, height: int, darkest: int, brightest: int) -> Image:
    random = Random(seed)
    return picture(width, height, lambda _x, _y: random.randint(darkest, brightest))


def white(image: Image) -> set[tuple[int, int]]:
    return {(x, y) for y, row in enumerate(image) for x, pixel in enumerate(row) if pixel == 255}


def corners_of(lines: Sequence[str]) -> list[tuple[int, int]]:
    matches = [re.match(r"(\d+),(\d+) response", line) for line in lines]
    return [(int(match[1]), int(match[2])) for match in matches if match]


def transposed(image: Image) -> Image:
    return [list(column) for column in zip(*image, strict=True)]


@pytest.mark.parametrize("brightness", [0, 100, 255])
def test_susan_finds_nothing_in_a_flat_image(build: Build, tmp_path: Path, brightness: int) -> None:
    flat = [[brightness] * 30] * 20
    for options in (["-s"], ["-s", "-3"], ["-s", "-d", "5"]):
        assert susan(build, tmp_path, flat, *options)[1] == flat
    for options in (["-e"], ["-e", "-3"], ["-e", "-r"]):
        lines, edges = susan(build, tmp_path, flat, *options)
        assert "responses: 0 by gravity, 0 by moments" in lines
        assert edges == [[0] * 30] * 20
    lines, same = susan(build, tmp_path, flat, "-c")
    assert "corners: 0 of 0 candidates" in lines
    assert same == flat


@pytest.mark.parametrize("mask", [[], ["-3"]])
def test_susan_finds_a_step_where_it_is(build: Build, tmp_path: Path, mask: list[str]) -> None:
    step = picture(40, 30, lambda x, _: 60 if x < 17 else 140)
    lines, edges = susan(build, tmp_path, step, "-e", *mask)
    marked = white(edges)
    assert sorted(y for _, y in marked) == list(range(3, 27))
    assert len({x for x, _ in marked}) == 1 and marked < {(x, y) for x in (16, 17) for y in range(30)}
    assert "directions: horizontal 0 rising 0 vertical 24 falling 0" in lines
    assert corners_of(susan(build, tmp_path, step, "-c")[0]) == []

    lines, edges = susan(build, tmp_path, transposed(step), "-e", *mask)
    marked = white(edges)
    assert sorted(x for x, _ in marked) == list(range(3, 27))
    assert {y for _, y in marked} < {16, 17}
    assert "directions: horizontal 24 rising 0 vertical 0 falling 0" in lines


@pytest.mark.parametrize(("slope", "name"), [(1, "falling"), (-1, "rising")])
def test_susan_finds_the_direction_of_a_diagonal(build: Build, tmp_path: Path, slope: int, name: str) -> None:
    image = picture(40, 40, lambda x, y: 200 if y > slope * (x - 20) + 20 else 50)
    lines, edges = susan(build, tmp_path, image, "-e")
    counts = next(line for line in lines if line.startswith("directions:"))
    assert int(re.findall(rf"{name} (\d+)", counts)[0]) >= 30
    assert sum(map(int, re.findall(r"\d+", counts))) == len(white(edges))
    assert all(abs(y - (slope * (x - 20) + 20)) <= 1 for x, y in white(edges))


def test_susan_finds_a_thin_line_by_its_moments(build: Build, tmp_path: Path) -> None:
    line = picture(30, 30, lambda x, _: 20 if x == 15 else 200)
    lines, edges = susan(build, tmp_path, line, "-e")
    assert {(15, y) for y in range(6, 24)} <= white(edges)
    assert white(edges) <= {(x, y) for x in (14, 15, 16) for y in range(30)}
    assert "responses: 24 by gravity" not in lines


def test_susan_edges_do_not_depend_on_contrast(build: Build, tmp_path: Path) -> None:
    def edges_of_block(brightness: int) -> set[tuple[int, int]]:
        block = picture(40, 40, lambda x, y: brightness if 9 < x < 30 < 2 * y else 40)
        return white(susan(build, tmp_path, block, "-e")[1])

    assert edges_of_block(90) == edges_of_block(240) != set()


@pytest.mark.parametrize("inside", [30, 220])
def test_susan_finds_the_corners_of_a_square(build: Build, tmp_path: Path, inside: int) -> None:
    square = picture(50, 40, lambda x, y: inside if 12 <= x <= 34 and 10 <= y <= 29 else 128)
    found = corners_of(susan(build, tmp_path, square, "-c")[0])
    assert len(found) == 4
    for x, y in [(12, 10), (34, 10), (12, 29), (34, 29)]:
        assert any(abs(x - found_x) <= 1 and abs(y - found_y) <= 1 for found_x, found_y in found)

    edges = white(susan(build, tmp_path, square, "-e")[1])
    assert len(edges) > 70
    for x, y in edges:
        assert min(abs(x - 11.5), abs(x - 34.5), abs(y - 9.5), abs(y - 29.5)) < 2


def test_susan_smoothing_removes_spots_and_keeps_steps(build: Build, tmp_path: Path) -> None:
    step = picture(30, 20, lambda x, _: 60 if x < 15 else 180)
    spotted = [row[:] for row in step]
    for x, y in [(4, 4), (9, 12), (22, 8), (0, 19), (29, 0)]:
        spotted[y][x] = 255
    lines, smoothed = susan(build, tmp_path, spotted, "-s")
    assert smoothed == step
    assert "changed: 5 pixels, 5 by the median" in lines


def similarity(difference: int, threshold: int, power: int) -> int:
    return int(100 * math.exp(-((difference / threshold) ** power)) + 0.5)


@pytest.mark.parametrize(("threshold", "distance"), [(20, 2.0), (60, 1.0), (7, 3.5)])
def test_susan_smoothing_is_the_weighted_mean(build: Build, tmp_path: Path, threshold: int, distance: float) -> None:
    width, height = 16, 13
    image = noise(15, width, height, 80, 140)
    _, smoothed = susan(build, tmp_path, image, "-s", "-t", str(threshold), "-d", str(distance))
    radius = int(1.5 * distance) + 1

    def at(x: int, y: int) -> int:
        """The image goes on beyond its sides as in a mirror on its outermost pixels."""
        x = -x if x < 0 else 2 * width - 2 - x if x >= width else x
        y = -y if y < 0 else 2 * height - 2 - y if y >= height else y
        return image[y][x]

    def smoothed_at(x: int, y: int) -> int:
        total = weights = 0
        for dy in range(-radius, radius + 1):
            for dx in range(-radius, radius + 1):
                if (dx, dy) != (0, 0):
                    near = int(100 * math.exp(-(dx * dx + dy * dy) / (2 * distance**2)) + 0.5)
                    weight = near * similarity(at(x + dx, y + dy) - image[y][x], threshold, 2)
                    weights += weight
                    total += weight * at(x + dx, y + dy)
        if weights == 0:
            around = sorted(at(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
            return (around[3] + around[4]) // 2
        return (total + weights // 2) // weights

    assert smoothed == picture(width, height, smoothed_at)


@pytest.mark.parametrize("small", [False, True])
def test_susan_response_is_the_missing_area(build: Build, tmp_path: Path, small: bool) -> None:
    image = noise(16, 18, 15, 100, 160)
    lines, drawn = susan(build, tmp_path, image, "-e", "-r", *(["-3"] if small else []))
    mask = [
        (dx, dy)
        for dx in range(-3, 4)
        for dy in range(-3, 4)
        if (max(abs(dx), abs(dy)) <= 1 if small else dx * dx + dy * dy <= 11)
    ]
    assert len(mask) == (9 if small else 37)

    def response(x: int, y: int) -> int:
        if not (3 <= x < 15 and 3 <= y < 12):
            return 0
        area = sum(similarity(image[y + dy][x + dx] - image[y][x], 20, 6) for dx, dy in mask)
        return max(0, len(mask) * 75 - area)

    responses = picture(18, 15, response)
    largest = max(max(row) for row in responses)
    assert f"largest response: {largest}" in lines
    assert drawn == [[value * 255 // largest for value in row] for row in responses]


def test_susan_thins_edges_to_lines(build: Build, tmp_path: Path) -> None:
    (tmp_path / "scene.pgm").write_bytes(generate("pgm", 17, {"width": 120, "height": 90, "style": "scene"}))
    run(build("susan"), tmp_path, "-e", "scene.pgm", "out.pgm")
    edges = white(read_image(tmp_path / "out.pgm"))
    assert edges
    for x, y in edges:
        assert any((x + dx, y + dy) in edges for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
        assert not {(x + 1, y), (x, y + 1), (x + 1, y + 1)} <= edges, "a block of four is no line"


def test_susan_reads_any_maximum(build: Build, tmp_path: Path) -> None:
    (tmp_path / "in.pgm").write_bytes(b"P5 8 7 # size\n15\n" + bytes([5] * 56))
    run(build("susan"), tmp_path, "-s", "in.pgm", "out.pgm")
    assert read_image(tmp_path / "out.pgm") == [[85] * 8] * 7


@pytest.mark.parametrize("header", [b"P6 8 8 255\n", b"P5 8 9 255\n", b"P5 8 8 9\n", b"P5 3 8 255\n", b"P5 8 8"])
def test_susan_refuses_a_broken_image(build: Build, tmp_path: Path, header: bytes) -> None:
    data = header + b"\n" * 64
    (tmp_path / "in.pgm").write_bytes(data)
    run(build("susan"), tmp_path, "-s", "in.pgm", "out.pgm", status=2)
