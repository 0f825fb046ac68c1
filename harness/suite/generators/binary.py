"""Binary data for compressors, ciphers and checksums."""

from random import Random
from struct import pack

from harness.suite.generators import generator
from harness.suite.generators._draw import Zipf, at_least, below, pick

__all__ = ["noise", "records"]

_MAGIC = b"\x7fREC\x01\x00"
_LABELS = (b"alpha", b"beta", b"control", b"default", b"sensor-a", b"sensor-b", b"status", b"total")


@generator("records")
def records(random: Random, *, size: int = 40_000) -> bytes:
    """``size`` bytes of little-endian records: magic, counter, clock, label, readings, a few random bytes.

    The last record is cut. General compressors make it two to three times smaller.
    """
    at_least("size", size, 0)
    sizes = Zipf(12, 1.0)
    labels = [pick(random, _LABELS) for _ in range(4)]
    level = [below(random, 4096) for _ in range(4)]
    clock = random.getrandbits(30)
    out = bytearray()
    counter = 0
    while len(out) < size:
        source = below(random, 4)
        clock += 1 + below(random, 50)
        out += pack("<6sIIB8sH", _MAGIC, counter, clock, source, labels[source], random.getrandbits(2))
        for _ in range(2 + sizes.draw(random)):  # readings walk slowly, as measured values do
            level[source] = max(0, min(65_535, level[source] + below(random, 33) - 16))
            out += pack("<H", level[source])
        out += random.getrandbits(48).to_bytes(6, "little") if counter % 2 else bytes(6)
        counter += 1
    return bytes(out[:size])


@generator("noise")
def noise(random: Random, *, size: int = 40_000) -> bytes:
    """``size`` random bytes, which nothing compresses."""
    at_least("size", size, 0)
    return random.getrandbits(8 * size).to_bytes(size, "little") if size else b""
