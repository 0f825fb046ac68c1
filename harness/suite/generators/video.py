"""Video: frames with moving objects, camera pans, cuts, fades and the noise of a sensor, as YUV4MPEG2."""

from random import Random
from typing import NamedTuple

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, below, between, one_of, pick
from harness.suite.generators.images import ppm

__all__ = ["y4m"]

_NOISE = 12
_CLAMPED = bytes(min(255, max(0, value - _NOISE)) for value in range(256 + 2 * _NOISE))
"""Clamped values of -12 … 267, at index value + 12."""


class _Plane(NamedTuple):
    width: int
    height: int
    data: bytes

    def cut(self, left: int, top: int, width: int, height: int) -> bytearray:
        """A part that lies inside."""
        out = bytearray()
        for y in range(top, top + height):
            start = y * self.width + left
            out += self.data[start : start + width]
        return out

    def shifted(self, across: int, down: int) -> "_Plane":
        """Half a pixel to the left, half a pixel up, or both: the mean of neighbours, the last one repeated."""
        step = across + down * self.width
        if not step:
            return self
        later = self.data[step:] + self.data[len(self.data) - step :]
        mean = bytes([(a + b + 1) >> 1 for a, b in zip(self.data, later, strict=True)])
        return _Plane(self.width, self.height, mean)


class _Image(NamedTuple):
    """Luma and the two chroma planes of half its size."""

    planes: tuple[_Plane, _Plane, _Plane]


def _image(random: Random, width: int, height: int, style: str) -> _Image:
    """A ``ppm`` picture in YCbCr 4:2:0 (ITU-R BT.601), its sides even."""
    data = ppm(random, width=width, height=height, style=style)[-3 * width * height :]
    red, green, blue = data[0::3], data[1::3], data[2::3]
    luma = bytes([(66 * r + 129 * g + 25 * b + 4224) >> 8 for r, g, b in zip(red, green, blue, strict=True)])
    half = [bytearray(), bytearray()]
    for y in range(0, height, 2):
        row = slice(y * width, (y + 1) * width, 2)
        for r, g, b in zip(red[row], green[row], blue[row], strict=True):
            half[0].append((-38 * r - 74 * g + 112 * b + 32896) >> 8)
            half[1].append((112 * r - 94 * g - 18 * b + 32896) >> 8)
    chroma = [_Plane(width // 2, height // 2, bytes(plane)) for plane in half]
    return _Image((_Plane(width, height, luma), chroma[0], chroma[1]))


class _Camera:
    """A window that moves over a larger picture in steps of half pixels."""

    def __init__(self, random: Random, width: int, height: int, pan: bool) -> None:
        self._size = width, height
        self._room = (width // 3 & ~1, height // 3 & ~1) if pan else (0, 0)
        style = pick(random, ("scene", "texture"))
        image = _image(random, width + self._room[0], height + self._room[1], style)
        self._by_shift = [
            [plane.shifted(shift & 1, shift >> 1) for plane in image.planes] for shift in range(4 if pan else 1)
        ]
        self._at = [below(random, 2 * room + 1) for room in self._room]
        self._speed = [between(random, 1, 7) * pick(random, (1, -1)) if pan else 0 for _ in range(2)]

    def frame(self) -> list[bytearray]:
        """The three planes of the next frame."""
        width, height = self._size
        x, y = (at // 2 for at in self._at)
        shift = (self._at[0] & 1 and x < self._room[0]) | (self._at[1] & 1 and y < self._room[1]) << 1
        luma, *chroma = self._by_shift[shift]
        planes = [luma.cut(x, y, width, height)]
        planes += [plane.cut(x // 2, y // 2, width // 2, height // 2) for plane in chroma]
        for axis in range(2):
            self._at[axis] += self._speed[axis]
            if not 0 <= self._at[axis] <= 2 * self._room[axis]:
                self._speed[axis] = -self._speed[axis]
                self._at[axis] += 2 * self._speed[axis]
                self._at[axis] = min(max(self._at[axis], 0), 2 * self._room[axis])
        return planes


class _Thing:
    """A textured disc or box that crosses the picture and turns round at its rim."""

    def __init__(self, random: Random, width: int, height: int) -> None:
        self._frame = width, height
        most = max(8, min(width, height) // 3)
        self._size = between(random, most // 2, most) & ~3
        self._image = _image(random, self._size, self._size, "texture")
        self._round = random.random() < 0.5
        self._at = [below(random, width - self._size), below(random, height - self._size)]
        self._speed = [between(random, 1, 5) * pick(random, (1, -1)) for _ in range(2)]

    def draw(self, planes: list[bytearray]) -> None:
        """Draw it where it is, and move it on."""
        for number, (plane, own) in enumerate(zip(planes, self._image.planes, strict=True)):
            scale = 2 if number else 1
            width, size = self._frame[0] // scale, self._size // scale
            left, top = (at // scale for at in self._at)
            for row in range(size):
                inset = self._inset(row, size) if self._round else 0
                start = (top + row) * width + left
                plane[start + inset : start + size - inset] = own.data[row * size + inset : (row + 1) * size - inset]
        for axis in range(2):
            self._at[axis] += self._speed[axis]
            if not 0 <= self._at[axis] <= self._frame[axis] - self._size:
                self._speed[axis] = -self._speed[axis]
                self._at[axis] = min(max(self._at[axis], 0), self._frame[axis] - self._size)

    @staticmethod
    def _inset(row: int, size: int) -> int:
        """How far a disc's rim is from the square's in a row."""
        dy, inset = 2 * row + 1 - size, 0
        while inset < size // 2 and (size - 2 * inset) ** 2 + dy * dy > size * size:
            inset += 1
        return min(inset, size // 2)


def _grainy(random: Random, plane: bytearray, noise: int) -> bytes:
    """The plane with noise of at most ``noise`` on top, small values more often."""
    grain = [(n & 15) * noise // 15 - (n >> 4) * noise // 15 for n in range(256)]
    drawn = random.getrandbits(8 * len(plane)).to_bytes(len(plane), "little")
    return bytes([_CLAMPED[_NOISE + value + grain[n]] for value, n in zip(plane, drawn, strict=True)])


def _dimmed(plane: bytearray, part: int, black: int) -> bytearray:
    """The plane at ``part`` of 16 of its brightness."""
    return plane.translate(bytes(black + (value - black) * part // 16 for value in range(256)))


_STYLES = {"cuts": (True, 2), "objects": (False, 4), "pan": (True, 1)}
"""Whether the camera moves, and how many things do."""


@generator("y4m")
def y4m(
    random: Random,
    *,
    width: int = 176,
    height: int = 144,
    frames: int = 10,
    style: str = "objects",
    noise: int = 4,
) -> bytes:
    """A YUV4MPEG2 file, 4:2:0, 8 bits, 25 frames a second; its sides are multiples of 4.

    ``style`` is "objects" (they move before a still background), "pan" (the camera moves over a large picture, an
    object with it) or "cuts" (a pan that begins anew every third of the time, faded in). ``noise`` is the
    amplitude of the sensor's, up to 12.
    """
    at_least("frames", frames, 1)
    at_least("width", width, 32)
    at_least("height", height, 32)
    one_of("style", style, sorted(_STYLES))
    one_of("width % 4", width % 4, (0,))
    one_of("height % 4", height % 4, (0,))
    one_of("noise", noise, range(_NOISE + 1))
    pan, things = _STYLES[style]
    scene = -(-frames // 3) if style == "cuts" else frames
    out = bytearray(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height))
    for number in range(frames):
        if number % scene == 0:
            camera = _Camera(random, width, height, pan)
            moving = [_Thing(random, width, height) for _ in range(things)]
        planes = camera.frame()
        for thing in moving:
            thing.draw(planes)
        since = number % scene
        if style == "cuts" and since < 3:
            planes = [_dimmed(plane, 4 * (since + 1), 128 if at else 16) for at, plane in enumerate(planes)]
        out += b"FRAME\n"
        for plane in planes:
            out += _grainy(random, plane, noise)
    return bytes(out)
