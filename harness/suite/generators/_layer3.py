"""A writer of MPEG-1 Layer III streams (ISO/IEC 11172-3): frames, side information, Huffman codes, bit reservoir.

It codes quantised spectra as they are given; there is no filter bank and no psychoacoustic model here.
"""

from collections.abc import Sequence
from itertools import accumulate
from struct import pack
from typing import NamedTuple

__all__ = ["LINES", "LONG", "RATES", "SHORT", "START", "STOP", "Frame", "Granule", "encode"]

LINES = 576
RATES = (44_100, 48_000, 32_000)
LONG, START, SHORT, STOP = range(4)  # block types
_KILOBITS = (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_GREATEST = 30  # value: 15 and four linbits, less one
_LONGEST = 1800  # bits of a granule and channel, so that every frame fits into 320 kbit/s
_RESERVOIR = 511  # bytes
# Table B.8: widths of the scale factor bands of long blocks, in the order of RATES.
_BANDS = (
    (4, 4, 4, 4, 4, 4, 6, 6, 8, 8, 10, 12, 16, 20, 24, 28, 34, 42, 50, 54, 76, 158),
    (4, 4, 4, 4, 4, 4, 6, 6, 6, 8, 10, 12, 16, 18, 22, 28, 34, 40, 46, 54, 54, 192),
    (4, 4, 4, 4, 4, 4, 6, 6, 8, 10, 12, 16, 20, 24, 30, 38, 46, 56, 68, 84, 102, 26),
)
_EDGES = tuple((0, *accumulate(widths)) for widths in _BANDS)
# Section 2.4.2.7: bits of the lower and of the upper scale factors, by scalefac_compress.
_SCALE_BITS = (
    *((0, 0), (0, 1), (0, 2), (0, 3), (3, 0), (1, 1), (1, 2), (1, 3)),
    *((2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3), (4, 2), (4, 3)),
)
# Table B.7: code words of value pairs, row by row; each hexadecimal, with a one bit in front.
_PAIRS = {
    1: "3 9 5 8",
    3: "7 6 41 9 5 21 23 22 40",
    6: "f b 25 81 e 6 13 22 15 14 24 41 43 23 42 80",
    9: "f d 29 4e 10f 207 e c 15 25 46 107 17 16 28 48 88 105 4f 26 49 8a 85 101 8b 47 89 86 104 201 10e 84 106 102"
    " 206 200",
    12: "19 e 30 a1 129 227 226 21a f d 16 29 97 90 11a 10b 31 17 2b 4e 95 11e 8a 107 51 2a 4f 4c 92 11c 10e 105 a0"
    " 4d 96 93 112 110 109 205 128 91 11f 11d 111 20d 104 202 11b 8c 8b 10f 10a 207 204 401 21b 10c 108 20c 206 203"
    " 201 400",
    24: "1f 1d 6e d0 192 306 2f8 5b2 5aa a9d a8d a89 a6d a05 1408 258 1e 1c 35 66 c7 182 17a 2d8 2d1 2c6 547 559 53f"
    " 529 517 12a 6f 36 69 ca c4 180 178 2dd 2cf 2c2 2b6 554 53b 527 a1d 92 d1 67 cb c6 186 17d 174 2dc 2cc 2be 2b2"
    " 545 537 525 50f 90 193 c8 c5 187 17f 176 170 2d2 2c8 2bc 560 543 532 51d a1c 8e 307 c2 181 17e 177 172 2d6 2ca"
    " 2c0 2b4 555 53d 52d 519 506 8c 2f9 17b 179 175 171 2d7 2ce 2c3 2b9 55b 54a 534 523 510 a08 8a 5b3 173 16f 16d"
    " 2d3 2cb 2c4 2bb 561 54c 539 52a 51b a13 97d 111 5ab 2d4 2d0 2cd 2c9 2c1 2ba 2b1 2a9 540 52f 51e 50c a02 979"
    " 110 54f 2c7 2c5 2bf 2bd 2b5 2ae 54d 541 531 521 513 a09 97b 973 10b a9c 2b8 2b7 2b3 2af 558 54b 53a 530 522"
    " 515 a12 97f 975 96e 10a a8c 55a 2ab 2a8 2a4 53e 535 52b 51f 514 507 a01 977 970 96a 106 a88 542 53c 538 533"
    " 52e 524 51c 50d 505 a00 978 972 96c 967 104 a6c 52c 528 526 520 51a 511 50a a03 97c 976 971 96d 969 965 102"
    " 1409 518 516 512 50b 508 503 97e 97a 974 96f 96b 968 966 964 100 12b 94 93 91 8f 8d 8b 89 87 86 84 107 105 103"
    " 101 13",
}
_QUADS_A = "3 15 14 25 16 45 24 44 17 23 26 40 27 42 43 41"
_SELECT = (0, 1, 3, 6, 9, 9, 12, 12)  # the table for a greatest value of 0 … 7; 24 above


def _bits(words: str) -> list[str]:
    return [bin(int(word, 16))[3:] for word in words.split()]


_PAIR_CODES = {table: _bits(words) for table, words in _PAIRS.items()}
_QUAD_CODES = (_bits(_QUADS_A), [format(15 - index, "04b") for index in range(16)])
_known: dict[tuple[int, int, int], str] = {}


class Granule(NamedTuple):
    """One channel's 576 lines of one granule."""

    values: Sequence[int]
    """-30 … 30; missing lines are zero."""
    gain: int
    """global_gain: a value v stands for about v ** (4/3) * 2 ** ((gain - 210) / 4)."""
    block: int = LONG
    mixed: bool = False
    """Short blocks only: long ones in the two lowest subbands."""
    compress: int = 0
    """scalefac_compress."""
    scale: Sequence[int] = ()
    """Numbers to take the scale factors from, in turn: each is cut to the bits that it has."""


class Frame(NamedTuple):
    """Two granules of one or two channels."""

    granules: Sequence[Sequence[Granule]]
    middle_side: bool = False
    """The two channels are their sum and difference."""
    shared: int = 0
    """scfsi of all channels: groups of scale factors that the second granule takes from the first."""


def _pair(table: int, x: int, y: int) -> str:
    """The code word, linbits and signs of two values."""
    side = 16 if table == 24 else {1: 2, 3: 3, 6: 4, 9: 6, 12: 8}[table]
    word = _PAIR_CODES[table][min(abs(x), 15) * side + min(abs(y), 15)]
    for value in (x, y):
        if table == 24 and abs(value) >= 15:
            word += format(abs(value) - 15, "04b")
        if value:
            word += "1" if value < 0 else "0"
    return word


def _quad(table: int, values: Sequence[int]) -> str:
    index = sum(8 >> place for place, value in enumerate(values) if value)
    return _QUAD_CODES[table][index] + "".join("1" if value < 0 else "0" for value in values if value)


def _scale_factors(granule: Granule, shared: int) -> str:
    low, high = _SCALE_BITS[granule.compress]
    if granule.block == SHORT:
        groups = [(17 if granule.mixed else 18, low), (18, high)]
    else:
        all_groups = ((6, low), (5, low), (5, high), (5, high))
        groups = [group for place, group in enumerate(all_groups) if not shared & 8 >> place]
    widths = [bits for count, bits in groups for _ in range(count) if bits]
    source = granule.scale or (0,)
    return "".join(
        format(source[place % len(source)] & (1 << bits) - 1, f"0{bits}b") for place, bits in enumerate(widths)
    )


def _huffman(values: Sequence[int], ends: Sequence[int]) -> tuple[str, int, list[int], int]:
    """The coded lines, big_values, the table of each region (they end at ``ends``), and the table of the quads."""
    big = max((place for place, value in enumerate(values) if abs(value) > 1), default=-1) // 2 + 1
    last = max((place for place, value in enumerate(values) if value), default=-1) + 1
    if 2 * big + (last - 2 * big + 3) // 4 * 4 > LINES:
        big += 1
    lines = [*values, 0, 0, 0, 0]
    words, tables, start = [], [], 0
    for end in (*ends, LINES):
        stop = max(start, min(end, 2 * big))
        table = 0
        if part := lines[start:stop]:
            greatest = max(max(part), -min(part))
            table = _SELECT[greatest] if greatest < len(_SELECT) else 24
        tables.append(table)
        if table:
            for place in range(start, stop, 2):
                key = table, lines[place], lines[place + 1]
                word = _known.get(key)
                if word is None:
                    word = _known[key] = _pair(*key)
                words.append(word)
        start = stop
    quads = [lines[place : place + 4] for place in range(2 * big, last, 4)]
    both = ["".join(_quad(table, quad) for quad in quads) for table in (0, 1)]
    best = int(len(both[1]) < len(both[0]))
    return "".join(words) + both[best], big, tables, best


def _granule(granule: Granule, edges: Sequence[int], shared: int) -> tuple[str, str]:
    """One granule and channel: its side information and its main data."""
    values = [max(-_GREATEST, min(_GREATEST, value)) for value in granule.values[:LINES]]
    scale = _scale_factors(granule, shared)
    region0, region1 = 7, 4
    ends = (edges[8], edges[13]) if granule.block == LONG else (36,)
    coded, big, tables, quads = _huffman(values, ends)
    while len(scale) + len(coded) > _LONGEST:
        values = values[: len(values) * 7 // 8]
        coded, big, tables, quads = _huffman(values, ends)
    side = f"{len(scale) + len(coded):012b}{big:09b}{granule.gain:08b}{granule.compress:04b}"
    if granule.block == LONG:
        side += "0" + "".join(f"{table:05b}" for table in tables) + f"{region0:04b}{region1:03b}"
    else:
        side += f"1{granule.block:02b}{int(granule.mixed)}" + "".join(f"{table:05b}" for table in tables) + "0" * 9
    return side + f"00{quads}", scale + coded


def _to_bytes(bits: str) -> bytes:
    bits += "0" * (-len(bits) % 8)
    return int("1" + bits, 2).to_bytes(len(bits) // 8 + 1, "big")[1:]


def _crc(data: bytes) -> int:
    """CRC-16 of section 2.4.3.1."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x8005 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def encode(frames: Sequence[Frame], rate: int, channels: int, protected: bool) -> bytes:
    """The stream. Each frame has the least bit rate that holds it, with what earlier ones left over."""
    index = RATES.index(rate)
    edges = _EDGES[index]
    overhead = 4 + 2 * protected + (17 if channels == 1 else 32)
    heads: list[tuple[bytes, str, int]] = []
    body = bytearray()
    filled = 0  # bytes of main data and stuffing in the body so far
    for frame in frames:
        shared = 0 if any(part.block == SHORT for granule in frame.granules for part in granule) else frame.shared
        coded = [
            [_granule(part, edges, shared if second else 0) for part in granule]
            for second, granule in enumerate(frame.granules)
        ]
        main = _to_bytes("".join(part[1] for granule in coded for part in granule))
        filled = max(filled, len(body) - _RESERVOIR)
        begin = len(body) - filled
        sizes = [144_000 * kilobits // rate - overhead for kilobits in _KILOBITS]
        chosen = next(place for place, size in enumerate(sizes) if begin + size >= len(main))
        mode = 3 if channels == 1 else 1
        third = (chosen + 1) << 4 | index << 2
        fourth = mode << 6 | (2 if frame.middle_side and channels == 2 else 0) << 4 | 4
        side = f"{begin:09b}" + ("00000" if channels == 1 else "000") + f"{shared:04b}" * channels
        side += "".join(part[0] for granule in coded for part in granule)
        heads.append((bytes((0xFF, 0xFA if protected else 0xFB, third, fourth)), side, sizes[chosen]))
        body += bytes(sizes[chosen])
        body[filled : filled + len(main)] = main
        filled += len(main)
    out, start = [], 0
    for head, bits, size in heads:
        side_bytes = _to_bytes(bits)
        check = pack(">H", _crc(head[2:] + side_bytes)) if protected else b""
        out += [head, check, side_bytes, bytes(body[start : start + size])]
        start += size
    return b"".join(out)
