"""adpcm, bitcount, blowfish, crc32, rijndael and sha of cbench against published vectors and Python."""

import hashlib
import hmac
import re
import struct
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from harness.toolchain import find_toolchain

SOURCES = Path(__file__).resolve().parents[2] / "suites" / "cbench" / "src"
CLANG = find_toolchain().tool("clang")


Run = Callable[..., subprocess.CompletedProcess[bytes]]
"""A program: call it with its arguments, and ``stdin=`` for standard input."""

SIZES = (0, 1, 7, 8, 15, 16, 17, 55, 56, 63, 64, 65, 4095, 4096, 4097, 12345)


def build(name: str, folder: Path) -> Run:
    program = folder / name
    files = [str(path) for path in sorted((SOURCES / name).glob("*.c"))]
    command = [CLANG, "-O1", "-Wall", "-Wextra", "-Werror", *files, "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)

    def run(*args: str, stdin: bytes = b"", code: int = 0) -> subprocess.CompletedProcess[bytes]:
        result = subprocess.run([program, *args], cwd=folder, input=stdin, capture_output=True, timeout=10)
        assert result.returncode == code, result.stderr
        return result

    return run


def lines(result: subprocess.CompletedProcess[bytes]) -> list[str]:
    return result.stdout.decode().splitlines()


def check_usage(run: Run, *commands: tuple[str, ...]) -> None:
    for args in commands:
        result = run(*args, code=2)
        assert result.stdout == b""
        assert b"usage:" in result.stderr


# --- crc32


@pytest.fixture(scope="module")
def crc32(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("crc32")
    return build("crc32", folder), folder


def test_crc32_check_value(crc32: tuple[Run, Path]) -> None:
    run, folder = crc32
    (folder / "check").write_bytes(b"123456789")
    for method in ("bitwise", "table", "slice8", "all"):
        assert lines(run("-m", method, "check")) == ["CBF43926 9 check"]


@pytest.mark.parametrize("method", ["bitwise", "table", "slice8", "all"])
@pytest.mark.parametrize("block", ["1", "13", "4096"])
def test_crc32_is_zlibs(crc32: tuple[Run, Path], method: str, block: str) -> None:
    run, folder = crc32
    names = []
    joined = b""
    expected = []
    for size in SIZES:
        data = Random(size).randbytes(size)
        (folder / f"f{size}").write_bytes(data)
        names.append(f"f{size}")
        joined += data
        expected.append(f"{zlib.crc32(data):08X} {size} f{size}")
    expected.append(f"{zlib.crc32(joined):08X} {len(joined)} total")
    assert lines(run("-t", "-m", method, "-b", block, *names)) == expected


def test_crc32_pieces(crc32: tuple[Run, Path]) -> None:
    run, folder = crc32
    data = Random(1).randbytes(1000)
    (folder / "data").write_bytes(data)
    pieces = [data[i : i + 300] for i in range(0, 1000, 300)]
    expected = [f"  piece {i} {zlib.crc32(p):08X} {len(p)}" for i, p in enumerate(pieces)]
    expected.append(f"{zlib.crc32(data):08X} 1000 data")
    assert lines(run("-p", "300", "-b", "128", "data")) == expected


def test_crc32_bad_usage(crc32: tuple[Run, Path]) -> None:
    run, _ = crc32
    check_usage(run, (), ("-m", "guess", "x"), ("-b", "0", "x"), ("-p", "1x", "x"), ("-z", "x"))
    assert b"cannot open" in run("missing", code=1).stderr


# --- sha


@pytest.fixture(scope="module")
def sha(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("sha")
    return build("sha", folder), folder


def test_sha_published(sha: tuple[Run, Path]) -> None:
    run, _ = sha
    assert lines(run(stdin=b"abc")) == [
        "sha1 (-) = a9993e364706816aba3e25717850c26c9cd0d89d",
        "sha224 (-) = 23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
        "sha256 (-) = ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    ]
    assert lines(run("-s")) == ["self-test passed"]


@pytest.mark.parametrize("size", SIZES)
def test_sha_is_hashlibs(sha: tuple[Run, Path], size: int) -> None:
    run, folder = sha
    data = Random(size).randbytes(size)
    (folder / "data").write_bytes(data)
    algorithms = ("sha1", "sha224", "sha256")
    assert lines(run("-b", "100", "data")) == [
        f"{name} (data) = {hashlib.new(name, data).hexdigest()}" for name in algorithms
    ]
    key = "k" * (size % 200)
    assert lines(run("-k", key, "data")) == [
        f"hmac-{name} (data) = {hmac.new(key.encode(), data, name).hexdigest()}" for name in algorithms
    ]
    assert lines(run("-a", "sha256", stdin=data)) == [f"sha256 (-) = {hashlib.sha256(data).hexdigest()}"]


def test_sha_bad_usage(sha: tuple[Run, Path]) -> None:
    run, _ = sha
    check_usage(run, ("-a", "md5"), ("-b", "0"), ("-b",), ("-z",))
    assert b"cannot open" in run("missing", code=1).stderr


# --- bitcount

METHODS = (
    "shift", "clear", "nibbles", "nibbles-rec", "bytes",
    "halves", "recursive", "parallel", "multiply", "remainder",
)  # fmt: skip


@pytest.fixture(scope="module")
def bitcount(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("bitcount")
    return build("bitcount", folder), folder


def bitcount_lines(source: str, words: list[int], methods: tuple[str, ...]) -> list[str]:
    counts = [word.bit_count() for word in words]
    weighted = sum(i * count for i, count in enumerate(counts, 1))
    first, *others = (
        f"{source} {method}: {len(words)} words, {sum(counts)} ones, sum {weighted:016X}" for method in methods
    )
    histogram = [f"  {ones:2} {counts.count(ones)}" for ones in sorted(set(counts))]
    return [first, *histogram, *others]


@pytest.mark.parametrize("size", SIZES)
def test_bitcount_files(bitcount: tuple[Run, Path], size: int) -> None:
    run, folder = bitcount
    data = Random(size).randbytes(size)
    (folder / "data").write_bytes(data)
    words = [int.from_bytes(data[i : i + 4], "little") for i in range(0, size, 4)]
    assert lines(run("-v", "-n", "0", "data")) == bitcount_lines("data", words, METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_bitcount_sequence(bitcount: tuple[Run, Path], method: str) -> None:
    state = 2463534242
    words = []
    for _ in range(3000):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        words.append(state)
    run, _ = bitcount
    args = ("-v", "-m", method, "-n", "3000", "-r", "2463534242")
    assert lines(run(*args)) == bitcount_lines("random", words, (method,))
    counter = [i & 0xFFFFFFFF for i in range(2463534242, 2463534242 + 3000)]
    assert lines(run(*args, "-q", "counter")) == bitcount_lines("counter", counter, (method,))


def test_bitcount_kinds(bitcount: tuple[Run, Path]) -> None:
    run, _ = bitcount
    mean = {}
    for kind in ("sparse", "random", "dense"):
        found = re.search(r"(\d+) ones", lines(run("-n", "2000", "-q", kind))[0])
        assert found
        mean[kind] = int(found[1]) / 2000
    assert 3.5 < mean["sparse"] < 4.5
    assert 15.5 < mean["random"] < 16.5
    assert 27.5 < mean["dense"] < 28.5


def test_bitcount_bad_usage(bitcount: tuple[Run, Path]) -> None:
    run, _ = bitcount
    check_usage(run, ("-m", "guess"), ("-n", "-1"), ("-r", "0"), ("-q", "odd"), ("-z",))
    assert b"cannot open" in run("missing", code=1).stderr


# --- blowfish

ARCTAN_BITS = 1042 * 32 + 64


def arctan_of_inverse(x: int) -> int:
    """arctan(1/x) as an integer with ARCTAN_BITS bits of fraction."""
    total = power = (1 << ARCTAN_BITS) // x
    divisor, sign = 3, -1
    while power:
        power //= x * x
        total += sign * (power // divisor)
        divisor, sign = divisor + 2, -sign
    return total


@pytest.fixture(scope="module")
def blowfish(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("blowfish")
    return build("blowfish", folder), folder


def test_blowfish_boxes_are_pi() -> None:
    """By another formula than the table was made with, C. Hutton's: pi/4 = 2 atan(1/3) + atan(1/7)."""
    pi = 4 * (2 * arctan_of_inverse(3) + arctan_of_inverse(7))
    fraction = (pi - (3 << ARCTAN_BITS)) >> 64
    expected = struct.unpack(">1042I", fraction.to_bytes(1042 * 4, "big"))
    words = re.findall(r"0x([0-9A-F]{8})\b", (SOURCES / "blowfish" / "pi.c").read_text())
    assert tuple(int(word, 16) for word in words) == expected


BLOWFISH_VECTORS = (
    ("0000000000000000", "0000000000000000", "4EF997456198DD78"),
    ("FFFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFF", "51866FD5B85ECB8A"),
    ("3000000000000000", "1000000000000001", "7D856F9A613063F2"),
    ("1111111111111111", "1111111111111111", "2466DD878B963C9D"),
    ("0123456789ABCDEF", "1111111111111111", "61F9C3802281B096"),
    ("1111111111111111", "0123456789ABCDEF", "7D0CC630AFDA1EC7"),
    ("FEDCBA9876543210", "0123456789ABCDEF", "0ACEAB0FC6A0A28D"),
    ("7CA110454A1A6E57", "01A1D6D039776742", "59C68245EB05282B"),
)


@pytest.mark.parametrize(("key", "plain", "cipher"), BLOWFISH_VECTORS)
def test_blowfish_published(blowfish: tuple[Run, Path], key: str, plain: str, cipher: str) -> None:
    run, folder = blowfish
    (folder / "in").write_bytes(bytes.fromhex(plain))
    run("-e", "-n", "-m", "ecb", "-K", key, "in", "out")
    assert (folder / "out").read_bytes() == bytes.fromhex(cipher)
    run("-d", "-n", "-m", "ecb", "-K", key, "out", "back")
    assert (folder / "back").read_bytes() == bytes.fromhex(plain)


def test_blowfish_published_modes(blowfish: tuple[Run, Path]) -> None:
    run, folder = blowfish
    text = b"7654321 Now is the time for \0"
    key = ("-K", "0123456789ABCDEFF0E1D2C3B4A59687", "-i", "FEDCBA9876543210")
    (folder / "in").write_bytes(text)
    run("-e", "-m", "cfb", *key, "in", "out")
    assert (folder / "out").read_bytes().hex() == "e73214a2822139caf26ecf6d2eb9e76e3da3de04d1517200519d57a6c3"
    (folder / "in").write_bytes(text.ljust(32, b"\0"))
    run("-e", "-n", "-m", "cbc", *key, "in", "out")
    assert (folder / "out").read_bytes().hex() == ("6b77b4d63006dee605b156e27403979358deb9e7154616d959f1652bd5ff92cc")


@pytest.mark.parametrize("mode", ["ecb", "cbc", "cfb"])
@pytest.mark.parametrize("size", SIZES)
def test_blowfish_there_and_back(blowfish: tuple[Run, Path], mode: str, size: int) -> None:
    run, folder = blowfish
    data = Random(size).randbytes(size)
    (folder / "in").write_bytes(data)
    options = ("-m", mode, "-k", "a long secret", "-i", "00112233445566aa")
    run("-e", *options, "in", "out")
    cipher = (folder / "out").read_bytes()
    assert len(cipher) == (size if mode == "cfb" else size // 8 * 8 + 8)
    assert cipher != data or size == 0
    result = run("-d", *options, "out", "back")
    assert (folder / "back").read_bytes() == data
    assert lines(result) == [f"decrypted back: {size} bytes, adler32 {zlib.adler32(data):08X}"]
    assert lines(run("-r", *options, "in", "out", "back"))[-1] == "back equals in"


def test_blowfish_errors(blowfish: tuple[Run, Path]) -> None:
    run, folder = blowfish
    check_usage(
        run,
        ("-e", "-k", "abc", "a", "b"),
        ("-e", "-K", "0123456789abcdeg", "a", "b"),
        ("-e", "-k", "x" * 57, "a", "b"),
        ("-e", "-k", "secret", "a"),
        ("-e", "-d", "-k", "secret", "a", "b"),
        ("-k", "secret", "a", "b"),
        ("-e", "-m", "ofb", "-k", "secret", "a", "b"),
        ("-e", "-i", "00", "-k", "secret", "a", "b"),
    )
    assert b"cannot open" in run("-e", "-k", "secret", "missing", "out", code=1).stderr
    (folder / "in").write_bytes(b"some text")
    assert b"whole number" in run("-e", "-n", "-k", "secret", "in", "out", code=1).stderr
    run("-e", "-k", "secret", "in", "out")
    assert b"bad padding" in run("-d", "-k", "another", "out", "back", code=1).stderr


# --- rijndael

KEY_256 = bytes(range(32)).hex()
PLAIN = "00112233445566778899aabbccddeeff"
RIJNDAEL_VECTORS = (  # FIPS 197, appendices B and C
    (
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    ),
    (KEY_256[:32], PLAIN, "69c4e0d86a7b0430d8cdb78070b4c55a"),
    (KEY_256[:48], PLAIN, "dda97ca4864cdfe06eaf70a0ec0d7191"),
    (KEY_256, PLAIN, "8ea2b7ca516745bfeafc49904b496089"),
)
CBC_PLAIN = (  # SP 800-38A, appendix F.2
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
CBC_VECTORS = (
    (
        "2b7e151628aed2a6abf7158809cf4f3c",
        "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
        "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
    ),
    (
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
        "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
    ),
    (
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
        "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
    ),
)


@pytest.fixture(scope="module")
def rijndael(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("rijndael")
    return build("rijndael", folder), folder


@pytest.mark.parametrize(("key", "plain", "cipher"), RIJNDAEL_VECTORS)
def test_rijndael_published(rijndael: tuple[Run, Path], key: str, plain: str, cipher: str) -> None:
    run, folder = rijndael
    (folder / "in").write_bytes(bytes.fromhex(plain))
    run("-e", "-n", "-k", key, "in", "out")
    assert (folder / "out").read_bytes().hex() == cipher
    run("-d", "-n", "-k", key, "out", "back")
    assert (folder / "back").read_bytes().hex() == plain


@pytest.mark.parametrize(("key", "cipher"), CBC_VECTORS)
def test_rijndael_published_chaining(rijndael: tuple[Run, Path], key: str, cipher: str) -> None:
    run, folder = rijndael
    (folder / "in").write_bytes(bytes.fromhex(CBC_PLAIN))
    options = ("-n", "-k", key, "-i", bytes(range(16)).hex())
    run("-e", *options, "in", "out")
    assert (folder / "out").read_bytes().hex() == cipher
    run("-d", *options, "out", "back")
    assert (folder / "back").read_bytes().hex() == CBC_PLAIN


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("size", SIZES)
def test_rijndael_there_and_back(rijndael: tuple[Run, Path], bits: int, size: int) -> None:
    run, folder = rijndael
    data = Random(size).randbytes(size)
    (folder / "in").write_bytes(data)
    options = ("-k", Random(bits).randbytes(bits // 8).hex(), "-i", Random(size + 1).randbytes(16).hex())
    run("-e", *options, "in", "out")
    assert len((folder / "out").read_bytes()) == size // 16 * 16 + 16
    result = run("-d", *options, "out", "back")
    assert (folder / "back").read_bytes() == data
    rounds = bits // 32 + 6
    assert lines(result) == [f"decrypted back: {rounds} rounds, {size} bytes, adler32 {zlib.adler32(data):08X}"]
    assert lines(run("-r", *options, "in", "out", "back"))[-1] == "back equals in"


def test_rijndael_errors(rijndael: tuple[Run, Path]) -> None:
    run, folder = rijndael
    key = "00" * 16
    check_usage(
        run,
        ("-e", "-k", "00" * 15, "a", "b"),
        ("-e", "-k", "0g" * 16, "a", "b"),
        ("-e", "a", "b"),
        ("-e", "-k", key, "a"),
        ("-e", "-d", "-k", key, "a", "b"),
        ("-k", key, "a", "b"),
        ("-e", "-k", key, "-i", "00", "a", "b"),
    )
    assert b"cannot open" in run("-e", "-k", key, "missing", "out", code=1).stderr
    (folder / "in").write_bytes(b"some text")
    assert b"whole number" in run("-e", "-n", "-k", key, "in", "out", code=1).stderr
    run("-e", "-k", key, "in", "out")
    assert b"bad padding" in run("-d", "-k", "01" * 16, "out", "back", code=1).stderr


# --- adpcm


@pytest.fixture(scope="module")
def adpcm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("adpcm")
    return build("adpcm", folder), folder


STEPS = (
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28,
    31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118,
    130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494,
    544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066,
    2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630,
    9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
)  # fmt: skip
INDEX_CHANGES = (-1, -1, -1, -1, 2, 4, 6, 8)


def decode_ima(codes: list[int]) -> list[int]:
    """The decoder of the IMA's recommendation, written another way: the shifted product by bits."""
    predicted = index = 0
    samples = []
    for code in codes:
        step = STEPS[index]
        size = sum(step >> shift for shift, on in ((3, 1), (0, code & 4), (1, code & 2), (2, code & 1)) if on)
        predicted = max(-32768, min(32767, predicted - size if code & 8 else predicted + size))
        index = max(0, min(88, index + INDEX_CHANGES[code & 7]))
        samples.append(predicted)
    return samples


def wave(samples: int, seed: int) -> list[int]:
    """A smooth random curve."""
    random = Random(seed)
    position = speed = 0.0
    values = []
    for _ in range(samples):
        speed = 0.9 * speed + random.random() * 400 - 200 - position * 0.01
        position = 0.99 * position + speed
        values.append(max(-32768, min(32767, int(position))))
    return values


def pack(samples: list[int]) -> bytes:
    return struct.pack(f"<{len(samples)}h", *samples)


def unpack(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 2}h", data))


def squares(values: list[int]) -> int:
    return sum(value * value for value in values)


def test_adpcm_table() -> None:
    text = (SOURCES / "adpcm" / "codec.c").read_text()
    table = re.search(r"step_sizes\[ADPCM_STEPS\] = \{(.*?)\};", text, re.DOTALL)
    assert table
    assert tuple(int(number) for number in re.findall(r"\d+", table[1])) == STEPS


def test_adpcm_low_steps(adpcm: tuple[Run, Path]) -> None:
    """Mostly small codes, so that the steps wander through the lower part of the table, too."""
    random = Random(6)
    codes = []
    for _ in range(300):
        codes += [random.getrandbits(2) | random.getrandbits(1) << 3 for _ in range(60)]
        codes += [random.getrandbits(4) for _ in range(random.getrandbits(5))]
    codes += [0] * (len(codes) % 2)
    run, folder = adpcm
    (folder / "in").write_bytes(bytes(a | b << 4 for a, b in zip(codes[::2], codes[1::2], strict=True)))
    run("-d", "-n", "in", "out")
    assert unpack((folder / "out").read_bytes()) == decode_ima(codes)


def test_adpcm_decodes_any_codes(adpcm: tuple[Run, Path]) -> None:
    run, folder = adpcm
    codes = Random(5).randbytes(9000)
    (folder / "in").write_bytes(codes)
    run("-d", "-n", "in", "out")
    nibbles = [nibble for byte in codes for nibble in (byte & 15, byte >> 4)]
    assert unpack((folder / "out").read_bytes()) == decode_ima(nibbles)
    run("-d", "-n", "-c", "2", "-b", "333", "in", "out")
    stereo = unpack((folder / "out").read_bytes())
    assert stereo[::2] == decode_ima(nibbles[::2])
    assert stereo[1::2] == decode_ima(nibbles[1::2])


@pytest.mark.parametrize("size", [0, 1, 2, 511, 512, 513, 5000, 20001])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("headers", [True, False])
def test_adpcm_there_and_back(adpcm: tuple[Run, Path], size: int, channels: int, headers: bool) -> None:
    run, folder = adpcm
    tracks = [wave(size, channel) for channel in range(channels)]
    samples = [sample for frame in zip(*tracks, strict=True) for sample in frame]
    (folder / "in").write_bytes(pack(samples))
    options = ("-c", str(channels), *(() if headers else ("-n",)))
    run("-e", *options, "in", "out")
    compressed = (folder / "out").read_bytes()
    blocks = (size + 511) // 512
    if headers:
        assert compressed[:8] == b"IMAB" + struct.pack("<BBH", channels, 0, 512)
        assert len(compressed) == 8 + blocks * (2 + 4 * channels) + (size * channels + 1) // 2
    else:
        assert len(compressed) == (size * channels + 1) // 2
    run("-d", *options, "out", "back")
    back = unpack((folder / "back").read_bytes())
    assert len(back) == len(samples) + (0 if headers else len(samples) % 2)
    if size >= 5000:
        noise = squares([a - b for a, b in zip(samples, back, strict=False)])
        assert noise * 200 < squares(samples)  # better than 23 dB


def test_adpcm_blocks_stand_alone(adpcm: tuple[Run, Path]) -> None:
    """A block decodes to the same samples without those before it."""
    run, folder = adpcm
    (folder / "in").write_bytes(pack(wave(1000, 7)))
    run("-r", "-b", "100", "in", "out", "back")
    compressed = (folder / "out").read_bytes()
    block = 2 + 4 + 50
    (folder / "cut").write_bytes(compressed[:8] + compressed[8 + 3 * block :])
    run("-d", "cut", "tail")
    assert (folder / "tail").read_bytes() == (folder / "back").read_bytes()[600:]


def test_adpcm_report(adpcm: tuple[Run, Path]) -> None:
    run, folder = adpcm
    samples = wave(6000, 9)
    (folder / "in").write_bytes(pack(samples))
    report = lines(run("-r", "in", "out", "back"))
    out, back = (folder / "out").read_bytes(), (folder / "back").read_bytes()
    differences = [a - b for a, b in zip(samples, unpack(back), strict=True)]
    signal, noise = squares(samples), squares(differences)
    assert report[0] == f"encoded out: 6000 frames, {len(out)} bytes, adler32 {zlib.adler32(out):08X}"
    assert report[2] == f"decoded back: 6000 frames, 12000 bytes, adler32 {zlib.adler32(back):08X}"
    assert report[4] == (
        f"back against in: 6000 samples, signal {signal}, noise {noise}, "
        f"largest difference {max(map(abs, differences))}"
    )
    ratio = re.fullmatch(r"signal-to-noise ratio: (\d+\.\d\d) dB", report[5])
    assert ratio
    assert float(10 ** (float(ratio[1]) / 10)) == pytest.approx(signal / noise, rel=0.005)


def test_adpcm_silence(adpcm: tuple[Run, Path]) -> None:
    run, folder = adpcm
    (folder / "in").write_bytes(bytes(2000))
    assert lines(run("-r", "in", "out", "back"))[-1] == "signal-to-noise ratio: no noise"
    assert (folder / "back").read_bytes() == bytes(2000)


def test_adpcm_errors(adpcm: tuple[Run, Path]) -> None:
    run, folder = adpcm
    check_usage(
        run,
        ("-e", "a"),
        ("a", "b"),
        ("-e", "-d", "a", "b"),
        ("-r", "a", "b"),
        ("-e", "-c", "3", "a", "b"),
        ("-e", "-b", "0", "a", "b"),
    )
    assert b"cannot open" in run("-e", "missing", "out", code=1).stderr
    (folder / "in").write_bytes(b"abc")
    assert b"whole number of frames" in run("-e", "in", "out", code=1).stderr
    assert b"not a compressed file" in run("-d", "in", "out", code=1).stderr
    (folder / "in").write_bytes(pack(wave(1000, 3)))
    run("-e", "in", "out")
    compressed = (folder / "out").read_bytes()
    for damage in (compressed[:-1], compressed[:12], compressed[:8] + b"\xff" * 6 + compressed[14:]):
        (folder / "out").write_bytes(damage)
        run("-d", "out", "back", code=1)
