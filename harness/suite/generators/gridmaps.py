"""Grid maps to find paths on, in the text format of the Moving AI benchmarks, with routes after the map.

Rows are whole numbers, a bit for each cell, so that a rule is applied to a row at a time.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, below, between, one_of, shuffle

__all__ = ["gridmap"]

_STYLES = ("cave", "rooms", "maze", "field")
_OPEN = re.compile(r"[^@TW]+")
_CLUTTER = 6
_BLOB = 8


def _noise(random: Random, width: int, height: int, part: int) -> list[int]:
    """Rows whose bits are set with a probability of ``part``/256."""
    rows = []
    for _ in range(height):
        row = 0
        for place in range(8):
            bits = random.getrandbits(width)
            row = row | bits if part >> place & 1 else row & bits
        rows.append(row)
    return rows


def _smooth(rows: Sequence[int], width: int) -> list[int]:
    """A bit is set where at least five of the nine around it were. Beyond the sides all are set."""
    full = (1 << width) - 1
    sums = []
    for row in (full, *rows, full):
        left, right = (row << 1 | 1) & full, row >> 1 | 1 << (width - 1)
        sums.append((left ^ row ^ right, left & row | left & right | row & right))
    smoothed = []
    for (a, aa), (b, bb), (c, cc) in zip(sums, sums[1:], sums[2:], strict=False):
        odd, dd = a ^ b ^ c, a & b | a & c | b & c
        one_ab, two_ab, one_cd, two_cd = aa ^ bb, aa & bb, cc ^ dd, cc & dd
        three = two_ab & (one_cd | two_cd) | two_cd & one_ab
        two = two_ab | two_cd | one_ab & one_cd
        smoothed.append(three | two & odd)
    return smoothed


def _blobs(random: Random, width: int, height: int, part: int) -> list[int]:
    """Rows with patches of set bits, about ``part``/256 of all."""
    coarse = _noise(random, width // _BLOB + 1, height // _BLOB + 1, part)
    widened = [int("".join(bit * _BLOB for bit in f"{row:0{width // _BLOB + 1}b}"), 2) for row in coarse]
    noise = _noise(random, width, height, 48)
    rows = [(widened[y // _BLOB] ^ bits) & ((1 << width) - 1) for y, bits in enumerate(noise)]
    for _ in range(3):
        rows = _smooth(rows, width)
    return rows


def _cave(random: Random, width: int, height: int) -> list[str]:
    rows = _noise(random, width, height, 110)
    for _ in range(4):
        rows = _smooth(rows, width)
    return [f"{row:0{width}b}".replace("0", ".").replace("1", "@") for row in rows]


def _field(random: Random, width: int, height: int) -> list[str]:
    """Open country: ground and grass with swamps, lakes, rocks, and trees on the grass."""
    rocks, lakes, swamps, grass = (_blobs(random, width, height, part) for part in (36, 40, 56, 120))
    trees = _noise(random, width, height, 20)
    rows = []
    for y in range(height):
        layers = (rocks[y], lakes[y], swamps[y], grass[y] & trees[y], grass[y])
        free = (1 << width) - 1
        digits = 0
        for number, layer in enumerate(layers, 1):
            digits += number * int(f"{layer & free:b}", 16)
            free &= ~layer
        rows.append(f"{digits:0{width}x}".translate(str.maketrans("012345", ".@WSTG")))
    return rows


def _find(parents: list[int], item: int) -> int:
    while parents[item] != item:
        parents[item] = parents[parents[item]]
        item = parents[item]
    return item


def _building(random: Random, width: int, height: int, pitch: int, *, maze: bool) -> list[str]:
    """Square rooms; doors, or in a maze missing walls, join all of them, and some more than once."""
    grid = [bytearray(b"@" * width) for _ in range(height)]
    across, down = (width - 1) // pitch, (height - 1) // pitch
    for y in range(down * pitch):
        for column in range(across):
            if y % pitch:
                grid[y][column * pitch + 1 : (column + 1) * pitch] = b"." * (pitch - 1)
    walls = [(room, room + 1, True) for room in range(across * down) if (room + 1) % across]
    walls += [(room, room + across, False) for room in range(across * (down - 1))]
    shuffle(random, walls)
    parents = list(range(across * down))
    for a, b, upright in walls:
        roots = _find(parents, a), _find(parents, b)
        if roots[0] == roots[1] and random.random() >= (0.05 if maze else 0.4):
            continue
        parents[max(roots)] = min(roots)
        x, y = b % across * pitch, b // across * pitch
        door = range(1, pitch) if maze else [between(random, 1, pitch - 1)]
        for place in door:
            if upright:
                grid[y + place][x] = ord(".")
            else:
                grid[y][x + place] = ord(".")
    for _ in range(0 if maze else width * height * _CLUTTER // 256):
        x, y = below(random, width), below(random, height)
        if x % pitch > 1 and y % pitch > 1 and x % pitch < pitch - 1 and y % pitch < pitch - 1:
            grid[y][x] = ord("@")
    return [row.decode("ascii") for row in grid]


def _main_region(rows: Sequence[str]) -> list[tuple[int, int, int]]:
    """The largest connected part of the open cells, as (row, first, end)."""
    runs = [(y, match.start(), match.end()) for y, row in enumerate(rows) for match in _OPEN.finditer(row)]
    parents = list(range(len(runs)))
    above = 0
    for index, (y, first, end) in enumerate(runs):
        while runs[above][0] < y - 1 or (runs[above][0] == y - 1 and runs[above][2] <= first):
            above += 1
        other = above
        while runs[other][0] == y - 1 and runs[other][1] < end:
            roots = _find(parents, index), _find(parents, other)
            parents[max(roots)] = min(roots)
            other += 1
    sizes = [0] * len(runs)
    for index, (_, first, end) in enumerate(runs):
        sizes[_find(parents, index)] += end - first
    largest = sizes.index(max(sizes))
    return [run for index, run in enumerate(runs) if _find(parents, index) == largest]


@generator("gridmap")
def gridmap(
    random: Random, *, width: int = 128, height: int = 128, style: str = "cave", pitch: int = 8, routes: int = 20
) -> bytes:
    """A map of ``style`` "cave", "rooms" or "maze" (of this ``pitch``), or "field" with terrain, and routes on it.

    '.' is ground, 'G' grass, 'S' swamp, 'W' water; '@' and 'T' are rock and trees. Most routes are long
    and lie in the map's largest region; one in sixteen is between any two cells, closed ones too.
    """
    at_least("width", width, 16)
    at_least("height", height, 16)
    one_of("style", style, _STYLES)
    if style == "cave":
        rows = _cave(random, width, height)
    elif style == "field":
        rows = _field(random, width, height)
    else:
        at_least("pitch", pitch, 2)
        rows = _building(random, width, height, min(pitch, width - 1, height - 1), maze=style == "maze")
    if all(_OPEN.search(row) is None for row in rows):
        rows[height // 2] = "." * width
    runs = _main_region(rows)
    bounds = list(accumulate(end - first for _, first, end in runs))
    lines = []

    def cell() -> tuple[int, int]:
        place = below(random, bounds[-1])
        run = bisect_right(bounds, place)
        y, _, end = runs[run]
        return end - (bounds[run] - place), y

    for _ in range(routes):
        ends = cell(), cell()
        for _ in range(60):
            (x, y), (to_x, to_y) = ends
            if abs(x - to_x) * 5 >= width * 2 and abs(y - to_y) * 5 >= height:
                break
            ends = cell(), cell()
        if random.random() * 16 < 1:
            ends = (below(random, width), below(random, height)), (below(random, width), below(random, height))
        lines.append(" ".join(map(str, (*ends[0], *ends[1]))))
    head = ["type octile", f"height {height}", f"width {width}", "map"]
    return ("\n".join([*head, *rows, f"routes {routes}", *lines]) + "\n").encode("ascii")
