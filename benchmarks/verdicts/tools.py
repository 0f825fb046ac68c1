"""The verdict of each tool on two executables, within so many seconds: ``slower``, ``faster`` or ``neither``.

Each is used as its documentation says, with its own rule for what is a difference; where it has none, with the
one that it offers to scripts.
"""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

__all__ = ["TOOLS", "Pair", "hyperfine", "pyperf", "pytest_benchmark"]

Pair = tuple[Path, Path]
"""The reference, and what is compared with it."""

_BENCHMARK = """
import os, subprocess
def test_program(benchmark):
    benchmark(subprocess.run, [os.environ["PROGRAM"]], stdout=subprocess.DEVNULL, check=True)
"""


def hyperfine(pair: Pair, seconds: float, each: float, folder: Path) -> str:
    """Mean wall time of runs, one program after the other; different where the ratio's own ± excludes 1."""
    runs = max(2, round(seconds / 2 / each))
    answer = folder / "hyperfine.json"
    words = ["hyperfine", "--shell=none", "--runs", str(runs), "--export-json", str(answer)]
    _run([*words, *map(str, pair)], folder)
    first, second = json.loads(answer.read_text())["results"]
    ratio = second["mean"] / first["mean"]
    spread = ratio * math.hypot(first["stddev"] / first["mean"], second["stddev"] / second["mean"])
    return "slower" if ratio - spread > 1 else "faster" if ratio + spread < 1 else "neither"


def pyperf(pair: Pair, seconds: float, each: float, folder: Path) -> str:
    """Wall time in several processes, one program after the other; Student's two-sided t-test at 95 %."""
    processes = max(2, round(seconds / 2 / each / 4))
    files = []
    for at, program in enumerate(pair):
        files.append(folder / f"pyperf-{at}.json")
        files[-1].unlink(missing_ok=True)
        words = ["command", "--quiet", "--processes", str(processes), "--values", "3", "--warmups", "1", "--loops", "1"]
        _run([sys.executable, "-m", "pyperf", *words, "-o", str(files[-1]), str(program)], folder)
    said = _run([sys.executable, "-m", "pyperf", "compare_to", *map(str, files)], folder)
    return "slower" if "slower" in said else "faster" if "faster" in said else "neither"


def pytest_benchmark(pair: Pair, seconds: float, each: float, folder: Path) -> str:
    """Median wall time, one program after the other; its check for regressions, at half a per cent."""
    test = folder / "test_program.py"
    test.write_text(_BENCHMARK)
    storage = folder / "benchmarks"
    for old in storage.rglob("*.json"):
        old.unlink()
    common = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "benchmark", "-p", "no:cacheprovider"]
    common += [str(test), f"--rootdir={folder}", "-c", os.devnull, f"--benchmark-storage=file://{storage}"]
    common += [f"--benchmark-max-time={seconds / 2}", "--benchmark-min-rounds=5"]
    _run([*common, "--benchmark-save=reference"], folder, PROGRAM=str(pair[0]))
    compared = [*common, "--benchmark-compare", f"--benchmark-compare-fail=median:{each * 0.005:.6f}"]
    done = _ended(compared, folder, PROGRAM=str(pair[1]))
    said = done.stdout + done.stderr
    if done.returncode and "Performance has regressed" not in said:
        raise RuntimeError(said)
    return "slower" if done.returncode else "neither"


TOOLS = {"hyperfine": hyperfine, "pyperf": pyperf, "pytest-benchmark": pytest_benchmark}


def _run(words: list[str], folder: Path, **variables: str) -> str:
    done = _ended(words, folder, **variables)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr or done.stdout}")
    return done.stdout


def _ended(words: list[str], folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        words, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
