"""minimad decodes the generated streams without complaint, and a tone sounds where it should."""

import math
import struct
import subprocess
from pathlib import Path

import pytest

from harness.base.store import Store
from harness.suite.generators import generate
from harness.suite.generators._layer3 import Frame, Granule, encode
from tests.suite.upstream import build_program

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mad")


@pytest.fixture(scope="module")
def mad(store: Store, folder: Path) -> Path:
    return build_program("mibench", "mad", store, folder)


def decode(mad: Path, folder: Path, stream: bytes) -> tuple[bytes, str]:
    """The samples and the complaints."""
    (folder / "stream").write_bytes(stream)
    with (folder / "stream").open("rb") as file:
        done = subprocess.run([mad], stdin=file, capture_output=True, timeout=60)
    assert done.returncode == 0
    return done.stdout, done.stderr.decode()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rate", [44_100, 48_000, 32_000])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("protected", [False, True])
def test_layer_3_is_decoded(mad: Path, folder: Path, seed: int, rate: int, channels: int, protected: bool) -> None:
    """A decoder keeps a few bytes to look ahead, so it leaves the last frame."""
    stream = generate("mp3", seed, {"frames": 30, "rate": rate, "channels": channels, "protected": protected})
    samples, complaints = decode(mad, folder, stream)
    assert complaints == ""
    assert len(samples) == 29 * 1152 * channels * 2
    values = struct.unpack(f"<{len(samples) // 2}h", samples)
    assert max(map(abs, values)) > 1000
    assert sum(abs(value) >= 32_767 for value in values) < len(values) // 100


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rate", [44_100, 48_000, 32_000])
@pytest.mark.parametrize("channels", [1, 2])
def test_layer_1_is_decoded(mad: Path, folder: Path, seed: int, rate: int, channels: int) -> None:
    samples, complaints = decode(mad, folder, generate("mp1", seed, {"frames": 30, "rate": rate, "channels": channels}))
    assert complaints == ""
    assert len(samples) == 29 * 384 * channels * 2
    assert max(map(abs, struct.unpack(f"<{len(samples) // 2}h", samples))) > 300


def test_repeated_streams_play_on(mad: Path, folder: Path) -> None:
    samples, complaints = decode(mad, folder, generate("mp3", 1, {"frames": 10, "repeat": 3}))
    assert complaints == ""
    assert len(samples) == 29 * 1152 * 4


def share_near(values: list[float], centre: float, width: float, rate: int) -> float:
    """How much of the energy lies within ``width`` of the frequency (both in Hz)."""
    count = len(values)
    total = sum(value * value for value in values) * count
    near = 0.0
    first, last = int((centre - width) * count / rate), int((centre + width) * count / rate) + 1
    for place in range(max(1, first), last + 1):
        turn = 2.0 * math.pi * place / count
        real = sum(value * math.cos(turn * n) for n, value in enumerate(values))
        imaginary = sum(value * math.sin(turn * n) for n, value in enumerate(values))
        near += 2.0 * (real * real + imaginary * imaginary)
    return near / total


@pytest.mark.parametrize("line", [5, 20, 47, 100, 200])
def test_a_line_sounds_at_its_frequency(mad: Path, folder: Path, line: int) -> None:
    """Line k of 576 stands for (k + 1/2) / 576 of half the sampling rate."""
    rate = 44_100
    values = [0] * line + [12]
    frame = Frame([[Granule(values, 180)], [Granule(values, 180)]])
    samples, complaints = decode(mad, folder, encode([frame] * 6, rate, 1, False))
    assert complaints == ""
    heard = [float(value) for value in struct.unpack(f"<{len(samples) // 2}h", samples)[2304:4608]]
    spacing = rate / 1152
    assert share_near(heard, (line + 0.5) * spacing, 2.0 * spacing, rate) > 0.9


def test_a_damaged_frame_is_noticed(mad: Path, folder: Path) -> None:
    stream = bytearray(generate("mp3", 3, {"frames": 10, "protected": True}))
    stream[10] ^= 0x40  # in the first frame's side information
    _, complaints = decode(mad, folder, bytes(stream))
    assert "CRC check failed" in complaints


def test_nothing_is_no_stream(mad: Path) -> None:
    assert subprocess.run([mad], stdin=subprocess.DEVNULL, capture_output=True, timeout=60).returncode == 2
