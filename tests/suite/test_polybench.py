"""The suite polybench: its list, its arithmetic on both targets against numpy, its usage errors."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from harness.base.paths import SUITES
from harness.base.vocabulary import Split, Target
from harness.suite.load import load_suite
from harness.toolchain import TARGETS, Toolchain
from tests.suite.polybench import KERNELS

SOURCES = SUITES / "polybench" / "src"


def built(name: str, target: Target, folder: Path, toolchain: Toolchain) -> list[str]:
    """The command that starts a kernel's program."""
    program = folder / f"{name}-{target.value}"
    file = f"{KERNELS[name].folder}/{name}.c"
    subprocess.run(
        [
            toolchain.tool("clang"),
            f"--target={TARGETS[target].triple}",
            *("-std=c17", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Werror"),
            *("-static", "-fuse-ld=lld", "-I.", file, "polybench.c", "-lm", "-o", str(program)),
        ],
        cwd=SOURCES,
        check=True,
        timeout=60,
    )
    emulator = toolchain.emulator(target)
    return [emulator, str(program)] if emulator else [str(program)]


def dump(command: list[str], *args: str) -> bytes:
    return subprocess.run([*command, *args], check=True, capture_output=True, timeout=30).stdout


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if at % 6 == 0 else pytest.mark.slow) for at, name in enumerate(KERNELS)]
)
def test_a_kernel_computes_what_it_defines_on_both_targets(name: str, tmp_path: Path, toolchain: Toolchain) -> None:
    kernel = KERNELS[name]
    native, emulated = (built(name, target, tmp_path, toolchain) for target in Target)
    for size, parameters in kernel.sizes.items():
        bytes_ = dump(native, size)
        assert bytes_ == dump(emulated, size)
        expected = np.concatenate([array.ravel() for array in kernel.results(*parameters)])
        found = np.frombuffer(bytes_, kernel.dtype)
        scale = float(np.abs(expected).max())
        np.testing.assert_allclose(found, expected, rtol=kernel.rtol, atol=kernel.rtol * scale)
        assert len(np.unique(found)) > 10  # a result that anything could be equal to proves nothing
    assert dump(native, "MINI", "3") == dump(native, "MINI")  # every repeat starts afresh


def test_the_suite_is_the_thirty_kernels() -> None:
    suite = load_suite("polybench")
    benchmarks = suite.definition.benchmarks
    assert [b.name for b in benchmarks] == list(KERNELS) and len(KERNELS) == 30
    for benchmark in benchmarks:
        kernel = KERNELS[benchmark.name]
        assert benchmark.files == (f"{kernel.folder}/{kernel.name}.c", "polybench.c")
        assert benchmark.description.startswith(f"{kernel.folder}: ")
        assert [(w.name, w.kind) for w in benchmark.workloads[:2]] == [("mini", "count"), ("small", "count")]
        (timed,) = [w for w in benchmark.workloads if w.kind == "time"]
        assert timed.args[0] == timed.name.upper()
        (usage,) = [w for w in benchmark.workloads[2:] if w.kind == "count"]
        assert usage.name == "usage" and usage.exit != 0 and usage.stderr
        uses_libm = "<math.h>" in (SOURCES / benchmark.files[0]).read_text()
        assert benchmark.link == (("-lm",) if uses_libm else ())
    assert sum(b.split is Split.TRAIN for b in benchmarks) == 15


@pytest.fixture(scope="module")
def durbin(tmp_path_factory: pytest.TempPathFactory, toolchain: Toolchain) -> list[str]:
    return built("durbin", Target.X86_64, tmp_path_factory.mktemp("durbin"), toolchain)


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ((), "no size"),
        (("HUGE",), "no such size: HUGE"),
        (("mini",), "no such size: mini"),
        (("",), "no such size: "),
        (("MINI", "1", "more"), "one argument too many: more"),
        *(
            (("MINI", junk), f"REPEATS must be a whole number above 0, not {junk}")
            for junk in ("0", "-1", "junk", "2x", "1.5", "", "2147483648", "9" * 30)
        ),
    ],
)
def test_a_usage_error_is_one_clear_line(args: tuple[str, ...], complaint: str, durbin: list[str]) -> None:
    done = subprocess.run([*durbin, *args], capture_output=True, timeout=10)
    assert done.returncode == 2 and done.stdout == b""
    usage = "usage: KERNEL MINI|SMALL|MEDIUM|LARGE|EXTRALARGE [REPEATS]"
    assert done.stderr.decode() == f"polybench: {complaint}; {usage}\n"


def test_a_full_output_is_an_error(durbin: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*durbin, "MINI"], stdout=full, stderr=subprocess.PIPE, timeout=10)
    assert done.returncode == 1
    assert re.fullmatch(rb"polybench: standard output: [^\n]+\n", done.stderr)
