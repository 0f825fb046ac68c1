"""Where a run's numbers come from: its header line."""

import json
import os
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import harness
from harness.base.discovery import packages_there
from harness.base.machine import machine
from harness.base.paths import COMMIT, checkout
from harness.base.vocabulary import Target
from harness.record.rows import Host
from harness.sandbox import describe
from harness.sandbox.bench import Bench

__all__ = ["committed", "machine_fields", "uncommitted"]


def machine_fields(
    bench: Bench, jobs: int, command: Sequence[str], started: datetime, targets: Sequence[Target]
) -> dict[str, Any]:
    """What the headers of all runs say: when, what commit, what tools, what machine."""
    commit, dirty = committed()
    fingerprint = bench.toolchain.fingerprint
    return {
        "started": started.isoformat(timespec="seconds"),
        # A clock that was set back meanwhile does not let the run end before it began.
        "finished": max(started, datetime.now(UTC)).isoformat(timespec="seconds"),
        "command": tuple(command),
        "harness_version": harness.__version__,
        "commit": commit,
        "dirty": dirty,
        "packages": packages_there(),
        "llvm_version": bench.toolchain.version,
        "llvm": fingerprint.llvm,
        "runtime": {t.value: bench.toolchain.runtime_fingerprint(t) for t in targets},
        "host": _host(bench),
        "jobs": jobs,
        "compile_timeout": bench.compile_timeout,
    }


def committed() -> tuple[str | None, bool | None]:
    """The checkout's commit, or the one that the wheel was built from; and whether anything but results differed."""
    root = checkout()
    if root is None:
        built = json.loads(COMMIT.read_text()) if COMMIT.is_file() else {}
        return built.get("commit"), built.get("dirty")
    try:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True)
        return head.stdout.strip(), bool(uncommitted(root))
    except (OSError, subprocess.CalledProcessError):
        return None, None


def uncommitted(root: Path) -> list[str]:
    """Paths by which a checkout differs from its commit, results aside. Raises what ``subprocess.run`` raises."""
    status = ["git", "--no-optional-locks", "status", "--porcelain", "-z", "--no-renames", "--", ".", ":!results"]
    changed = subprocess.run(status, cwd=root, capture_output=True, check=True)
    return [os.fsdecode(line[3:]) for line in changed.stdout.split(b"\0") if line]


def _host(bench: Bench) -> Host:
    governor = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    here = machine()
    return Host(
        cpu=here.cpu,
        vendor=here.vendor,
        family=here.family,
        model=here.model,
        stepping=here.stepping,
        llvm=bench.toolchain.host_cpu,
        hypervisor=here.hypervisor,
        microcode=here.microcode,
        memory=here.memory,
        cores=here.cores,
        kernel=os.uname().release,
        governor=governor.read_text().strip() if governor.is_file() else None,
        load=round(os.getloadavg()[0], 2),
        sandbox=describe(bench.sandbox),
    )
