"""Where a run's numbers come from: its header line."""

import os
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import harness
from harness.base.machine import cpu_model
from harness.base.paths import ROOT
from harness.base.vocabulary import Target
from harness.freeze.freeze import program_digest
from harness.problems.programs.again import asks_again
from harness.problems.programs.request import Request
from harness.record.rows import BenchmarkFacts, Host
from harness.sandbox import describe
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import counted_on

__all__ = ["header_fields", "machine_fields"]


def header_fields(
    request: Request, bench: Bench, jobs: int, command: Sequence[str], started: datetime
) -> dict[str, Any]:
    """All fields of the header but the run's name, which the rows decide."""
    facts = {
        p.benchmark.name: BenchmarkFacts(
            split=p.benchmark.split,
            origin=p.source.origin.value,
            program_digest=program_digest(p),
            workloads=counted_on(p, bench.store),
        )
        for p in request.programs
    }
    return machine_fields(bench, jobs, command, started, request.targets) | {
        "suite": request.suite.name,
        "suite_version": request.suite.definition.version,
        "track": request.track,
        "benchmarks": facts,
        "min_coverage": request.suite.definition.min_coverage,
        "trained_on": _trained_on(request),
        "hidden": request.hidden,
        "asked_again_after": bench.asked_again_after if asks_again(request.cells) else None,
    }


def machine_fields(
    bench: Bench, jobs: int, command: Sequence[str], started: datetime, targets: Sequence[Target]
) -> dict[str, Any]:
    """What headers of all kinds of runs say: when, what commit, what tools, what machine."""
    commit, dirty = _commit()
    fingerprint = bench.toolchain.fingerprint
    return {
        "started": started.isoformat(timespec="seconds"),
        # A clock that was set back meanwhile does not let the run end before it began.
        "finished": max(started, datetime.now(UTC)).isoformat(timespec="seconds"),
        "command": tuple(command),
        "harness_version": harness.__version__,
        "commit": commit,
        "dirty": dirty,
        "llvm_version": bench.toolchain.version,
        "llvm": fingerprint.llvm,
        "runtime": {t.value: bench.toolchain.runtime_fingerprint(t) for t in targets},
        "host": _host(bench),
        "jobs": jobs,
        "compile_timeout": bench.compile_timeout,
    }


def _trained_on(request: Request) -> dict[str, tuple[str, ...]]:
    """Of each policy, the request's programs that it was trained on: under whichever suite's name it saw them."""
    found = {
        policy.name: tuple(
            program.benchmark.name
            for program in request.programs
            if _names_of(program) & set(policy.manifest.trained_on)
        )
        for policy in request.policies
    }
    return {name: programs for name, programs in found.items() if programs}


def _names_of(program: Program) -> set[str]:
    """What a manifest may call it: ``cbench/bzip2``, or with its split ``cbench:train``."""
    split = program.benchmark.split.value
    return {program.id, program.home_id, f"{program.suite}:{split}", f"{program.home or program.suite}:{split}"}


def _commit() -> tuple[str | None, bool | None]:
    """The checkout's commit, and whether anything but results differs from it."""
    try:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
        status = ["git", "--no-optional-locks", "status", "--porcelain", "--", ".", ":!results"]
        changed = subprocess.run(status, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None, None
    return head.stdout.strip(), bool(changed.stdout.strip())


def _host(bench: Bench) -> Host:
    governor = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    return Host(
        cpu=cpu_model(),
        cores=len(os.sched_getaffinity(0)),
        kernel=os.uname().release,
        governor=governor.read_text().strip() if governor.is_file() else None,
        load=round(os.getloadavg()[0], 2),
        sandbox=describe(bench.sandbox),
    )
