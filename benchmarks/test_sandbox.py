"""What isolation costs: starting one sandbox, and a cold run with and without.

``make bench`` runs it. The cold runs take turns, so that a slow minute of the machine meets both.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from harness.bench import open_bench
from harness.sandbox import Job

HARNESS = Path(sys.executable).with_name("harness")
START_SECONDS = 0.010
SLOWER = 1.05
PROGRAMS = "bzip2,gsm,jpeg-c,qsort,rijndael,susan"


def test_start(benchmark: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """From asking for a sandbox to having its results, less what the job itself took; a bare process beside it."""
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path))
    sandbox = open_bench().sandbox
    job = Job("/usr/bin/true", system=True)
    sandbox.run(job)
    starts: list[float] = []
    bare: list[float] = []

    def start() -> None:
        began = time.perf_counter()
        finished = sandbox.run(job)
        starts.append(time.perf_counter() - began - finished.wall)
        assert finished.ok

    def between() -> None:
        began = time.perf_counter()
        subprocess.run(["/usr/bin/true"], check=True)
        bare.append(time.perf_counter() - began)

    benchmark.pedantic(start, setup=between, rounds=200, warmup_rounds=5)
    median, process = statistics.median(starts), statistics.median(bare)
    benchmark.extra_info["ratio to a bare process"] = round(median / process, 1)
    print(f"\na sandbox: {median * 1000:.1f} ms, {median / process:.1f} times a bare process ({process * 1000:.2f} ms)")
    assert median <= START_SECONDS


def test_cold_run(benchmark: Any, tmp_path: Path) -> None:
    """Six programs, baselines and a submission, both targets: wall time with the sandbox and with ``--trust``.

    Tarballs come from the network, or from the folder that TARBALLS names.
    """
    offered = os.environ.get("TARBALLS")
    words = ("run", "--suite", "cbench", "--benchmark", PROGRAMS, "--policy", "O0,O2,Oz,oz-tail,pipeline-oz")
    seconds: dict[str, list[float]] = {"sandbox": [], "trust": []}

    def cold(name: str, number: int) -> None:
        folder = tmp_path / f"{name}-{number}"
        folders = {"HARNESS_CACHE": str(folder / "cache"), "HARNESS_RESULTS": str(folder / "results")}
        environment = {**os.environ, **folders}
        fetch = [HARNESS, "fetch", "cbench", *(["--from", offered] if offered else [])]
        subprocess.run(fetch, env=environment, capture_output=True, check=True)
        began = time.perf_counter()
        trust = ["--trust"] if name == "trust" else []
        subprocess.run([HARNESS, *words, "--jobs", "2", *trust], env=environment, capture_output=True, check=True)
        seconds[name].append(time.perf_counter() - began)

    def all_of_it() -> None:
        for number in range(3):
            for name in sorted(seconds, reverse=bool(number % 2)):
                cold(name, number)

    benchmark.pedantic(all_of_it, rounds=1)
    isolated, trusted = (statistics.median(seconds[name]) for name in ("sandbox", "trust"))
    benchmark.extra_info["ratio"] = round(isolated / trusted, 3)
    print(f"\ncold run: {isolated:.1f} s with the sandbox, {trusted:.1f} s without: {isolated / trusted:.3f}")
    assert isolated <= SLOWER * trusted
