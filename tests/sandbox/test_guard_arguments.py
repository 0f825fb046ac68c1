"""The guard's command line, read by its own code, built with AddressSanitizer and UndefinedBehaviorSanitizer."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.base.paths import ROOT
from harness.sandbox.bench import Bench

FOLDER = ROOT / "native" / "guard"
LIMITS = ("wall_ms", "cpu_ms", "memory", "processes", "output")
FULL = [
    *("status=3", "scratch=/tmp", "wall_ms=5", "cpu_ms=6", "memory=7", "processes=8", "output=9", "core=0", "core=2"),
    *("turns=4", "usage=5", "leash=6", "keep=7", "keep=8", "environment=2", "A=1", "B=", "/bin/true", "true", "x y"),
]
TEXTS = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=40)
WORDS = st.one_of(
    TEXTS,
    st.sampled_from(
        [*FULL, "core=1024", "core=99999999999", "keep=-1", "memory=9223372036854775808", "environment=-1"]
    ),
    st.builds("{}={}".format, st.sampled_from(["core", "keep", "environment", "status", *LIMITS]), st.integers()),
)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory, bench: Bench) -> Path:
    """A program that prints what the guard reads of its command line."""
    program = tmp_path_factory.mktemp("guard") / "reader"
    flags = [word for word in (FOLDER / "compile_flags.txt").read_text().split() if word != "-O2"]
    sanitizers = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    sources = (FOLDER / "arguments.c", Path(__file__).with_name("guard_arguments.c"))
    clang = bench.toolchain.tool("clang")
    subprocess.run([clang, *flags, *sanitizers, f"-I{FOLDER}", *map(str, sources), "-o", program], check=True)
    return program


def read(reader: Path, words: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [reader, *words], capture_output=True, text=True, errors="surrogateescape", timeout=60, check=False
    )


def test_everything_is_read(reader: Path) -> None:
    done = read(reader, FULL)
    lines = done.stdout.splitlines()
    assert lines[:2] == ["3 4 5 6 2 2", "5 6 7 8 9"], done.stderr
    assert lines[2:] == ["keep 7", "keep 8", "variable A=1", "variable B=", "program /bin/true", "argument true",
                         "argument x y"]  # fmt: skip


@given(st.lists(WORDS, max_size=14))
@example(["environment=9223372036854775807"])
@example(["environment=1", "A=1"])
@example(["environment=0"])
@example(["keep=1"] * 9)
@example(["core=1024", "environment=0", "/bin/true", "true"])
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
def test_whatever_comes_is_read_or_named(reader: Path, words: list[str]) -> None:
    """It never reads or writes where nothing is: a sanitizer would end it with another status and many words."""
    done = read(reader, words)
    if done.returncode != 0:
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("guard: ") and "Sanitizer" not in done.stderr, done.stderr
