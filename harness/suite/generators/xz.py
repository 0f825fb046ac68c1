"""Files in the .xz format, made by an encoder of the project's own.

Python's ``lzma`` would give other bytes with another version of liblzma. This encoder follows the LZMA
specification (I. Pavlov, 2015) and "The .xz File Format" 1.1 (L. Collin and I. Pavlov); it takes the most recent
match of three or more bytes and repeats the last distance where that is longer, nothing cleverer.
"""

from random import Random
from struct import pack
from zlib import crc32

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, one_of
from harness.suite.generators.binary import records
from harness.suite.generators.text import text

__all__ = ["xz"]

_CONTENTS = {"records": records, "text": text}
_DICTIONARY = 1 << 20
_DICTIONARY_CODE = 16
"""That size in the filter's properties (section 5.3.1 of the .xz format)."""
_LC, _PB = 3, 2
_PROPERTIES = _PB * 45 + _LC
_LONGEST = 273
_CHUNK_IN, _CHUNK_OUT = 2_000_000, 60_000
"""A chunk of LZMA2 ends when it has taken or given so many bytes; the format allows 2 MiB and 64 KiB."""
_HALF = 1024
"""A bit's chance of being 0, of 2048, before anything is known."""


class _Coder:
    """The range coder: bits with adaptive chances to bytes."""

    def __init__(self) -> None:
        self.out = bytearray()
        self._low, self._range = 0, 0xFFFF_FFFF
        self._cache, self._pending = 0, 0

    def bit(self, chances: list[int], index: int, bit: int) -> None:
        """Code one bit and adapt its chance."""
        chance = chances[index]
        bound = (self._range >> 11) * chance
        if bit:
            self._low += bound
            self._range -= bound
            chances[index] = chance - (chance >> 5)
        else:
            self._range = bound
            chances[index] = chance + ((2048 - chance) >> 5)
        if self._range < 1 << 24:
            self._range <<= 8
            self._shift()

    def direct(self, value: int, count: int) -> None:
        """Code ``count`` bits that are 0 or 1 equally often."""
        for shift in range(count - 1, -1, -1):
            self._range >>= 1
            if value >> shift & 1:
                self._low += self._range
            if self._range < 1 << 24:
                self._range <<= 8
                self._shift()

    def tree(self, chances: list[int], value: int, count: int) -> None:
        """Code a number, its highest bit first."""
        node = 1
        for shift in range(count - 1, -1, -1):
            bit = value >> shift & 1
            self.bit(chances, node, bit)
            node = node << 1 | bit

    def reverse_tree(self, chances: list[int], base: int, value: int, count: int) -> None:
        """Code a number, its lowest bit first; its chances begin behind ``base``."""
        node = 1
        for shift in range(count):
            bit = value >> shift & 1
            self.bit(chances, base + node, bit)
            node = node << 1 | bit

    def finish(self) -> bytes:
        """The bytes, all that was coded in them."""
        for _ in range(5):
            self._shift()
        return bytes(self.out)

    def _shift(self) -> None:
        if self._low < 0xFF00_0000 or self._low >= 1 << 32:
            carry = self._low >> 32
            self.out.append(self._cache + carry & 0xFF)
            self.out += bytes((0xFF + carry & 0xFF,)) * self._pending
            self._pending = 0
            self._cache = self._low >> 24 & 0xFF
        else:
            self._pending += 1
        self._low = (self._low & 0x00FF_FFFF) << 8


class _Lengths:
    """The chances of match lengths."""

    def __init__(self) -> None:
        self._choice = [_HALF] * 2
        self._low = [[_HALF] * 8 for _ in range(1 << _PB)]
        self._middle = [[_HALF] * 8 for _ in range(1 << _PB)]
        self._high = [_HALF] * 256

    def code(self, coder: _Coder, length: int, place: int) -> None:
        length -= 2
        coder.bit(self._choice, 0, length >= 8)
        if length < 8:
            coder.tree(self._low[place], length, 3)
            return
        coder.bit(self._choice, 1, length >= 16)
        if length < 16:
            coder.tree(self._middle[place], length - 8, 3)
        else:
            coder.tree(self._high, length - 16, 8)


class _Encoder:
    """LZMA with its state: chances, last distances, what came before."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._recent: dict[bytes, int] = {}
        """Three bytes → where they came last."""
        self._state = 0
        self._distances = [0, 0, 0, 0]
        self._is_match = [[_HALF] * (1 << _PB) for _ in range(12)]
        self._is_repeated = [_HALF] * 12
        self._is_other = [_HALF] * 12
        self._is_long = [[_HALF] * (1 << _PB) for _ in range(12)]
        self._literals = [[_HALF] * 0x300 for _ in range(1 << _LC)]
        self._slots = [[_HALF] * 64 for _ in range(4)]
        self._middle_distances = [_HALF] * 128
        self._aligned = [_HALF] * 16
        self._lengths, self._repeated_lengths = _Lengths(), _Lengths()

    def chunk(self) -> tuple[int, bytes]:
        """How many of the next bytes went into a chunk, and its compressed data."""
        coder, start, data = _Coder(), self._at, self._data
        while self._at < len(data) and self._at - start < _CHUNK_IN and len(coder.out) < _CHUNK_OUT:
            at = self._at
            distance, length = self._match(at)
            repeated = self._equal(at, self._distances[0] + 1)
            if repeated >= 2 and repeated + 1 >= length:
                self._code_match(coder, repeated)
                length = repeated
            elif length >= 3:
                self._code_match(coder, length, distance - 1)
            else:
                self._code_literal(coder)
                length = 1
            for place in range(at, min(at + length, len(data) - 2)):
                self._recent[data[place : place + 3]] = place
            self._at += length
        return self._at - start, coder.finish()

    def _match(self, at: int) -> tuple[int, int]:
        before = self._recent.get(self._data[at : at + 3], -1)
        if before < 0 or at - before >= _DICTIONARY:
            return 0, 0
        return at - before, self._equal(at, at - before)

    def _equal(self, at: int, distance: int) -> int:
        """How many bytes from here on are those of ``distance`` before."""
        data, most = self._data, min(_LONGEST, len(self._data) - at)
        length = 0
        if distance <= at:
            while length < most and data[at + length] == data[at + length - distance]:
                length += 1
        return length

    def _code_literal(self, coder: _Coder) -> None:
        at, data, state = self._at, self._data, self._state
        coder.bit(self._is_match[state], at & (1 << _PB) - 1, 0)
        chances = self._literals[data[at - 1] >> 8 - _LC if at else 0]
        symbol = data[at] | 0x100
        if state < 7:
            coder.tree(chances, data[at], 8)
        else:  # after a match: the byte that follows it where it was copied from says something
            offset, other = 0x100, data[at - self._distances[0] - 1]
            node = 1
            for shift in range(7, -1, -1):
                other <<= 1
                bit = symbol >> shift & 1
                coder.bit(chances, offset + (other & offset) + node, bit)
                node = node << 1 | bit
                if (other ^ bit << 8) & offset and offset:
                    offset = 0
        self._state = 0 if state < 4 else state - 3 if state < 10 else state - 6

    def _code_match(self, coder: _Coder, length: int, distance: int | None = None) -> None:
        """A match; without a ``distance`` at the last one."""
        place, state = self._at & (1 << _PB) - 1, self._state
        coder.bit(self._is_match[state], place, 1)
        coder.bit(self._is_repeated, state, distance is None)
        if distance is None:
            coder.bit(self._is_other, state, 0)
            coder.bit(self._is_long[state], place, 1)
            self._repeated_lengths.code(coder, length, place)
            self._state = 8 if state < 7 else 11
            return
        self._lengths.code(coder, length, place)
        self._code_distance(coder, distance, min(length - 2, 3))
        self._distances = [distance, *self._distances[:3]]
        self._state = 7 if state < 7 else 10

    def _code_distance(self, coder: _Coder, distance: int, by_length: int) -> None:
        if distance < 4:
            coder.tree(self._slots[by_length], distance, 6)
            return
        high = distance.bit_length() - 1
        slot = 2 * high + (distance >> high - 1 & 1)
        coder.tree(self._slots[by_length], slot, 6)
        count = high - 1
        base = (2 | slot & 1) << count
        if slot < 14:
            coder.reverse_tree(self._middle_distances, base - slot, distance - base, count)
        else:
            coder.direct(distance - base >> 4, count - 4)
            coder.reverse_tree(self._aligned, 0, distance - base & 15, 4)


def _lzma2(data: bytes) -> bytes:
    """The data as a sequence of LZMA2 chunks."""
    encoder, out, done = _Encoder(data), bytearray(), 0
    while done < len(data):
        taken, packed = encoder.chunk()
        control = (0x80 if done else 0xE0) | taken - 1 >> 16
        out += pack(">BHH", control, taken - 1 & 0xFFFF, len(packed) - 1)
        out += packed if done else bytes((_PROPERTIES,)) + packed
        done += taken
    return bytes(out) + b"\0"


def _number(value: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _checked(data: bytes) -> bytes:
    return data + pack("<I", crc32(data))


def _stream(data: bytes) -> bytes:
    """One stream of one block, with CRC-32."""
    flags = b"\0\1"
    header = _checked(b"\2\0\x21\1" + bytes((_DICTIONARY_CODE, 0, 0, 0)))
    packed = _lzma2(data)
    unpadded = len(header) + len(packed) + 4
    index = _checked(_padded(b"\0\1" + _number(unpadded) + _number(len(data))))
    footer = pack("<I", len(index) // 4 - 1) + flags
    block = header + _padded(packed) + pack("<I", crc32(data))
    return b"\xfd7zXZ\0" + flags + pack("<I", crc32(flags)) + block + index + pack("<I", crc32(footer)) + footer + b"YZ"


@generator("xz")
def xz(random: Random, *, size: int = 40_000, content: str = "text", repeat: int = 1) -> bytes:
    """The ``text`` or the ``records`` of that seed and size, as an .xz file; ``repeat`` streams, all the same."""
    one_of("content", content, sorted(_CONTENTS))
    at_least("repeat", repeat, 1)
    return _stream(_CONTENTS[content](random, size=size)) * repeat
