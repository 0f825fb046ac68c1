"""What the harness itself costs: its start, and its own CPU time beside that of the compilers and programs.

``make bench`` runs it. Figures go by ratios of one run: clocks of different machines do not compare.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

HARNESS = Path(sys.executable).with_name("harness")
HELP_SECONDS = 0.25
OWN_SHARE = 0.03
REPEAT_SECONDS = 2.0
PROGRAMS = "bzip2,gsm,jpeg-c,qsort,rijndael,susan"
"""Of cbench, half of them upstream and half small: of the whole suite the harness's share is smaller still."""

_ACCOUNT = """
import json, resource, sys
from harness.base.process import tools_cpu_seconds
from harness.cli import main
try:
    main()
finally:
    own = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    print(json.dumps([own, tools_cpu_seconds()]), file=sys.stderr)
"""


def test_help_is_instant(benchmark: Any) -> None:
    """``harness --help``, and a bare interpreter between the rounds to compare with."""
    bare: list[float] = []

    def start(*command: str | Path) -> None:
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)

    def between() -> None:
        before = benchmark._timer()
        start(sys.executable, "-c", "pass")
        bare.append(benchmark._timer() - before)

    benchmark.pedantic(start, args=(HARNESS, "--help"), setup=between, rounds=15, warmup_rounds=1)
    median, interpreter = statistics.median(benchmark.stats.stats.data), statistics.median(bare)
    benchmark.extra_info["ratio to a bare interpreter"] = round(median / interpreter, 2)
    print(
        f"\nharness --help: {median:.3f} s, {median / interpreter:.1f} times a bare interpreter ({interpreter:.3f} s)"
    )
    assert median < HELP_SECONDS


def test_own_share_of_a_cold_run_and_a_warm_repeat(benchmark: Any, tmp_path: Path) -> None:
    """A few programs under the policies of ``make run``, from a cache that holds tarballs alone; then the same again.

    The tarballs come from the network, or from the folder that TARBALLS names.
    """
    words = ("run", "--suite", "cbench", "--benchmark", PROGRAMS, "--jobs", "2")
    offered = os.environ.get("TARBALLS")
    folders = {"HARNESS_CACHE": str(tmp_path / "cache"), "HARNESS_RESULTS": str(tmp_path / "results")}
    folders |= {"PYTHONDONTWRITEBYTECODE": ""}  # a user's interpreter keeps what it compiled

    fetch = [HARNESS, "fetch", "cbench", *(["--from", offered] if offered else [])]
    subprocess.run(fetch, env={**os.environ, **folders}, capture_output=True, check=True)

    def accounted() -> tuple[float, float]:
        command = [sys.executable, "-c", _ACCOUNT, *words]
        done = subprocess.run(command, env={**os.environ, **folders}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        own, tools = json.loads(done.stderr.splitlines()[-1])
        return own, tools

    own, tools = accounted()
    share = own / (own + tools)
    benchmark.pedantic(lambda: subprocess.run([HARNESS, *words], env={**os.environ, **folders}, capture_output=True,
                                              check=True), rounds=5)  # fmt: skip
    repeat = statistics.median(benchmark.stats.stats.data)
    benchmark.extra_info |= {"own share": round(share, 4), "cold run to warm repeat": round((own + tools) / repeat)}
    print(f"\ncold run: {own:.1f} s of CPU its own, {tools:.1f} s its tools': {share:.1%}; warm repeat: {repeat:.2f} s")
    assert share <= OWN_SHARE and repeat <= REPEAT_SECONDS
