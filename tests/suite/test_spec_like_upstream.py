"""The upstream C++ programs and those with a build system of their own: their answers, checked in Python."""

import lzma
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from random import Random

import pytest

from harness.apply.reference import reference_object
from harness.base.vocabulary import Level, Target
from harness.sandbox.bench import Bench
from harness.suite.generators import generate
from harness.suite.load import Program, load_suite
from harness.suite.sources import source_tree
from harness.suite.workloads import prepare
from harness.verify.link import linked
from tests.suite.chess import legal_moves, play, position

pytestmark = pytest.mark.slow

Run = Callable[..., subprocess.CompletedProcess[bytes]]
"""A program: call it with its arguments, ``stdin=`` for standard input, ``code=`` for the status it must end with."""


def built(name: str, folder: Path, bench: Bench) -> Iterator[Run]:
    """The program of the suite, built at -O1, run in ``folder``."""
    program: Program
    (program,) = (p for p in load_suite("spec-like").programs if p.benchmark.name == name)
    reference, _ = reference_object(program, Level.O1, Target.X86_64, bench)
    with linked(program.benchmark, Target.X86_64, reference, bench) as executable:

        def run(*args: str, stdin: bytes = b"", code: int = 0) -> subprocess.CompletedProcess[bytes]:
            done = subprocess.run([executable, *args], cwd=folder, input=stdin, capture_output=True, timeout=20)
            assert done.returncode == code, done.stderr[-500:]
            return done

        yield run


# --- minisat


@pytest.fixture(scope="module")
def minisat(tmp_path_factory: pytest.TempPathFactory, bench: Bench) -> Iterator[tuple[Run, Path]]:
    folder = tmp_path_factory.mktemp("minisat")
    for run in built("minisat", folder, bench):
        yield run, folder


def clauses_of(formula: bytes) -> list[list[int]]:
    lines = formula.decode().splitlines()
    clauses = [[int(word) for word in line.split()[:-1]] for line in lines[1:]]
    variables, count = map(int, lines[0].split()[2:])
    assert len(clauses) == count
    assert all(1 <= abs(literal) <= variables for clause in clauses for literal in clause)
    assert all(len({abs(literal) for literal in clause}) == 3 for clause in clauses)
    return clauses


def satisfies(model: set[int], clauses: list[list[int]]) -> bool:
    return all(any(literal in model for literal in clause) for clause in clauses)


def test_minisat_models_satisfy(minisat: tuple[Run, Path]) -> None:
    run, folder = minisat
    for seed in range(5):
        formula = generate("formula", seed, {"variables": 80, "ratio": 440, "style": "hidden"})
        (folder / "in.cnf").write_bytes(formula)
        output = run("in.cnf", "model.txt", code=10).stdout.decode()
        assert output.endswith("SATISFIABLE\n")
        first, second = (folder / "model.txt").read_text().splitlines()
        literals = [int(word) for word in second.split()]
        assert (first, literals[-1]) == ("SAT", 0)
        assert sorted(map(abs, literals[:-1])) == list(range(1, 81))
        assert satisfies(set(literals[:-1]), clauses_of(formula))


def test_minisat_against_all_assignments(minisat: tuple[Run, Path]) -> None:
    run, folder = minisat
    found = set()
    for seed in range(16):
        formula = generate("formula", seed, {"variables": 10, "ratio": 470})
        clauses = clauses_of(formula)
        signs = product((1, -1), repeat=10)
        possible = any(satisfies({s * v for v, s in enumerate(chosen, 1)}, clauses) for chosen in signs)
        (folder / "in.cnf").write_bytes(formula)
        answer = run("in.cnf", "model.txt", code=10 if possible else 20)
        assert answer.stdout.endswith(b"\nSATISFIABLE\n" if possible else b"\nUNSATISFIABLE\n")
        found.add(possible)
    assert found == {True, False}


def test_minisat_proves_pigeons(minisat: tuple[Run, Path]) -> None:
    """Six pigeons do not fit into five holes, five do."""
    run, folder = minisat
    for pigeons, code in ((6, 20), (5, 10)):
        holes = 5
        name = [[1 + pigeon * holes + hole for hole in range(holes)] for pigeon in range(pigeons)]
        clauses = [list(row) for row in name]
        for hole in range(holes):
            clauses += [[-name[a][hole], -name[b][hole]] for a in range(pigeons) for b in range(a)]
        text = "".join(" ".join(map(str, clause)) + " 0\n" for clause in clauses)
        (folder / "in.cnf").write_text(f"p cnf {pigeons * holes} {len(clauses)}\n{text}")
        run("in.cnf", "model.txt", code=code)


def test_minisat_statistics_do_not_depend_on_the_clock(minisat: tuple[Run, Path]) -> None:
    run, folder = minisat
    (folder / "in.cnf").write_bytes(generate("formula", 3, {"variables": 90, "ratio": 530}))
    first, second = (run("in.cnf", code=20).stdout for _ in range(2))
    assert first == second
    (count, rate) = re.findall(rb"^conflicts +: (\d+) +\((\d+) /sec\)$", first, re.MULTILINE)[0]
    assert count == rate


def test_minisat_refuses(minisat: tuple[Run, Path]) -> None:
    run, folder = minisat
    (folder / "in.cnf").write_text("p cnf 2 1\n1 x 0\n")
    assert b"PARSE ERROR" in run("in.cnf", code=3).stderr
    assert b"Could not open" in run("missing.cnf", code=1).stdout


# --- toga


@pytest.fixture(scope="module")
def toga(tmp_path_factory: pytest.TempPathFactory, bench: Bench) -> Iterator[Run]:
    yield from built("toga", tmp_path_factory.mktemp("toga"), bench)


def analysed(toga: Run, fen: str, depth: int) -> tuple[str, list[str]]:
    """The best move, and the lines that begin with ``info``."""
    commands = (
        f"setoption name OwnBook value false\nsetoption name Hash value 4\nposition fen {fen}\ngo depth {depth}\n"
    )
    lines = toga(stdin=f"{commands}quit\n".encode()).stdout.decode().splitlines()
    (best,) = (line.split()[1] for line in lines if line.startswith("bestmove"))
    return best, [line for line in lines if line.startswith("info")]


@pytest.mark.parametrize(
    ("fen", "moves", "best"),
    [
        ("6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1", 1, "e1e8"),  # back rank
        ("6rk/6pp/8/6N1/8/8/8/7K w - - 0 1", 1, "g5f7"),  # smothered
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, "a1a6"),  # Paul Morphy's problem
    ],
)
def test_toga_finds_mates(toga: Run, fen: str, moves: int, best: str) -> None:
    found, info = analysed(toga, fen, 6)
    assert found == best
    assert f"score mate {moves} " in "\n".join(info)


def test_toga_plays_by_the_rules(toga: Run) -> None:
    """Every move of every variation is legal, by the generator's own rules."""
    for fen in generate("chess", 5, {"count": 9, "phase": "mixed"}).decode().splitlines():
        best, info = analysed(toga, fen, 5)
        variations = [line.split(" pv ")[1].split() for line in info if " pv " in line]
        assert variations[-1][0] == best
        for variation in variations:
            here = position(fen)
            for move in variation:
                assert move in legal_moves(here)
                here = play(here, move)


def test_toga_is_the_same_every_time(toga: Run) -> None:
    commands = generate("chess", 6, {"count": 3, "phase": "middlegame", "style": "uci", "depth": 5})
    first, second = (toga(stdin=commands).stdout for _ in range(2))
    assert first == second
    assert first.count(b"bestmove") == 3
    assert {line.split(b" time ")[1].split()[0] for line in first.splitlines() if b" time " in line} == {b"0"}


def test_toga_refuses(toga: Run) -> None:
    assert b"bad FEN" in toga(stdin=b"setoption name OwnBook value false\nposition fen rubbish\n", code=1).stderr


# --- sphinx


WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "oh", "zero"]
SPOKEN = dict(zip("123456789oz", WORDS, strict=True))
"""How a recording's name says what is spoken in it: man.ah.35oa is "three five oh", the first one."""


def test_sphinx_hears_what_is_said(tmp_path: Path, bench: Bench) -> None:
    """All recorded numbers, to the last digit."""
    (program,) = (p for p in load_suite("spec-like").programs if p.benchmark.name == "sphinx")
    source_tree(program, bench)
    (ready,) = (w for w in prepare(program, bench.store) if w.workload.name == "digits-ngram")
    for name, file in ready.files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(file, tmp_path / name)
    names = sorted(path.stem for path in tmp_path.glob("*.mfc"))
    assert len(names) == 16
    (tmp_path / "utterances.ctl").write_text("".join(f"{name}\n" for name in names))
    for run in built("sphinx", tmp_path, bench):
        run(*ready.workload.args)
    heard = {line.split()[0]: line.split() for line in (tmp_path / "words.txt").read_text().splitlines()}
    for name in names:
        digits = name.rsplit(".", 1)[1][:-1]
        assert [word for word in heard[name] if word in WORDS] == [SPOKEN[digit] for digit in digits]


# --- xz


@pytest.fixture(scope="module")
def xz(tmp_path_factory: pytest.TempPathFactory, bench: Bench) -> Iterator[tuple[Run, Path]]:
    folder = tmp_path_factory.mktemp("xz")
    for run in built("xz", folder, bench):
        yield run, folder


def samples() -> dict[str, bytes]:
    texts = {f"text-{size}": generate("text", size, {"size": size}) for size in (1, 100, 20_000)}
    return {
        "empty": b"",
        "zeros": bytes(70_000),
        "noise": Random(1).randbytes(30_000),
        "records": generate("records", 2, {"size": 50_000}),
        **texts,
    }


@pytest.mark.parametrize(
    "options",
    [
        ("-0",),
        ("-6",),
        ("-9e", "--check=sha256"),
        ("--check=crc64", "--delta=dist=2", "--lzma2=preset=1,dict=64KiB"),
        ("--lzma2=preset=6,dict=256KiB,lc=0,lp=2,pb=0",),
        ("--format=lzma", "-3"),
        ("--check=none", "--x86", "--lzma2=mf=hc3,nice=40"),
    ],
)
def test_xz_compresses_for_python(xz: tuple[Run, Path], options: tuple[str, ...]) -> None:
    run, folder = xz
    for data in samples().values():
        (folder / "in").write_bytes(data)
        packed = run("-c", *options, "in").stdout
        assert lzma.decompress(packed) == data
        assert run("-d", "-c", stdin=packed).stdout == data


def test_xz_decompresses_pythons(xz: tuple[Run, Path]) -> None:
    run, _ = xz
    ways: list[dict[str, object]] = [
        {"preset": 1},
        {"preset": 9 | lzma.PRESET_EXTREME, "check": lzma.CHECK_SHA256},
        {"format": lzma.FORMAT_ALONE, "preset": 4},
    ]
    for data in samples().values():
        for way in ways:
            assert run("-d", "-c", stdin=lzma.compress(data, **way)).stdout == data  # type: ignore[arg-type]


def test_xz_refuses_damage(xz: tuple[Run, Path]) -> None:
    run, _ = xz
    packed = lzma.compress(generate("text", 1, {"size": 5000}))
    for damaged in (packed[:-1], packed[:200], packed[:100] + bytes((packed[100] ^ 1,)) + packed[101:], b"text"):
        assert b": (stdin): " in run("-d", "-c", stdin=damaged, code=1).stderr


@pytest.mark.parametrize("content", ["text", "records"])
@pytest.mark.parametrize("size", [1, 2, 3, 1000, 70_001])
def test_generated_xz_files_are_right(content: str, size: int) -> None:
    packed = generate("xz", 9, {"size": size, "content": content, "repeat": 2})
    assert lzma.decompress(packed, format=lzma.FORMAT_XZ) == 2 * generate(content, 9, {"size": size})
    if size > 1000:
        assert len(packed) < 2 * size * 6 // 10


# --- x264


@pytest.fixture(scope="module")
def x264(tmp_path_factory: pytest.TempPathFactory, bench: Bench) -> Iterator[tuple[Run, Path]]:
    folder = tmp_path_factory.mktemp("x264")
    for run in built("x264", folder, bench):
        yield run, folder


WIDTH, HEIGHT, FRAMES = 64, 48, 7


def video(style: str, seed: int) -> bytes:
    params: dict[str, int | str | bool] = {"width": WIDTH, "height": HEIGHT, "frames": FRAMES, "style": style}
    return generate("y4m", seed, params)


def frames_of(y4m: bytes) -> list[bytes]:
    """The frames' planes."""
    head, rest = y4m.split(b"\n", 1)
    assert head == b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg" % (WIDTH, HEIGHT)
    size = WIDTH * HEIGHT * 3 // 2
    frames = [rest[start + 6 : start + 6 + size] for start in range(0, len(rest), size + 6)]
    assert len(frames) == FRAMES
    assert len(rest) == FRAMES * (size + 6)
    return frames


class Bits:
    """The bits of a NAL unit, with Exp-Golomb codes (ITU-T H.264, 9.1)."""

    def __init__(self, data: bytes) -> None:
        payload = data.replace(b"\0\0\3", b"\0\0")
        self._bits = "".join(f"{byte:08b}" for byte in payload)
        self._at = 0

    def read(self, count: int) -> int:
        self._at += count
        return int(self._bits[self._at - count : self._at], 2)

    def ue(self) -> int:
        zeros = self._bits.index("1", self._at) - self._at
        self._at += zeros
        return self.read(zeros + 1) - 1


def units(stream: bytes) -> list[tuple[int, bytes]]:
    """Type and content of each NAL unit of a byte stream (Annex B)."""
    found = [unit for unit in re.split(rb"\0?\0\0\x01", stream) if unit]
    assert all(not unit[0] & 0x80 for unit in found)
    return [(unit[0] & 31, unit[1:]) for unit in found]


def size_of(parameters: bytes) -> tuple[int, int, int]:
    """Profile, width and height of a sequence parameter set (7.3.2.1.1)."""
    bits = Bits(parameters)
    profile, _ = bits.read(8), bits.read(16)
    bits.ue()
    if profile >= 100 and profile != 244:
        assert bits.ue() == 1  # 4:2:0
    elif profile == 244:
        assert bits.ue() == 1
    if profile >= 100:
        bits.ue(), bits.ue(), bits.read(1)
        assert bits.read(1) == 0  # no scaling matrices
    bits.ue()
    order = bits.ue()
    assert order in (0, 2)
    if order == 0:
        bits.ue()
    bits.ue(), bits.read(1)
    width, height = 16 * (bits.ue() + 1), 16 * (bits.ue() + 1)
    return profile, width, height


OPTIONS = {
    "baseline": ("--profile", "baseline", "--preset", "veryfast", "--qp", "26"),
    "main": ("--profile", "main", "--preset", "medium", "--crf", "24"),
    "high": ("--preset", "slower", "--qp", "22", "--keyint", "4", "--min-keyint", "1"),
    "interlaced": ("--tff", "--qp", "30"),
}


@pytest.mark.parametrize("style", ["objects", "pan", "cuts"])
@pytest.mark.parametrize("name", OPTIONS)
def test_x264_streams_are_well_formed(x264: tuple[Run, Path], name: str, style: str) -> None:
    run, folder = x264
    (folder / "in.y4m").write_bytes(video(style, 3))
    run(*OPTIONS[name], "-o", "out.264", "in.y4m")
    found = units((folder / "out.264").read_bytes())
    kinds = [kind for kind, _ in found]
    assert set(kinds) <= {1, 5, 6, 7, 8, 9}
    assert kinds.count(1) + kinds.count(5) == FRAMES
    assert [kind for kind in kinds if kind in (1, 5, 7, 8)][:3] == [7, 8, 5]
    for kind, content in found:
        if kind == 7:
            profile, width, height = size_of(content)
            assert profile == {"baseline": 66, "main": 77}.get(name, 100)
            assert (width, height * (2 if name == "interlaced" else 1)) == (
                WIDTH,
                -(-HEIGHT // 32) * 32 if name == "interlaced" else HEIGHT,
            )
        if kind in (1, 5):
            bits = Bits(content[:40])
            assert bits.ue() == 0  # first macroblock
            slice_type = bits.ue() % 5
            assert slice_type == 2 if kind == 5 else slice_type in (0, 1, 2)
    assert kinds.count(5) == (2 if name == "high" else 1) or style == "cuts"


def error(one: bytes, other: bytes) -> float:
    """The mean square of the luma's difference."""
    count = WIDTH * HEIGHT
    return sum((a - b) ** 2 for a, b in zip(one[:count], other[:count], strict=True)) / count


def test_x264_is_lossless_where_asked(x264: tuple[Run, Path]) -> None:
    run, folder = x264
    source = video("objects", 4)
    (folder / "in.y4m").write_bytes(source)
    run("--qp", "0", "--dump-yuv", "back.yuv", "-o", "out.264", "in.y4m")
    assert (folder / "back.yuv").read_bytes() == b"".join(frames_of(source))


def test_x264_spends_bits_on_quality(x264: tuple[Run, Path]) -> None:
    """A coarser quantiser gives fewer bytes and a larger error, the one that x264 itself reports."""
    run, folder = x264
    source = video("pan", 5)
    (folder / "in.y4m").write_bytes(source)
    sizes, errors = [], []
    for qp in (12, 22, 32, 42):
        arguments = ("--qp", str(qp), "--psnr", "--dump-yuv", "back.yuv", "-o", "out.264", "in.y4m")
        report = run(*arguments).stderr.decode()
        back, size = (folder / "back.yuv").read_bytes(), WIDTH * HEIGHT * 3 // 2
        found = [error(frame, back[at * size :]) for at, frame in enumerate(frames_of(source))]
        sizes.append((folder / "out.264").stat().st_size)
        errors.append(sum(found) / len(found))
        reported = re.findall(r"Global:([\d.]+)", report)[-1]
        assert 10 < float(reported) < 60
    assert sizes == sorted(sizes, reverse=True)
    assert errors == sorted(errors)
    assert errors[0] < 6


def test_x264_refuses(x264: tuple[Run, Path]) -> None:
    run, folder = x264
    (folder / "in.y4m").write_bytes(b"YUV4MPEG2 W0 H0\n")
    run("-o", "out.264", "in.y4m", code=255)
    run("-o", "out.264", "missing.y4m", code=255)
    run("--preset", "none-such", "-o", "out.264", "in.y4m", code=255)
