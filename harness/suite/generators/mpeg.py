"""Compressed audio to be decoded: MPEG-1 Layer III and Layer I.

There is no encoder behind these streams: the quantised spectra themselves are drawn, as music has
them (partials over a falling noise floor, decaying chords, short blocks at attacks).
"""

from collections.abc import Sequence
from itertools import pairwise
from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, below, between, one_of
from harness.suite.generators._layer3 import LONG, RATES, SHORT, START, STOP, Frame, Granule, encode

__all__ = ["mp1", "mp3"]

_SCALES = (0, 0, 5, 8)  # scalefac_compress
_LOUD, _SOFT = 172, 150  # global_gain at the attack and at the end of a chord


def _envelope(random: Random, level: float) -> list[float]:
    """How large the values of one channel get during one chord, line by line."""
    cutoff = between(random, 180, 420)
    knee = between(random, 15, 60)
    out = [level * 3.2 * knee / (knee + i) + 0.4 for i in range(cutoff)]
    for _ in range(between(random, 3, 6)):
        fundamental = 3.0 + 40.0 * random.random()
        strength = level * (6.0 + 14.0 * random.random())
        for partial in range(1, 12):
            line = int(partial * fundamental)
            if line + 1 >= cutoff:
                break
            out[line] += strength / partial
            out[line + 1] += 0.4 * strength / partial
    return out


def _values(random: Random, envelope: Sequence[float]) -> list[int]:
    draw = random.random
    return [int(level * (2.0 * draw() - 1.0)) for level in envelope]


def _blocks(random: Random, granules: int, attacks: list[int]) -> list[int]:
    """The block type of each granule: some attacks are short, between a start and a stop block."""
    kinds = [LONG] * granules
    for place in attacks:
        if 2 <= place < granules - 1 and random.random() < 0.7:
            kinds[place - 1], kinds[place], kinds[place + 1] = START, SHORT, STOP
    return kinds


@generator("mp3")
def mp3(
    random: Random,
    *,
    frames: int = 100,
    rate: int = 44_100,
    channels: int = 2,
    protected: bool = False,
    repeat: int = 1,
) -> bytes:
    """``frames`` frames of MPEG-1 Layer III at a variable bit rate, of 1152 samples a channel each.

    ``protected`` adds a CRC to each frame. All of it comes ``repeat`` times, one after the other.
    """
    at_least("frames", frames, 1)
    at_least("repeat", repeat, 1)
    one_of("rate", rate, RATES)
    one_of("channels", channels, (1, 2))
    attacks = [0]
    while attacks[-1] < 2 * frames:
        attacks.append(attacks[-1] + between(random, 10, 40))
    kinds = _blocks(random, 2 * frames, attacks)
    granules: list[list[Granule]] = []
    sides: list[bool] = []
    for start, end in pairwise(attacks):
        side = random.random() < 0.5
        envelopes = [_envelope(random, 0.35 if side and channel else 1.0) for channel in range(channels)]
        compress = [_SCALES[below(random, len(_SCALES))] for _ in range(channels)]
        mixed = random.random() < 0.3
        for place in range(start, min(end, 2 * frames)):
            gain = max(_SOFT, _LOUD - (place - start))
            granules.append(
                [
                    Granule(
                        values=_values(random, envelope),
                        gain=gain,
                        block=kinds[place],
                        mixed=mixed and kinds[place] == SHORT,
                        compress=compress[channel],
                        scale=(below(random, 4), below(random, 4), below(random, 4)),
                    )
                    for channel, envelope in enumerate(envelopes)
                ]
            )
            sides.append(side)
    stream = encode(
        [
            Frame(granules[place : place + 2], sides[place], 15 * (random.random() < 0.3))
            for place in range(0, 2 * frames, 2)
        ],
        rate,
        channels,
        protected,
    )
    return stream * repeat


@generator("mp1")
def mp1(random: Random, *, frames: int = 300, rate: int = 44_100, channels: int = 2, repeat: int = 1) -> bytes:
    """``frames`` frames of MPEG-1 Layer I at 384 kbit/s (192 with one channel), of 384 samples a channel each.

    All of it comes ``repeat`` times, one after the other.
    """
    at_least("frames", frames, 1)
    at_least("repeat", repeat, 1)
    one_of("rate", rate, RATES)
    one_of("channels", channels, (1, 2))
    size = 12 * 192_000 * channels // rate * 4
    index, mode = (12, 0x04) if channels == 2 else (6, 0xC4)
    head = bytes((0xFF, 0xFF, index << 4 | RATES.index(rate) << 2, mode))
    available = 8 * size - 32 - 32 * 4 * channels
    out = []
    loudness = [20.0] * 32
    for count in range(frames):
        if count % 24 == 0:
            slope = 0.4 + 0.8 * random.random()
            loudness = [max(0.0, 30.0 - slope * band - 8.0 * random.random()) for band in range(32)]
        # A subband's samples get one bit for every six decibels or so; the soft ones get none.
        wanted = [min(15, int(level / 3.0)) if level >= 6.0 else 0 for level in loudness for _ in range(channels)]
        cost = sum(6 + 12 * bits for bits in wanted if bits)
        while cost > available:
            place = max(range(len(wanted)), key=wanted.__getitem__)
            wanted[place] -= 1
            cost -= 12
        draw = random.random
        words = ["0000" if bits == 0 else f"{bits - 1:04b}" for bits in wanted]
        words += [f"{min(62, 12 + count % 24 + between(random, 0, 3)):06b}" for bits in wanted if bits]
        for _ in range(12):
            words += [f"{int(((1 << bits) - 1) * draw()):0{bits}b}" for bits in wanted if bits]
        bits_text = "".join(words)
        body = int("1" + bits_text + "0" * (8 * (size - 4) - len(bits_text)), 2).to_bytes(size - 3, "big")[1:]
        out.append(head + body)
    return b"".join(out) * repeat
