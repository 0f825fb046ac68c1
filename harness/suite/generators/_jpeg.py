"""A baseline JPEG encoder (ITU-T T.81) in integers, with the tables of its annex K.

It exists because every JPEG library rounds in its own way: these bytes never change.
"""

from collections.abc import Sequence
from struct import pack
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.base.errors import UsageError
from harness.suite.generators._draw import one_of

__all__ = ["encode"]

# Annex K.1: quantisation of luminance and chrominance.
_LUMINANCE = (
    (16, 11, 10, 16, 24, 40, 51, 61),
    (12, 12, 14, 19, 26, 58, 60, 55),
    (14, 13, 16, 24, 40, 57, 69, 56),
    (14, 17, 22, 29, 51, 87, 80, 62),
    (18, 22, 37, 56, 68, 109, 103, 77),
    (24, 35, 55, 64, 81, 104, 113, 92),
    (49, 64, 78, 87, 103, 121, 120, 101),
    (72, 92, 95, 98, 112, 100, 103, 99),
)
_CHROMINANCE = (
    (17, 18, 24, 47, 99, 99, 99, 99),
    (18, 21, 26, 66, 99, 99, 99, 99),
    (24, 26, 56, 99, 99, 99, 99, 99),
    (47, 66, 99, 99, 99, 99, 99, 99),
    *(((99,) * 8),) * 4,
)
# Annex K.3: how many codes there are of 1 … 16 bits, and the symbols in order of their codes.
_DC_LUMINANCE = (0, 1, 5, 1, 1, 1, 1, 1, 1), bytes(range(12))
_DC_CHROMINANCE = (0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1), bytes(range(12))
_AC_LUMINANCE = (
    (0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125),
    bytes.fromhex(
        "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728"
        "292a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a83848586878889"
        "8a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2"
        "e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa"
    ),
)
_AC_CHROMINANCE = (
    (0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119),
    bytes.fromhex(
        "000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a26"
        "2728292a35363738393a434445464748494a535455565758595a636465666768696a737475767778797a828384858687"
        "88898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9da"
        "e2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa"
    ),
)
# Index 8 * row + column of the coefficients along the anti-diagonals (figure A.6).
_ZIGZAG = tuple(
    8 * row + diagonal - row
    for diagonal in range(15)
    for row in sorted(range(max(0, diagonal - 7), min(diagonal, 7) + 1), reverse=diagonal % 2 == 0)
)
# cos(k pi / 16) in units of 2**-13.
_C1, _C2, _C3, _C4, _C5, _C6, _C7 = 8035, 7568, 6811, 5793, 4551, 3135, 1598
_BETWEEN_PASSES = 11
_SCALE = 2 * 13 + 2 - _BETWEEN_PASSES
"""The transform's results are the coefficients times two to this power."""

Codes = dict[int, tuple[int, int]]
"""Symbol -> (code, length in bits)."""


class _Table(NamedTuple):
    """What one class of components (luminance or chrominance) is coded with."""

    divisors: tuple[int, ...]
    dc: Codes
    ac: Codes


def _codes(lengths: Sequence[int], symbols: bytes) -> Codes:
    """The canonical Huffman codes (annex C)."""
    codes, code, used = {}, 0, 0
    for length, count in enumerate(lengths, start=1):
        for symbol in symbols[used : used + count]:
            codes[symbol] = code, length
            code += 1
        used += count
        code <<= 1
    return codes


def _divisors(table: Sequence[Sequence[int]], quality: int) -> tuple[int, ...]:
    """The table in zigzag order, scaled: twice as coarse at 25 as at 50, all ones at 100."""
    percent = 5000 // quality if quality < 50 else 200 - 2 * quality
    flat = [value for row in table for value in row]
    return tuple(min(255, max(1, (flat[index] * percent + 50) // 100)) for index in _ZIGZAG)


def _transform(samples: NDArray[np.int64]) -> NDArray[np.int64]:
    """The eight-point DCT along the last axis, times 2 * 2**13 (from the symmetry of the cosines)."""
    a, b, c, d, e, f, g, h = np.moveaxis(samples, -1, 0)
    s0, s1, s2, s3 = a + h, b + g, c + f, d + e
    d0, d1, d2, d3 = a - h, b - g, c - f, d - e
    even, odd = s0 + s3, s1 + s2
    wide, near = s0 - s3, s1 - s2
    coefficients = (
        (even + odd) * _C4,
        d0 * _C1 + d1 * _C3 + d2 * _C5 + d3 * _C7,
        wide * _C2 + near * _C6,
        d0 * _C3 - d1 * _C7 - d2 * _C1 - d3 * _C5,
        (even - odd) * _C4,
        d0 * _C5 - d1 * _C1 + d2 * _C7 + d3 * _C3,
        wide * _C6 - near * _C2,
        d0 * _C7 - d1 * _C5 + d2 * _C3 - d3 * _C1,
    )
    return np.stack(coefficients, axis=-1)


def _quantised(plane: NDArray[np.int64], divisors: tuple[int, ...]) -> list[list[list[int]]]:
    """The 64 coefficients, in zigzag order, of each block of eight by eight: by row, then by column of blocks."""
    height, width = plane.shape
    blocks = plane.reshape(height // 8, 8, width // 8, 8).swapaxes(1, 2)
    half = 1 << _BETWEEN_PASSES >> 1
    scaled = (_transform(blocks) + half) >> _BETWEEN_PASSES
    flat = _transform(scaled.swapaxes(-1, -2)).swapaxes(-1, -2).reshape(height // 8, width // 8, 64)
    flat[..., 0] -= 1024 << _SCALE  # samples are coded as differences from 128
    step = np.array(divisors, np.int64) << _SCALE
    values = flat[..., np.array(_ZIGZAG)]
    coded: list[list[list[int]]] = (np.sign(values) * ((np.abs(values) + step // 2) // step)).tolist()
    return coded


class _Bits:
    """The entropy-coded segment under construction."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._pending = 0
        self._count = 0

    def put(self, value: int, length: int) -> None:
        self._pending = self._pending << length | value
        self._count += length
        while self._count >= 8:
            self._count -= 8
            byte = self._pending >> self._count
            self._bytes.append(byte)
            if byte == 0xFF:
                self._bytes.append(0)
            self._pending &= (1 << self._count) - 1

    def finish(self) -> bytes:
        """All bits so far, the last byte filled with ones."""
        if self._count:
            self.put((1 << 8 - self._count) - 1, 8 - self._count)
        return bytes(self._bytes)


def _put_block(bits: _Bits, block: list[int], previous: int, table: _Table) -> None:
    """Code one block (annex F.1.2); ``previous`` is the component's last DC coefficient."""
    difference = block[0] - previous
    size = abs(difference).bit_length()
    bits.put(*table.dc[size])
    bits.put(difference if difference >= 0 else difference + (1 << size) - 1, size)
    zeros = 0
    for value in block[1:]:
        if value == 0:
            zeros += 1
            continue
        while zeros > 15:
            bits.put(*table.ac[0xF0])
            zeros -= 16
        size = abs(value).bit_length()
        bits.put(*table.ac[zeros << 4 | size])
        bits.put(value if value >= 0 else value + (1 << size) - 1, size)
        zeros = 0
    if zeros:
        bits.put(*table.ac[0])


def _padded(plane: NDArray[np.int64], unit: int) -> NDArray[np.int64]:
    """The plane, right and lower edge repeated up to whole units."""
    height, width = plane.shape
    return np.pad(plane, ((0, -height % unit), (0, -width % unit)), mode="edge")


def _converted(planes: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Y, Cb and Cr of red, green and blue (JFIF 1.02), in fixed point."""
    r, g, b = planes
    return [
        (19_595 * r + 38_470 * g + 7471 * b + 32_768) >> 16,
        (-11_058 * r - 21_710 * g + 32_768 * b + 8_421_375) >> 16,
        (32_768 * r - 27_439 * g - 5329 * b + 8_421_375) >> 16,
    ]


def _halved(plane: NDArray[np.int64]) -> NDArray[np.int64]:
    """Half the size both ways, every sample the mean of four."""
    return (plane[::2, ::2] + plane[::2, 1::2] + plane[1::2, ::2] + plane[1::2, 1::2] + 2) >> 2


def _segment(marker: int, body: bytes) -> bytes:
    return pack(">BBH", 0xFF, marker, len(body) + 2) + body


def _header(width: int, height: int, sampling: list[int], tables: list[_Table], interval: int) -> bytes:
    """Everything up to the entropy-coded data; ``interval``: units between restarts, 0 for no restarts."""
    specifications = ((_DC_LUMINANCE, _AC_LUMINANCE), (_DC_CHROMINANCE, _AC_CHROMINANCE))
    kinds = [min(index, 1) for index in range(len(sampling))]
    out = [b"\xff\xd8", _segment(0xE0, b"JFIF\0" + pack(">HBHHBB", 0x0101, 0, 1, 1, 0, 0))]
    out += [_segment(0xDB, bytes((index, *table.divisors))) for index, table in enumerate(tables)]
    parts = [bytes((i + 1, factor * 17, kinds[i])) for i, factor in enumerate(sampling)]
    out.append(_segment(0xC0, pack(">BHHB", 8, height, width, len(parts)) + b"".join(parts)))
    for index in range(len(tables)):
        for kind, (lengths, symbols) in enumerate(specifications[index]):
            counts = bytes(lengths).ljust(16, b"\0")
            out.append(_segment(0xC4, bytes((kind << 4 | index,)) + counts + symbols))
    if interval:
        out.append(_segment(0xDD, pack(">H", interval)))
    parts = [bytes((i + 1, kind * 17)) for i, kind in enumerate(kinds)]
    out.append(_segment(0xDA, bytes((len(parts),)) + b"".join(parts) + b"\0\x3f\0"))
    return b"".join(out)


def encode(width: int, height: int, planes: Sequence[bytes], quality: int, repeat: int = 1) -> bytes:
    """The JPEG file of one gray plane, or of red, green and blue planes at 4:2:0.

    The picture comes ``repeat`` times below itself, with a restart between: the height must then be
    whole units (of 16 rows, or 8 if gray).
    """
    one_of("quality", quality, range(1, 101))
    unit = 8 if len(planes) == 1 else 16
    if repeat > 1 and height % unit:
        raise UsageError(f"height = {height}: must be a multiple of {unit} where repeat is above 1")
    tables = [
        _Table(_divisors(_LUMINANCE, quality), _codes(*_DC_LUMINANCE), _codes(*_AC_LUMINANCE)),
        _Table(_divisors(_CHROMINANCE, quality), _codes(*_DC_CHROMINANCE), _codes(*_AC_CHROMINANCE)),
    ]
    arrays = [np.frombuffer(plane, np.uint8).reshape(height, width).astype(np.int64) for plane in planes]
    if len(arrays) == 1:
        sampling, tables = [1], tables[:1]
        components = [_padded(arrays[0], 8)]
    else:
        sampling = [2, 1, 1]
        full = [_padded(plane, 16) for plane in _converted(arrays)]
        components = [full[0], _halved(full[1]), _halved(full[2])]
    kinds = [tables[min(index, 1)] for index in range(len(components))]
    blocks = [_quantised(plane, table.divisors) for plane, table in zip(components, kinds, strict=True)]
    units_down, units_across = len(blocks[-1]), len(blocks[-1][0])
    bits = _Bits()
    previous = [0] * len(blocks)
    for unit_y in range(units_down):
        for unit_x in range(units_across):
            for index, factor in enumerate(sampling):
                for row in blocks[index][factor * unit_y : factor * (unit_y + 1)]:
                    for block in row[factor * unit_x : factor * (unit_x + 1)]:
                        _put_block(bits, block, previous[index], kinds[index])
                        previous[index] = block[0]
    data = bits.finish()
    interval = units_down * units_across if repeat > 1 else 0
    head = _header(width, height * repeat, sampling, tables, interval)
    restarts = b"".join(b"\xff" + bytes((0xD0 + index % 8,)) + data for index in range(repeat - 1))
    return head + data + restarts + b"\xff\xd9"
