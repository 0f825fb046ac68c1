"""basicmath, fft, rsynth and pgp of mibench against Python, published vectors and plain definitions."""

import base64
import cmath
import hashlib
import math
import re
import subprocess
import zlib
from array import array
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from harness.suite.generators import generate
from harness.toolchain import find_toolchain

pytestmark = pytest.mark.slow

SOURCES = Path(__file__).resolve().parents[2] / "suites" / "mibench" / "src"
CLANG = find_toolchain().tool("clang")

Run = Callable[..., list[str]]
"""A program: call it with its arguments, and ``code=`` for the exit status; the lines of its output."""


def build(name: str, folder: Path) -> Run:
    program = folder / name
    files = [str(path) for path in sorted((SOURCES / name).glob("*.c"))]
    command = [CLANG, "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", *files, "-o", str(program), "-lm"]
    subprocess.run(command, check=True, timeout=60)

    def run(*args: str, code: int = 0) -> list[str]:
        result = subprocess.run([program, *args], cwd=folder, capture_output=True, timeout=10)
        assert result.returncode == code, result.stderr
        assert (code == 2) == bool(result.stderr)
        return (result.stderr if code else result.stdout).decode().splitlines()

    return run


def refused(run: Run, *args: str) -> str:
    return run(*args, code=2)[0]


# --- basicmath


@pytest.fixture(scope="module")
def basicmath(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("basicmath")
    (folder / "numbers").write_bytes(generate("integers", 5, {"count": 200}))
    return build("basicmath", folder), folder


def numbers_of(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "numbers").read_text().splitlines()]


def multiple_of_a_64th(number: int, limit: int) -> Fraction:
    return Fraction(number % (2 * limit * 64 + 1) - limit * 64, 64)


def real_roots(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> int:
    """With a != 0; a root counts as often as it is one."""
    discriminant = 18 * a * b * c * d - 4 * b**3 * d + b * b * c * c - 4 * a * c**3 - 27 * a * a * d * d
    return 1 if discriminant < 0 else 3


def verbose(lines: list[str], what: str) -> list[list[str]]:
    return [line.removeprefix(f"{what} ").replace(":", " ").split() for line in lines if line.startswith(f"{what} ")]


def test_basicmath_finds_all_real_roots(basicmath: tuple[Run, Path]) -> None:
    run, _ = basicmath
    found = verbose(run("-c", "2", "-v", "numbers"), "cubic")
    assert len(found) == 197 * 4
    for line in found:
        a, b, c, d = (Fraction(float(word)) for word in line[:4])
        if a == 0:
            continue
        roots = [float(root) for root in line[4:]]
        assert len(roots) == real_roots(a, b, c, d)
        for root in map(Fraction, roots):
            terms = (a * root**3, b * root**2, c * root, d)
            assert abs(sum(terms)) <= Fraction(1, 10**9) * (1 + sum(map(abs, terms)))
        assert roots == sorted(roots)


def test_basicmath_finds_the_roots_it_is_given(basicmath: tuple[Run, Path]) -> None:
    run, folder = basicmath
    numbers = numbers_of(folder)
    found = verbose(run("-k", "-v", "numbers"), "cubic")
    for line, *triple in zip(found, numbers, numbers[1:], numbers[2:], strict=False):
        roots = sorted(multiple_of_a_64th(number, 40) for number in triple)
        assert [Fraction(float(word)) for word in line[1:4]] == [
            -sum(roots), roots[0] * roots[1] + roots[0] * roots[2] + roots[1] * roots[2], -math.prod(roots),
        ]  # fmt: skip
        assert [float(root) for root in line[4:]] == pytest.approx([float(root) for root in roots], abs=1e-6)


def test_basicmath_solves_what_is_no_cubic(basicmath: tuple[Run, Path]) -> None:
    run, folder = basicmath
    centre = {8: 512, 40: 2560, 60: 3840}  # the numbers that stand for zero
    quadratic = [centre[8], centre[40] + 64, centre[60] - 192, centre[40] + 128]  # x^2 - 3x + 2
    linear = [centre[8], centre[40], centre[60] + 128, centre[40] - 640]  # 2x - 10
    (folder / "few").write_text("".join(f"{n}\n" for n in quadratic))
    assert verbose(run("-c", "1", "-v", "few"), "cubic")[0][4:] == ["1", "2"]
    (folder / "few").write_text("".join(f"{n}\n" for n in linear))
    assert verbose(run("-c", "1", "-v", "few"), "cubic")[0][4:] == ["5"]


def test_basicmath_square_roots(basicmath: tuple[Run, Path]) -> None:
    run, folder = basicmath
    numbers = numbers_of(folder)
    (folder / "edges").write_text("".join(f"{n}\n" for n in (0, 1, 2, 3, 4, 2**31 - 1, 46340**2, 46340**2 - 1)))
    for name in ("numbers", "edges"):
        numbers = [int(line) for line in (folder / name).read_text().splitlines()]
        found = verbose(run("-s", "-v", name), "root")
        for i, (x, line) in enumerate(zip(numbers, found, strict=True)):
            product = 2 * x * numbers[(i + 1) % len(numbers)] + i
            assert [int(word.rstrip(";")) for word in line] == [
                x, math.isqrt(x), math.isqrt(x << 32), product, math.isqrt(product),
            ]  # fmt: skip


def test_basicmath_angles(basicmath: tuple[Run, Path]) -> None:
    run, folder = basicmath
    found = [line.removeprefix("angle ") for line in run("-a", "-v", "numbers") if line.startswith("angle ")]
    assert len(found) == len(numbers_of(folder))
    for line in found:
        words = line.replace(":", " ").split()
        degrees, radians, sine, cosine, back = map(float, words[:5])
        assert radians == pytest.approx(math.radians(degrees), rel=1e-15)
        assert sine == pytest.approx(math.sin(radians), abs=4e-16)
        assert cosine == pytest.approx(math.cos(radians), abs=4e-16)
        assert back == pytest.approx(math.acos(cosine), rel=1e-14)
        whole, minutes, hundredths, binary = map(int, words[5:])
        assert abs(abs(whole) * 360000 + minutes * 6000 + hundredths - abs(degrees) * 360000) < 0.500001
        assert words[5].startswith("-") == (degrees < 0)
        assert binary == round(degrees / 360 * 2**32) % 2**32


def test_basicmath_refusals(basicmath: tuple[Run, Path]) -> None:
    run, folder = basicmath
    (folder / "bad").write_text("1\n2\n3\n-4\n")
    assert "line 4" in refused(run, "-s", "bad")
    (folder / "bad").write_text("1\n2\n3\n2147483648\n")
    assert "line 4" in refused(run, "-s", "bad")
    (folder / "bad").write_text("1\n2\n3\n")
    assert "fewer than four" in refused(run, "-s", "bad")
    for args in ((), ("numbers",), ("-c", "0", "numbers"), ("-s", "a", "b"), ("-z", "numbers"), ("-s", "missing")):
        refused(run, *args)


# --- fft


@pytest.fixture(scope="module")
def fft(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("fft")
    (folder / "numbers").write_bytes(generate("integers", 6, {"count": 300}))
    return build("fft", folder), folder


@pytest.mark.parametrize("size", [4, 5, 16, 30, 61, 64])
def test_fft_is_the_definition(fft: tuple[Run, Path], size: int) -> None:
    run, _ = fft
    lines = run("-w", "-n", str(size), "-c", "3", "-v", "numbers")
    rows = [list(map(float, line.split())) for line in lines if re.fullmatch(r"[-+.e0-9 ]+", line)]
    signal = [complex(row[0], row[1]) for row in rows]
    found = [complex(row[2], row[3]) for row in rows]
    assert len(rows) == size
    root = [cmath.exp(-2j * cmath.pi * k / size) for k in range(size)]
    for k in range(size):
        expected = sum(x * root[k * t % size] for t, x in enumerate(signal))
        assert abs(found[k] - expected) < 1e-8
    assert sum(line.startswith(("radix-2:", "split radix:", "chirp:", "real:")) for line in lines) == (
        1 if size & (size - 1) else 4
    )


def test_fft_names_the_waves(fft: tuple[Run, Path]) -> None:
    run, folder = fft
    (folder / "waves").write_text("".join(f"{n}\n" for n in (800, 9, 0, 1600, 19, 1024)))
    lines = run("-w", "-n", "64", "-c", "1", "-r", "2", "waves")
    assert lines[:2] == ["signal 0: 10 (101.00)", "signal 1: 20 (201.00)"]


def samples_of(data: bytes) -> "array[int]":
    samples = array("h")
    samples.frombytes(data)
    return samples


def test_fft_frames_add_up(fft: tuple[Run, Path]) -> None:
    run, folder = fft
    data = generate("pcm", 7, {"samples": 6000, "style": "music"})
    (folder / "music").write_bytes(data)
    lines = run("-s", "-n", "256", "-g", "5", "music")
    end = (6000 - 256) // 128 * 128 + 256
    energy = sum(s * s for s in samples_of(data)[128 : end - 128])
    found = re.search(r"^energy ([^,]+), largest error (.*)$", "\n".join(lines), re.MULTILINE)
    assert found
    assert float(found[1]) == pytest.approx(energy, rel=1e-8)
    assert float(found[2]) < 1e-9
    gate = re.search(r"gate: (\d+) of (\d+) bins cleared", "\n".join(lines))
    assert gate
    assert 0 < int(gate[1]) < int(gate[2]) == 129 * (len(range(0, end - 128, 128)))


def test_fft_hears_a_tone(fft: tuple[Run, Path]) -> None:
    run, folder = fft
    tone = array("h", [round(9000 * math.cos(2 * math.pi * t * 32 / 256)) for t in range(2560)])
    (folder / "tone").write_bytes(tone.tobytes())
    lines = run("-s", "-n", "256", "tone")
    histogram = next(line for line in lines if line.startswith("loudest bins:")).split()[2:]
    assert [i for i, count in enumerate(histogram) if count != "0"] == [15]  # a quarter, and the last class is open
    # Under the window a tone has its energy in three bins, the middle one of (n/4)^2 times its square.
    bands = {int(line.split()[1][:-1]): float(line.split()[3]) for line in lines if line.startswith("band")}
    assert bands[5] / 19 == pytest.approx((9000 * 64) ** 2 * 1.25, rel=1e-3)
    assert bands[4] / 19 == pytest.approx((9000 * 64) ** 2 * 0.25, rel=1e-3)


def test_fft_refusals(fft: tuple[Run, Path]) -> None:
    run, folder = fft
    (folder / "odd").write_bytes(b"abc")
    assert "half a sample" in refused(run, "-s", "-n", "4", "odd")
    (folder / "bad").write_text("1\n2\nx\n")
    assert "line 3" in refused(run, "-w", "bad")
    for args in ((), ("numbers",), ("-s", "-n", "60", "numbers"), ("-w", "-n", "3", "numbers"), ("-w", "missing")):
        refused(run, *args)


# --- rsynth


@pytest.fixture(scope="module")
def rsynth(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("rsynth")
    return build("rsynth", folder), folder


def transcribe(rsynth: tuple[Run, Path], text: str) -> list[str]:
    """The phrases of a text, without the marks of stress."""
    run, folder = rsynth
    (folder / "text").write_text(text)
    lines = run("-t", "-v", "text")
    return [line.replace("1", "") for line in lines[: next(i for i, x in enumerate(lines) if " words, " in x)]]


WORDS = {
    "the": "DH AX", "quick": "K W IH K", "brown": "B R AW N", "house": "HH AW S", "make": "M EY K",
    "making": "M EY K IH NG", "thought": "TH AO T", "through": "TH R UW", "enough": "IH N AH F", "know": "N OW",
    "light": "L AY T", "nation": "N EY SH AX N", "table": "T EY B AX L", "little": "L IH T AX L",
    "church": "CH ER CH", "school": "S K UW L", "bridge": "B R IH JH", "singing": "S IH NG IH NG",
    "finger": "F IH NG G ER", "walked": "W AO K T", "wanted": "W AA N T AX D", "played": "P L EY D",
    "phone": "F OW N", "question": "K W EH S CH AX N", "yes": "Y EH S", "my": "M AY", "happy": "HH AE P IY",
    "dogs": "D AA G Z", "cats": "K AE T S", "voice": "V OY S", "people": "P IY P AX L", "one": "W AH N",
    "would": "W UH D", "earth": "ER TH", "great": "G R EY T", "knife": "N AY F", "vision": "V IH ZH AX N",
    "measure": "M EH ZH ER", "work": "W ER K", "sound": "S AW N D",
}  # fmt: skip


def test_rsynth_pronounces(rsynth: tuple[Run, Path]) -> None:
    found = transcribe(rsynth, "".join(f"{word}.\n" for word in WORDS))
    assert dict(zip(WORDS, found, strict=True)) == {word: f"{sounds} ." for word, sounds in WORDS.items()}


def test_rsynth_reads_numbers_and_letters(rsynth: tuple[Run, Path]) -> None:
    assert transcribe(rsynth, "1984, 20507; 3000000?") == transcribe(
        rsynth, "nineteen eighty four, twenty thousand five hundred seven; three million?"
    )
    assert transcribe(rsynth, "BBC") == ["B IY | B IY | S IY ."]
    assert transcribe(rsynth, "It's, well (so\nto say) fine!\n\nYes") == transcribe(
        rsynth, "its, well, so to say, fine! yes"
    )


def spectrum_at(samples: "array[int]", frequency: float, rate: int = 10000) -> float:
    """The magnitude at one frequency, under a window."""
    n = len(samples)
    total = sum(
        s * (0.5 - 0.5 * math.cos(2 * math.pi * t / n)) * cmath.exp(-2j * math.pi * frequency * t / rate)
        for t, s in enumerate(samples)
    )
    return abs(total)


FORMANTS = {"IY": (300, 2045), "AA": (700, 1220), "UW": (335, 1100), "AE": (630, 1600)}


@pytest.mark.parametrize("vowel", sorted(FORMANTS))
def test_rsynth_vowels_have_their_formants(rsynth: tuple[Run, Path], vowel: str) -> None:
    run, folder = rsynth
    lines = run("-h", vowel, "-p", "100", "sound")
    samples = samples_of((folder / "sound").read_bytes())
    assert len(samples) == 10000
    assert "0 clipped" in lines[-1]
    steady = samples[4000:6000]
    harmonics = {f: spectrum_at(steady, f) for f in range(100, 2600, 100)}
    between = [spectrum_at(steady, f) for f in range(150, 1000, 100)]
    assert max(between) < 0.05 * max(harmonics.values())
    for formant in FORMANTS[vowel]:
        nearest = min(harmonics, key=lambda f: abs(f - formant))
        around = {f: a for f, a in harmonics.items() if 150 <= abs(f - nearest) <= 350}
        assert max(harmonics[nearest + shift] for shift in (-100, 0, 100)) > max(around.values())


def test_rsynth_hisses(rsynth: tuple[Run, Path]) -> None:
    run, folder = rsynth
    share = {}
    for name in ("S", "SH", "AA"):
        run("-h", name, "sound")
        samples = samples_of((folder / "sound").read_bytes())[5000:5400]
        low = sum(spectrum_at(samples, f) ** 2 for f in range(100, 2000, 50))
        middle = sum(spectrum_at(samples, f) ** 2 for f in range(2000, 3500, 50))
        high = sum(spectrum_at(samples, f) ** 2 for f in range(3500, 5000, 50))
        share[name] = (low / (low + middle + high), high / (low + middle + high))
    assert share["S"][1] > 0.8
    assert share["SH"][1] < share["S"][1]
    assert share["AA"][0] > 0.9


def test_rsynth_speaks(rsynth: tuple[Run, Path]) -> None:
    run, folder = rsynth
    (folder / "text").write_text("The sailor was reading the morning paper, was he? Nobody knows.")
    lengths = {}
    for speed in ("80", "100", "200"):
        lines = run("-s", speed, "text", "sound")
        data = (folder / "sound").read_bytes()
        samples = samples_of(data)
        lengths[speed] = len(samples)
        assert f"{len(samples)} samples" in "\n".join(lines)
        found = re.search(r"energy (\d+), peak (\d+), 0 clipped, adler32 (\w+)", lines[-1])
        assert found
        assert int(found[1]) == sum(s * s for s in samples)
        assert 4000 < int(found[2]) == max(map(abs, samples))
        assert found[3] == f"{zlib.adler32(data):08x}"
    assert lengths["80"] > 1.15 * lengths["100"]
    assert lengths["100"] > 1.7 * lengths["200"]
    pitch = {}
    for hertz in ("90", "180"):
        found = re.search(r"frames with voice, at ([\d.]+) Hz", "\n".join(run("-p", hertz, "text", "sound")))
        assert found
        pitch[hertz] = float(found[1])
    assert 0.85 * 90 < pitch["90"] < 1.25 * 90
    assert pitch["180"] == pytest.approx(2 * pitch["90"], rel=1e-3)


def test_rsynth_refusals(rsynth: tuple[Run, Path]) -> None:
    run, folder = rsynth
    (folder / "text").write_text("so")
    for args in (("text",), ("-h", "XX", "sound"), ("-p", "20", "text", "sound"), ("-t", "missing"), ("-t", "a", "b")):
        refused(run, *args)
    assert "cannot open" in refused(run, "missing", "sound")


# --- pgp


@pytest.fixture(scope="module")
def pgp(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    folder = tmp_path_factory.mktemp("pgp")
    (folder / "seed").write_bytes(generate("noise", 8, {"size": 64}))
    return build("pgp", folder), folder


Key = dict[str, int]


def keys_of(lines: list[str]) -> list[Key]:
    """The keys that -s shows, in order."""
    keys: list[Key] = []
    for line in lines:
        if re.match(r"(sender|recipient|key \d+):", line):
            keys.append({})
        elif found := re.fullmatch(r"  ([a-z]) ([0-9a-f]+)", line):
            keys[-1][found[1]] = int(found[2], 16)
    return keys


def is_prime(n: int) -> bool:
    return all(pow(base, n - 1, n) == 1 for base in (2, 3, 5, 7, 11, 13))


@pytest.mark.parametrize("bits", [384, 521, 768])
def test_pgp_keys(pgp: tuple[Run, Path], bits: int) -> None:
    run, _ = pgp
    lines = run("-k", "-b", str(bits), "-c", "2", "-s", "seed")
    keys = keys_of(lines)
    assert len(keys) == 2
    assert keys[0]["n"] != keys[1]["n"]
    for key, line in zip(keys, (line for line in lines if line.startswith("key")), strict=True):
        assert key["n"] == key["p"] * key["q"]
        assert key["n"].bit_length() == bits
        assert key["p"] < key["q"]
        assert is_prime(key["p"])
        assert is_prime(key["q"])
        assert key["e"] * key["d"] % ((key["p"] - 1) * (key["q"] - 1)) == 1
        assert key["p"] * key["u"] % key["q"] == 1
        n = key["n"].to_bytes((bits + 7) // 8, "big")
        digest = hashlib.md5(n + bytes([key["e"]])).hexdigest()
        assert line.endswith(f": {bits} bits, id {key['n'] % 2**64:016x}, fingerprint {digest}")


def idea_subkeys(key: bytes) -> list[int]:
    bits = int.from_bytes(key, "big")
    words: list[int] = []
    while len(words) < 52:
        words += [bits >> shift & 0xFFFF for shift in range(112, -1, -16)]
        bits = (bits << 25 | bits >> 103) & (1 << 128) - 1
    return words[:52]


def idea(subkeys: list[int], block: bytes) -> bytes:
    """One block, as the cipher is defined."""

    def times(x: int, y: int) -> int:
        return (x or 65536) * (y or 65536) % 65537 % 65536

    a, b, c, d = (int.from_bytes(block[i : i + 2], "big") for i in (0, 2, 4, 6))
    for r in range(0, 48, 6):
        a, b, c, d = times(a, subkeys[r]), b + subkeys[r + 1], c + subkeys[r + 2], times(d, subkeys[r + 3])
        b, c = b % 65536, c % 65536
        e = times(a ^ c, subkeys[r + 4])
        f = times(((b ^ d) + e) % 65536, subkeys[r + 5])
        e = (e + f) % 65536
        a, b, c, d = a ^ f, c ^ f, b ^ e, d ^ e
    words = (times(a, subkeys[48]), (c + subkeys[49]) % 65536, (b + subkeys[50]) % 65536, times(d, subkeys[51]))
    return b"".join(word.to_bytes(2, "big") for word in words)


def feedback(key: bytes, data: bytes, encrypting: bool) -> bytes:
    """Cipher feedback that starts anew after ten bytes (RFC 1991)."""
    subkeys = idea_subkeys(key)
    out = bytearray()
    register = bytes(8)
    for start, end in ((0, 8), (8, 10), *((i, i + 8) for i in range(10, len(data), 8))):
        pad = idea(subkeys, register)
        piece = bytes(x ^ y for x, y in zip(data[start:end], pad, strict=False))
        out += piece
        cipher = bytes(out) if encrypting else data[:end]
        register = cipher[max(0, len(cipher) - 8) :]
    return bytes(out)


def test_idea_of_this_test_is_idea() -> None:
    key = bytes.fromhex("00010002000300040005000600070008")
    assert idea(idea_subkeys(key), bytes.fromhex("0000000100020003")).hex() == "11fbed2b01986de5"


def crc24(data: bytes) -> int:
    crc = 0xB704CE
    for byte in data:
        crc ^= byte << 16
        for _ in range(8):
            crc <<= 1
            if crc & 0x1000000:
                crc ^= 0x1864CFB
    return crc


def armor(data: bytes) -> str:
    text = base64.b64encode(data).decode()
    lines = [text[i : i + 64] for i in range(0, len(text), 64)]
    check = base64.b64encode(crc24(data).to_bytes(3, "big")).decode()
    return "\n".join(("-----BEGIN PGP MESSAGE-----", "", *lines, "=" + check, "-----END PGP MESSAGE-----", ""))


def unarmor(text: str) -> list[bytes]:
    messages = []
    for body in re.findall(r"-----BEGIN PGP MESSAGE-----\n.*?\n\n(.*?)\n-----END PGP MESSAGE-----\n", text, re.DOTALL):
        *lines, check = body.split("\n")
        assert all(len(line) == 64 for line in lines[:-1])
        messages.append(base64.b64decode("".join(lines)))
        assert check == "=" + base64.b64encode(crc24(messages[-1]).to_bytes(3, "big")).decode()
    return messages


def packets(data: bytes) -> list[tuple[int, bytes]]:
    found = []
    while data:
        kind, size = data[0] >> 2 & 15, data[0] & 3
        assert data[0] & 0xC0 == 0x80
        if size == 3:
            found.append((kind, data[1:]))
            break
        length = int.from_bytes(data[1 : 1 + (1 << size)], "big")
        start = 1 + (1 << size)
        found.append((kind, data[start : start + length]))
        assert len(data) >= start + length
        data = data[start + length :]
    return found


def packet(kind: int, body: bytes) -> bytes:
    return bytes([0x82 | kind << 2]) + len(body).to_bytes(4, "big") + body


def number_in(body: bytes) -> int:
    value = int.from_bytes(body[2:], "big")
    assert value.bit_length() == int.from_bytes(body[:2], "big")
    return value


def number_out(value: int) -> bytes:
    return value.bit_length().to_bytes(2, "big") + value.to_bytes((value.bit_length() + 7) // 8, "big")


DIGEST_INFO = bytes.fromhex("3020300c06082a864886f70d020505000410")


def identity(key: Key) -> bytes:
    return (key["n"] % 2**64).to_bytes(8, "big")


def read_message(data: bytes, sender: Key, recipient: Key) -> bytes:
    (kind, wrapped), (cipher_kind, cipher) = packets(data)
    assert (kind, cipher_kind) == (1, 9)
    assert wrapped[:10] == b"\x02" + identity(recipient) + b"\x01"
    length = (recipient["n"].bit_length() + 7) // 8
    block = pow(number_in(wrapped[10:]), recipient["d"], recipient["n"]).to_bytes(length, "big")
    padding, secret = block[2:-20], block[-19:]
    assert block[:2] == b"\x00\x02"
    assert 0 not in padding
    assert block[-20] == 0
    key = secret[1:17]
    assert secret[0] == 1
    assert int.from_bytes(secret[17:], "big") == sum(key)
    plain = feedback(key, cipher, encrypting=False)
    assert plain[6:8] == plain[8:10]
    assert plain[10:12] == b"\xa3\x01"
    (kind, signature), (literal_kind, literal) = packets(zlib.decompress(plain[12:], -13))
    assert (kind, literal_kind) == (2, 11)
    assert literal[0:1] == b"b"
    text = literal[2 + literal[1] + 4 :]
    digest = hashlib.md5(text + signature[2:7]).digest()
    assert signature[:2] == b"\x02\x05"
    assert signature[7:15] == identity(sender)
    assert signature[15:19] == b"\x01\x01" + digest[:2]
    length = (sender["n"].bit_length() + 7) // 8
    block = pow(number_in(signature[19:]), sender["e"], sender["n"]).to_bytes(length, "big")
    assert block == b"\x00\x01" + b"\xff" * (length - 37) + b"\x00" + DIGEST_INFO + digest
    return text


def write_message(text: bytes, sender: Key, recipient: Key, window: int, level: int) -> bytes:
    hashed = b"\x00" + (10**9).to_bytes(4, "big")
    digest = hashlib.md5(text + hashed).digest()
    length = (sender["n"].bit_length() + 7) // 8
    block = b"\x00\x01" + b"\xff" * (length - 37) + b"\x00" + DIGEST_INFO + digest
    signed = pow(int.from_bytes(block, "big"), sender["d"], sender["n"])
    signature = b"\x02\x05" + hashed + identity(sender) + b"\x01\x01" + digest[:2] + number_out(signed)
    literal = b"b\x03abc" + bytes(4) + text
    packer = zlib.compressobj(level, wbits=window)
    packed = b"\xa3\x01" + packer.compress(packet(2, signature) + packet(11, literal)) + packer.flush()
    key = bytes(range(40, 56))
    length = (recipient["n"].bit_length() + 7) // 8
    secret = b"\x01" + key + sum(key).to_bytes(2, "big")
    block = b"\x00\x02" + b"\x37" * (length - 22) + b"\x00" + secret
    wrapped = pow(int.from_bytes(block, "big"), recipient["e"], recipient["n"])
    cipher = feedback(key, b"abcdefghgh" + packed, encrypting=True)
    return packet(1, b"\x02" + identity(recipient) + b"\x01" + number_out(wrapped)) + packet(9, cipher)


CASES = {
    "empty": b"",
    "short": b"Attack at dawn.\n",
    "noise": Random(9).randbytes(3000),
    "runs": b"a" * 5000 + b"b" * 3,
}


@pytest.mark.parametrize("name", [*sorted(CASES), "prose"])
def test_pgp_messages_can_be_read(pgp: tuple[Run, Path], name: str) -> None:
    run, folder = pgp
    text = generate("text", 9, {"size": 9000}) if name == "prose" else CASES[name]
    (folder / "text").write_bytes(text)
    lines = run("-e", "-b", "512", "-s", "seed", "text", "messages")
    sender, recipient = keys_of(lines)
    (message,) = unarmor((folder / "messages").read_text())
    assert read_message(message, sender, recipient) == text
    lines = run("-d", "-b", "512", "seed", "messages", "back")
    assert (folder / "back").read_bytes() == text
    assert f"text: {len(text)} bytes, md5 {hashlib.md5(text).hexdigest()}" in lines


def test_pgp_many_messages(pgp: tuple[Run, Path]) -> None:
    run, folder = pgp
    text = generate("text", 10, {"size": 2000})
    (folder / "text").write_bytes(text)
    lines = run("-r", "-b", "640", "-n", "300", "-s", "seed", "text", "messages", "back")
    sender, recipient = keys_of(lines)
    messages = unarmor((folder / "messages").read_text())
    assert [read_message(m, sender, recipient) for m in messages] == [text[i : i + 300] for i in range(0, 2000, 300)]
    assert "back equals text" in lines


@pytest.mark.parametrize(("window", "level"), [(-13, 9), (-15, 1), (-15, 0)])
def test_pgp_reads_messages_of_others(pgp: tuple[Run, Path], window: int, level: int) -> None:
    run, folder = pgp
    sender, recipient = keys_of(run("-k", "-b", "512", "-s", "seed"))[:2]
    (folder / "empty").write_bytes(b"")
    sender, recipient = keys_of(run("-e", "-b", "512", "-s", "seed", "empty", "messages"))
    text = generate("text", 11, {"size": 20000})
    (folder / "messages").write_text(armor(write_message(text, sender, recipient, window, level)))
    run("-d", "-b", "512", "seed", "messages", "back")
    assert (folder / "back").read_bytes() == text


def test_pgp_refusals(pgp: tuple[Run, Path]) -> None:
    run, folder = pgp
    text = generate("text", 12, {"size": 1500})
    (folder / "text").write_bytes(text)
    sender, recipient = keys_of(run("-e", "-b", "512", "-s", "seed", "text", "messages"))
    original = (folder / "messages").read_text()
    (message,) = unarmor(original)

    def complaint(changed: bytes) -> str:
        (folder / "changed").write_text(armor(changed))
        return refused(run, "-d", "-b", "512", "seed", "changed", "back")

    assert read_message(message, sender, recipient) == text
    for at in range(3, len(message), 29):
        complaint(message[:at] + bytes([message[at] ^ 4]) + message[at + 1 :])
    assert "for someone else" in complaint(message[:5] + b"x" + message[6:])
    assert "no encrypted packet" in complaint(message[:-1])
    assert "no session key" in complaint(b"\xff" + message)
    forged = write_message(text, {**sender, "d": sender["d"] + 2}, recipient, -13, 6)
    assert "signature is wrong" in complaint(forged)
    assert "someone else signed it" in complaint(write_message(text, recipient, recipient, -13, 6))
    (folder / "changed").write_text(original.replace("\n=", "\n=A"))
    assert "armor is damaged" in refused(run, "-d", "-b", "512", "seed", "changed", "back")
    (folder / "other").write_bytes(b"another seed")
    assert "for someone else" in refused(run, "-d", "-b", "512", "other", "messages", "back")
    for args in ((), ("-e", "seed"), ("-e", "-d", "seed", "a", "b"), ("-k", "-b", "100", "seed"), ("-k", "missing")):
        refused(run, *args)
