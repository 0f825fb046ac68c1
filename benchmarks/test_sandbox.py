"""What isolation costs: starting one sandbox, and its share of a cold run.

``make bench`` runs it.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from harness.sandbox import Job
from harness.sandbox.bench import open_bench

HARNESS = Path(sys.executable).with_name("harness")
START_SECONDS = 0.010
SLOWER = 0.05
WORKERS = 2
PROGRAMS = "bzip2,gsm,jpeg-c,qsort,rijndael,susan"
WORDS = ("run", "--suite", "cbench", "--benchmark", PROGRAMS, "--policy", "O0,O2,Oz,oz-tail,pipeline-oz")


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


_ACCOUNT = """
import json, sys, time
from harness.cli import main
from harness.base.process import tools_cpu_seconds
from harness.sandbox import Sandbox

added = {"jobs": 0, "seconds": 0.0, "cpu": 0.0}
run = Sandbox.run

def accounted(self, job):
    began = time.perf_counter()
    finished = run(self, job)
    added["jobs"] += 1
    added["seconds"] += time.perf_counter() - began - finished.wall
    added["cpu"] += finished.total_cpu - finished.cpu
    return finished

Sandbox.run = accounted
began = time.perf_counter()
try:
    main()
finally:
    seconds = time.perf_counter() - began
    print(json.dumps({**added, "run": seconds, "run_cpu": tools_cpu_seconds()}), file=sys.stderr)
"""


def test_cold_run(benchmark: Any, tmp_path: Path) -> None:
    """Six programs, three baselines, two submissions, both targets, from a cache with tarballs alone.

    What the sandbox adds is what a worker waits, and what the machine computes, beyond the jobs
    themselves. A comparison with a run without it would mostly compare two minutes of the machine.
    """
    offered = os.environ.get("TARBALLS")
    folders = {"HARNESS_CACHE": str(tmp_path / "cache"), "HARNESS_RESULTS": str(tmp_path / "results")}
    environment = {**os.environ, **folders}
    fetch = [HARNESS, "fetch", "cbench", *(["--from", offered] if offered else [])]
    subprocess.run(fetch, env=environment, capture_output=True, check=True)

    def cold() -> dict[str, float]:
        command = [sys.executable, "-c", _ACCOUNT, *WORDS, "--jobs", str(WORKERS)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found: dict[str, float] = json.loads(done.stderr.splitlines()[-1])
        return found

    found = benchmark.pedantic(cold, rounds=1)
    assert found["jobs"] > 100
    waited = found["seconds"] / (WORKERS * found["run"] - found["seconds"])
    computed = found["cpu"] / (found["run_cpu"] - found["cpu"])
    benchmark.extra_info |= {"slower": round(waited, 4), "more CPU time": round(computed, 4)}
    jobs, seconds = int(found["jobs"]), found["run"]
    print(f"\ncold run of {seconds:.0f} s, {jobs} jobs: {waited:.1%} slower, {computed:.1%} more CPU time")
    assert waited <= SLOWER
