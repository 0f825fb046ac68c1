"""The counter's own code, in as much of an emulator as it needs, built with AddressSanitizer and UBSan."""

import subprocess
import zlib
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.base.paths import ROOT
from harness.basic_blocks.counts import Counts
from harness.sandbox.bench import Bench

FOLDER = ROOT / "native" / "count"
PAGE, LONGEST = 4096, 15
Block = tuple[int, int, tuple[int, ...]]
"""Address, times, sizes of its instructions."""
BLOCKS = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 60), st.integers(PAGE - 40, PAGE + 40), st.integers(0, 2**47)),
        st.integers(0, 3),
        st.lists(st.integers(1, LONGEST), min_size=1, max_size=20).map(tuple),
    ),
    max_size=30,
)


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory, bench: Bench) -> Path:
    """The counter in a program that says what QEMU would say."""
    program = tmp_path_factory.mktemp("count") / "emulator"
    flags = [word for word in (FOLDER / "compile_flags.txt").read_text().split() if word not in ("-O2", "-fPIC")]
    sanitizers = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    sources = (FOLDER / "count.c", Path(__file__).with_name("emulator.c"))
    clang = bench.toolchain.tool("clang")
    subprocess.run([clang, *flags, *sanitizers, f"-I{FOLDER}", *map(str, sources), "-o", program], check=True)
    return program


def run(emulator: Path, target: str, blocks: list[Block], folder: str) -> "subprocess.CompletedProcess[str]":
    text = "".join(f"{address} {times} {' '.join(map(str, sizes))} 0\n" for address, times, sizes in blocks)
    environment = {"ASAN_OPTIONS": "detect_leaks=0"}  # what it counts in it keeps to the end
    return subprocess.run(
        [emulator, target], input=text, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def expected(blocks: list[Block]) -> dict[tuple[int, ...], list[int]]:
    """Address, size, instructions and checksum of each block → executions, loads, stores."""
    found: dict[tuple[int, ...], list[int]] = defaultdict(lambda: [0, 0, 0])
    for address, times, sizes in blocks:
        code = b"".join(
            bytes((address + sum(sizes[:at]) + byte) % 256 for byte in range(size)) for at, size in enumerate(sizes)
        )
        counts = found[address, sum(sizes), len(sizes), zlib.crc32(code)]
        counts[0] += times
        counts[1] += times * sum(size % 2 == 0 for size in sizes)
        counts[2] += times * sum(size % 2 for size in sizes)
    return {key: counts for key, counts in found.items() if counts[0]}


@given(BLOCKS)
@example([(0, 1, (4,)), (0, 2, (4,)), (0, 1, (2, 2))])
@example([(4090, 1, (3, 9)), (4090, 0, (3, 9)), (2**47, 3, (15,) * 20)])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_it_counts_what_was_run_and_reads_no_byte_too_much(emulator: Path, blocks: list[Block]) -> None:
    with TemporaryDirectory() as folder:
        done = run(emulator, "aarch64", blocks, folder)
        assert (done.returncode, done.stderr) == (0, "")
        counts = Counts.parse((Path(folder) / ".counts").read_bytes())
    columns = (counts.address, counts.size, counts.instructions, counts.checksum)
    values = (counts.executions, counts.loads, counts.stores)
    keys = zip(*(column.tolist() for column in columns), strict=True)
    found = dict(zip(keys, map(list, zip(*(column.tolist() for column in values), strict=True)), strict=True))
    assert found == expected(blocks)


def test_what_cannot_be_written_is_said(emulator: Path, tmp_path: Path) -> None:
    """A file that is there already; and a system that it does not know."""
    (tmp_path / ".counts").symlink_to("/dev/full")
    done = run(emulator, "x86_64", [(0, 1, (4,))], str(tmp_path))
    assert "count: cannot write" in done.stderr
    assert run(emulator, "mips", [], str(tmp_path)).returncode == 1
