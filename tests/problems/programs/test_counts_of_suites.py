"""Every count of every program of the suites, taken twice: from nothing, elsewhere, on a busy machine."""

import subprocess
from pathlib import Path

import pytest

from harness.measure import all_metrics
from harness.suite.load import suite_names
from tests.drive import User

METRICS = ",".join(name for name, metric in all_metrics().items() if metric.deterministic and not metric.by_name)
"""Not compile.instructions: the emulator takes hours for it, and its own test has it repeat."""


@pytest.mark.slow
@pytest.mark.parametrize("suite", suite_names())
def test_counts_of_every_program_repeat(suite: str, tmp_path: Path) -> None:
    words = ("run", "--suite", suite, "--track", "speed", "--policy", "greedy", "--metric", METRICS)
    words += ("--compile-timeout", "600")  # the machine is made busy, and x264 takes long on a quiet one
    here, there = User.at(tmp_path / "here"), User.at(tmp_path / "somewhere else, with a longer name")
    here.harness(*words, code=0, timeout=1800)
    in_the_way = ["nice", "sh", "-c", "while :; do :; done"]
    busy = [subprocess.Popen(in_the_way) for _ in range(2)]
    try:
        there.harness(
            *words, code=0, timeout=3600, cwd=tmp_path, HOME=str(tmp_path), NOISE="n" * 5000, LANG="tr_TR.UTF-8"
        )
    finally:
        for process in busy:
            process.kill()
            process.wait()
    values = [
        {(row.benchmark, row.target, row.metric): (row.value, row.object_digest) for row in user.rows()}
        for user in (here, there)
    ]
    assert values[0] == values[1]
    assert all(value is not None for value, _ in values[0].values())
