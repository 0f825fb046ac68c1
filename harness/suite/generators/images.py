"""Pictures: a scene or a texture as PGM, PPM, JPEG and TIFF.

The four formats of one seed show the same picture; ``_jpeg`` holds the JPEG encoder.
"""

from math import isqrt
from random import Random
from struct import pack
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, below, between, one_of, pick
from harness.suite.generators._jpeg import encode

__all__ = ["jpeg", "pgm", "ppm", "tiff"]

_STYLES = ("scene", "texture")
_LONG, _SHORT, _RATIONAL = 4, 3, 5


class _Picture(NamedTuple):
    """One plane of 8-bit values, height x width, for each of red, green and blue. Whole numbers alone make them."""

    width: int
    height: int
    planes: tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]

    def rgb(self) -> bytes:
        return np.stack(self.planes, axis=-1).tobytes()

    def gray(self) -> bytes:
        """The luma of ITU-R BT.601, rounded down."""
        red, green, blue = (plane.astype(np.uint16) for plane in self.planes)
        return ((77 * red + 150 * green + 29 * blue) >> 8).astype(np.uint8).tobytes()


def _clamped(values: NDArray[np.int64]) -> NDArray[np.uint8]:
    return np.clip(values, 0, 255).astype(np.uint8)


def _span(picture: _Picture, y: int, left: int, right: int, colour: list[int]) -> None:
    """Fill columns left … right-1 of one row, as far as they are inside."""
    left, right = max(left, 0), min(right, picture.width)
    if 0 <= y < picture.height and left < right:
        for plane, value in zip(picture.planes, colour, strict=True):
            plane[y, left:right] = value


def _gradient(random: Random, picture: _Picture) -> None:
    """Every plane runs smoothly between four corner values."""
    width, height = picture.width, picture.height
    y, x = np.arange(height)[:, None], np.arange(width)
    for plane in picture.planes:
        top_left, top_right, low_left, low_right = (between(random, 20, 235) << 16 for _ in range(4))
        left = top_left + (low_left - top_left) * y // height
        right = top_right + (low_right - top_right) * y // height
        plane[:] = (left + (right - left) // width * x) >> 16


def _disc(random: Random, picture: _Picture, colour: list[int]) -> None:
    """A disc that is lighter towards its upper left, as a lit ball is."""
    radius = 2 + below(random, max(1, min(picture.width, picture.height) // 4))
    at_x, at_y = below(random, picture.width), below(random, picture.height)
    for dy in range(-radius, radius + 1):
        y = at_y + dy
        half = isqrt(radius * radius - dy * dy)
        left, right = max(0, at_x - half), min(picture.width, at_x + half + 1)
        if not 0 <= y < picture.height or left >= right:
            continue
        shades = -24 * (np.arange(left, right) - at_x + dy) // radius
        for plane, value in zip(picture.planes, colour, strict=True):
            plane[y, left:right] = _clamped(value + shades)


def _box(random: Random, picture: _Picture, colour: list[int]) -> None:
    """A rectangle with sharp edges, sometimes striped."""
    width, height = 2 + below(random, picture.width // 3 + 1), 2 + below(random, picture.height // 3 + 1)
    left, top = below(random, picture.width) - width // 4, below(random, picture.height) - height // 4
    stripe = pick(random, (0, 0, 2, 3, 5))
    other = [value ^ 96 for value in colour]
    for y in range(top, top + height):
        _span(picture, y, left, left + width, other if stripe and (y - top) // stripe % 2 else colour)


def _line(random: Random, picture: _Picture, colour: list[int]) -> None:
    """A straight line of one to three pixels' width, all across."""
    x, goal = below(random, picture.width) << 16, below(random, picture.width) << 16
    step = (goal - x) // picture.height
    thickness = between(random, 1, 3)
    for y in range(picture.height):
        first, last = sorted((x >> 16, (x + step) >> 16))
        _span(picture, y, first, last + thickness, colour)
        x += step


def _scene(random: Random, picture: _Picture) -> None:
    _gradient(random, picture)
    shapes = (_disc, _disc, _box, _box, _line)
    for _ in range(between(random, 14, 20)):
        pick(random, shapes)(random, picture, [between(random, 10, 245) for _ in range(3)])


def _texture(random: Random, picture: _Picture) -> None:
    """Value noise: random lattices of cells of 32, 16, 8 and 4 pixels, interpolated and added up."""
    y, x = np.arange(picture.height, dtype=np.int64)[:, None], np.arange(picture.width, dtype=np.int64)
    total = np.zeros((picture.height, picture.width), np.int64)
    for octave, cell in enumerate((32, 16, 8, 4)):
        across, down = picture.width // cell + 2, picture.height // cell + 2
        lattice = np.array([[below(random, 256) for _ in range(across)] for _ in range(down)], np.int64)
        edge = lattice[y[:, 0] // cell] * (cell - y % cell) + lattice[y[:, 0] // cell + 1] * (y % cell)
        blended = edge[:, x // cell] * (cell - x % cell) + edge[:, x // cell + 1] * (x % cell)
        total += np.floor_divide(blended, cell * cell) >> octave
    for plane in picture.planes:
        low, high = between(random, 0, 80), between(random, 170, 255)
        plane[:] = low + (high - low) * total // 511


def _noisy(random: Random, plane: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The plane with noise of -7 … 7 on top, small values more often, as a camera's sensor adds."""
    drawn = random.getrandbits(8 * plane.size).to_bytes(plane.size, "little")
    noise = np.frombuffer(drawn, np.uint8).reshape(plane.shape).astype(np.int64)
    return _clamped(plane + (noise & 7) - (noise >> 5))


def _picture(random: Random, width: int, height: int, style: str = "scene") -> _Picture:
    at_least("width", width, 1)
    at_least("height", height, 1)
    one_of("style", style, _STYLES)
    red, green, blue = (np.zeros((height, width), np.uint8) for _ in range(3))
    clean = _Picture(width, height, (red, green, blue))
    (_scene if style == "scene" else _texture)(random, clean)
    red, green, blue = (_noisy(random, plane) for plane in clean.planes)
    return _Picture(width, height, (red, green, blue))


@generator("ppm")
def ppm(random: Random, *, width: int = 256, height: int = 192, style: str = "scene", repeat: int = 1) -> bytes:
    """A binary PPM (P6), slightly noisy: "scene" has gradients, discs, boxes and lines, "texture" clouds.

    The picture comes ``repeat`` times below itself.
    """
    at_least("repeat", repeat, 1)
    picture = _picture(random, width, height, style)
    return b"P6\n%d %d\n255\n" % (width, height * repeat) + picture.rgb() * repeat


@generator("pgm")
def pgm(random: Random, *, width: int = 256, height: int = 192, style: str = "scene") -> bytes:
    """A binary PGM (P5, 8 bits): the luma of the ``ppm`` of the same seed."""
    picture = _picture(random, width, height, style)
    return b"P5\n%d %d\n255\n" % (width, height) + picture.gray()


@generator("jpeg")
def jpeg(
    random: Random, *, width: int = 256, height: int = 192, quality: int = 75, colour: bool = True, repeat: int = 1
) -> bytes:
    """A baseline JPEG of the ``ppm`` scene (4:2:0) or, without colour, of the ``pgm`` scene.

    The scene comes ``repeat`` times below itself; its height must then be a multiple of 16 (gray: 8).
    """
    at_least("repeat", repeat, 1)
    picture = _picture(random, width, height)
    planes = [plane.tobytes() for plane in picture.planes] if colour else [picture.gray()]
    return encode(width, height, planes, quality, repeat)


def _packbits(row: bytes) -> bytes:
    """PackBits (TIFF 6.0, section 9): runs of three or more equal bytes, literals between them."""
    out = bytearray()
    literal = start = 0
    while start < len(row):
        stop = start + 1
        while stop < len(row) and stop - start < 128 and row[stop] == row[start]:
            stop += 1
        if stop - start >= 3 or stop == len(row):
            end = start if stop - start >= 3 else stop
            for first in range(literal, end, 128):
                piece = row[first : min(first + 128, end)]
                out += bytes((len(piece) - 1,)) + piece
            if stop - start >= 3:
                out += bytes((257 - (stop - start), row[start]))
            literal = stop
        start = stop
    return bytes(out)


def _bayer(x: int, y: int) -> int:
    """The threshold, 0 … 63, at one place of the 8x8 ordered-dither matrix (Bayer, 1973)."""
    threshold = 0
    for bit in range(3):
        threshold = threshold << 2 | ((x ^ y) >> bit & 1) << 1 | y >> bit & 1
    return threshold


def _bilevel(picture: _Picture) -> list[bytes]:
    """Rows of packed bits, 1 for white, by ordered dithering."""
    gray, width = picture.gray(), picture.width
    rows = []
    for y in range(picture.height):
        pattern = [4 * _bayer(x, y) + 2 for x in range(8)]
        thresholds = [pattern[x % 8] for x in range(width)]
        bits = 0
        for value, threshold in zip(gray[y * width : (y + 1) * width], thresholds, strict=True):
            bits = bits << 1 | (value > threshold)
        padding = -width % 8
        rows.append((bits << padding).to_bytes((width + padding) // 8, "big"))
    return rows


def _palette(picture: _Picture) -> list[bytes]:
    """Rows of indices into the palette of three bits red, three green, two blue."""
    red, green, blue = picture.planes
    return _rows((red & 224 | green >> 3 & 28 | blue >> 6).tobytes(), picture.width)


def _rows(data: bytes, length: int) -> list[bytes]:
    return [data[start : start + length] for start in range(0, len(data), length)]


_COLOUR_MAP = [
    *((index >> 5) * 65_535 // 7 for index in range(256)),
    *((index >> 2 & 7) * 65_535 // 7 for index in range(256)),
    *((index & 3) * 65_535 // 3 for index in range(256)),
]
_PHOTOMETRIC = {"bilevel": 1, "gray": 1, "rgb": 2, "palette": 3}
_COMPRESSION = {"none": 1, "packbits": 32_773}
_ROWS_PER_STRIP = 16


def _directory(fields: list[tuple[int, int, list[int]]], at: int) -> bytes:
    """An image file directory for offset ``at`` (TIFF 6.0, section 2), the long values after it."""
    extra_at = at + 2 + 12 * len(fields) + 4
    entries, extra = bytearray(), bytearray()
    for tag, kind, values in sorted(fields):
        data = b"".join(pack("<H" if kind == _SHORT else "<I", value) for value in values)
        count = len(values) // 2 if kind == _RATIONAL else len(values)
        if len(data) > 4:
            place = pack("<I", extra_at + len(extra))
            extra += data + bytes(len(data) % 2)
        else:
            place = data.ljust(4, b"\0")
        entries += pack("<HHI", tag, kind, count) + place
    return pack("<H", len(fields)) + bytes(entries) + bytes(4) + bytes(extra)


@generator("tiff")
def tiff(
    random: Random,
    *,
    width: int = 256,
    height: int = 192,
    kind: str = "rgb",
    compression: str = "none",
    repeat: int = 1,
) -> bytes:
    """A little-endian TIFF of the scene, ``repeat`` times below itself, in strips of 16 rows.

    ``kind`` is "rgb" (the ``ppm``), "gray" (the ``pgm``), "palette" (8 bits, 256 colours) or "bilevel"
    (dithered); ``compression`` is "none" or "packbits".
    """
    at_least("repeat", repeat, 1)
    one_of("kind", kind, sorted(_PHOTOMETRIC))
    one_of("compression", compression, sorted(_COMPRESSION))
    picture = _picture(random, width, height)
    if kind == "bilevel":
        rows = _bilevel(picture)
    elif kind == "palette":
        rows = _palette(picture)
    else:
        rows = _rows(picture.rgb(), 3 * width) if kind == "rgb" else _rows(picture.gray(), width)
    packed = [_packbits(row) for row in rows] if compression == "packbits" else rows
    packed, height = packed * repeat, height * repeat
    strips = [b"".join(packed[top : top + _ROWS_PER_STRIP]) for top in range(0, height, _ROWS_PER_STRIP)]
    offsets, end = [], 8
    for strip in strips:
        offsets.append(end)
        end += len(strip)
    samples = 3 if kind == "rgb" else 1
    fields = [
        (256, _LONG, [width]),
        (257, _LONG, [height]),
        (258, _SHORT, [1 if kind == "bilevel" else 8] * samples),
        (259, _SHORT, [_COMPRESSION[compression]]),
        (262, _SHORT, [_PHOTOMETRIC[kind]]),
        (273, _LONG, offsets),
        (277, _SHORT, [samples]),
        (278, _LONG, [_ROWS_PER_STRIP]),
        (279, _LONG, [len(strip) for strip in strips]),
        (282, _RATIONAL, [72, 1]),
        (283, _RATIONAL, [72, 1]),
        (284, _SHORT, [1]),
        (296, _SHORT, [2]),
    ]
    if kind == "palette":
        fields.append((320, _SHORT, _COLOUR_MAP))
    padding = end % 2  # a directory begins on a word boundary
    head = b"II" + pack("<HI", 42, end + padding)
    return b"".join((head, *strips, bytes(padding), _directory(fields, end + padding)))
