"""Synthetic speech and music, as raw samples and as WAV files.

Speech is a pulse train or noise through formant resonators (the source-filter model); music is chords
of decaying partials. Both are second-order recurrences, which need no sine but the one in a coefficient.
"""

from collections.abc import Callable
from math import sqrt
from random import Random
from struct import pack

import numpy as np
from numpy.typing import NDArray

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, between, one_of, pick

__all__ = ["pcm", "wav"]

Signal = NDArray[np.float64]
"""Samples; every operation on them is one of IEEE 754 by itself, so the bytes are the same everywhere."""

_PI = 3.141592653589793
_PEAK = 26_000.0
# Formant frequencies in Hz of some vowels and voiced consonants.
_VOICED = (
    (730, 1090, 2440),
    (530, 1840, 2480),
    (270, 2290, 3010),
    (570, 840, 2410),
    (300, 870, 2240),
    (250, 1200, 2200),
)
_BANDWIDTHS = (80, 110, 160)
_CHORDS = ((0, 4, 7, 12), (-3, 0, 4, 9), (-7, 0, 5, 9), (-5, -1, 2, 7), (2, 5, 9, 14), (-8, -1, 4, 7))


def _cosine(turns: float) -> float:
    """cos(2 pi turns) for turns of 0 … 0.5, by its power series around a quarter turn."""
    x = 2.0 * _PI * (0.25 - turns)
    square = x * x
    term = total = x
    for n in range(3, 27, 2):
        term *= -square / (n * (n - 1))
        total += term
    return total


def _decay(x: float) -> float:
    """exp(-x) for a small x, by its power series."""
    term = total = 1.0
    for n in range(1, 20):
        term *= -x / n
        total += term
    return total


def _resonator(frequency: float, bandwidth: float, rate: int) -> tuple[float, float]:
    """(b, c) of y[n] = x[n] + b y[n-1] + c y[n-2], which rings at ``frequency`` (both in Hz)."""
    radius = _decay(_PI * min(bandwidth / rate, 0.45))
    return 2.0 * radius * _cosine(min(frequency / rate, 0.45)), -radius * radius


def _filtered(signal: Signal, frequency: float, bandwidth: float, rate: int) -> Signal:
    """The signal through one resonator of unit gain at zero frequency."""
    b, c = _resonator(frequency, bandwidth, rate)
    gain = 1.0 - b - c
    y1 = y2 = 0.0
    out = []
    for x in (gain * signal).tolist():
        y1, y2 = x + b * y1 + c * y2, y1
        out.append(y1)
    return np.array(out)


def _pulses(random: Random, samples: int, rate: int, pitch: float) -> Signal:
    """A glottal source: one pulse a period and a falling slope after it, the pitch gliding a little."""
    out = []
    glide = pitch * (random.random() - 0.6) / (2.0 * samples)
    phase = 1.0
    for _ in range(samples):
        if phase >= 1.0:
            phase -= 1.0
            out.append(1.0 + 0.1 * random.random())
        else:
            out.append(-0.12 * (1.0 - phase))
        phase += pitch / rate
        pitch += glide
    return np.array(out)


def _hiss(random: Random, samples: int) -> Signal:
    draw = random.random
    return np.array([draw() for _ in range(samples)]) - 0.5


def _faded(signal: Signal, level: float, edge: int) -> Signal:
    """The signal at ``level`` (its greatest value), rising and falling over ``edge`` samples."""
    edge = max(1, min(edge, len(signal) // 2))
    out = level / max(1e-9, float(np.abs(signal).max())) * signal
    rising = np.arange(min(edge, len(out))) / edge
    out[: len(rising)] *= rising
    out[::-1][: len(rising)] *= rising
    return out


def _speech(random: Random, samples: int, rate: int) -> Signal:
    """Syllables of an unvoiced and one or two voiced sounds; a pause after every few."""
    pitch = 95.0 + 110.0 * random.random()
    out: list[Signal] = []
    while sum(map(len, out)) < samples:
        if random.random() < 0.55:
            length = rate * between(random, 40, 110) // 1000
            middle = between(random, 1800, 5000)
            hiss = _filtered(_hiss(random, length), middle, 700, rate)
            out.append(_faded(hiss, 0.1 + 0.2 * random.random(), length // 3))
        for _ in range(between(random, 1, 2)):
            length = rate * between(random, 70, 180) // 1000
            sound = _pulses(random, length, rate, pitch * (0.9 + 0.25 * random.random()))
            for frequency, bandwidth in zip(pick(random, _VOICED), _BANDWIDTHS, strict=True):
                sound = _filtered(sound, frequency, bandwidth, rate)
            out.append(_faded(sound, 0.4 + 0.6 * random.random(), rate // 50))
        if random.random() < 0.3:
            out.append(np.zeros(rate * between(random, 50, 300) // 1000))
    return np.concatenate(out)[:samples]


def _note(amplitude: float, frequency: float, seconds: float, samples: int, rate: int) -> Signal:
    """A damped sine that starts at zero and falls to 1/e in ``seconds``."""
    b, c = _resonator(frequency, 1.0 / (_PI * seconds), rate)
    cosine = b / 2.0
    y1, y2 = amplitude * sqrt(1.0 - cosine * cosine), 0.0
    out = []
    for _ in range(samples):
        out.append(y2)
        y1, y2 = b * y1 + c * y2, y1
    return np.array(out)


def _music(random: Random, samples: int, rate: int, channels: int) -> list[Signal]:
    """One chord a beat, each note of three partials and placed somewhere between the channels; drum hits."""
    mix = [np.zeros(samples) for _ in range(channels)]
    beat = rate * between(random, 220, 420) // 1000 + 1
    root = 110.0 + 70.0 * random.random()
    semitone = 1.0594630943592953
    for start in range(0, samples, beat):
        length = min(2 * beat, samples - start)  # a chord rings on below the next one
        stop = start + length
        for step in pick(random, _CHORDS):
            if random.random() < 0.25:
                continue
            pitch = root
            for _ in range(abs(step)):
                pitch = pitch * semitone if step > 0 else pitch / semitone
            place = random.random()
            for partial, strength in ((1, 1.0), (2, 0.5), (3, 0.25)):
                if partial * pitch >= 0.45 * rate:
                    continue
                note = _note(strength, partial * pitch, 0.35 / partial, length, rate)
                for channel, into in enumerate(mix):
                    side = 1.0 if channels == 1 else 0.3 + 0.7 * (place if channel else 1.0 - place)
                    into[start:stop] += side * note
        if random.random() < 0.5:
            hit = _filtered(_hiss(random, min(rate // 12, samples - start)), 900, 900, rate)
            hit = 0.8 * hit * (1.0 - np.arange(len(hit)) / len(hit))
            for into in mix:
                into[start : start + len(hit)] += hit
    return mix


def _spread(random: Random, signal: Signal, channels: int, rate: int) -> list[Signal]:
    """One voice heard by each microphone: the second a little later, softer, and with noise of its own."""
    late = min(len(signal), rate // 2500 + 1)
    delayed = np.concatenate([np.zeros(late), 0.8 * signal[: len(signal) - late]])
    return [one + 0.004 * _hiss(random, len(one)) for one in (signal, delayed)[:channels]]


def _quantised(tracks: list[Signal]) -> bytes:
    """The tracks interleaved as 16-bit integers, the loudest sample of all at 26000."""
    samples = np.stack(tracks, axis=-1)
    return (_PEAK / max(1e-9, float(np.abs(samples).max())) * samples).astype("<i2").tobytes()


_STYLES: dict[str, Callable[[Random, int, int, int], list[Signal]]] = {
    "music": _music,
    "speech": lambda random, samples, rate, channels: _spread(random, _speech(random, samples, rate), channels, rate),
}


@generator("pcm")
def pcm(
    random: Random,
    *,
    samples: int = 16_000,
    rate: int = 8000,
    channels: int = 1,
    style: str = "speech",
    repeat: int = 1,
) -> bytes:
    """Signed 16-bit little-endian samples, ``samples`` for each of 1 or 2 interleaved channels.

    ``style`` is "speech" (voiced, unvoiced, pauses) or "music" (chords of decaying notes, drum hits).
    All of it comes ``repeat`` times, one after the other.
    """
    one_of("style", style, sorted(_STYLES))
    one_of("channels", channels, (1, 2))
    at_least("samples", samples, 1)
    at_least("rate", rate, 4000)
    at_least("repeat", repeat, 1)
    return _quantised(_STYLES[style](random, samples, rate, channels)) * repeat


@generator("wav")
def wav(random: Random, *, samples: int = 16_000, rate: int = 8000, channels: int = 1, style: str = "speech") -> bytes:
    """The bytes of ``pcm`` with the 44 bytes of a RIFF header in front."""
    data = pcm(random, samples=samples, rate=rate, channels=channels, style=style)
    form = pack("<4sIHHIIHH", b"fmt ", 16, 1, channels, rate, 2 * channels * rate, 2 * channels, 16)
    head = pack("<4sI4s", b"RIFF", 36 + len(data), b"WAVE") + form + pack("<4sI", b"data", len(data))
    return head + data
