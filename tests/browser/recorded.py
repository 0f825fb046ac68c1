"""Small results folders with round, invented numbers: tests of the page need no compiler."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.record import Row
from harness.record.runfile import write_run

LLVM, OLDER = "aa" * 32, "bb" * 32
"""Fingerprints of the compilers of the two runs."""
DETAIL = "workload big: line 3 is `*7*`, not <b>5</b> | [here](https://example.invalid)"
"""Text as a hostile program might print it."""

PROGRAMS = {
    "alpha": ("train", "own", 1000),
    "beta": ("train", "debian", 2000),
    "gamma": ("test", "own", 4000),
    "delta": ("test", "debian", 8000),
}
"""Split, origin, and bytes under the reference on x86-64."""
FACTORS = {
    "Oz": ("level", "fixed", [1.0, 1.0, 1.0, 1.0]),
    "Os": ("level", "fixed", [1.1, 1.2, 1.1, 1.05]),
    "O0": ("level", "fixed", [2.0, 2.5, 3.0, 1.5]),
    "tidy_pass_list": ("pass-sequence", "fixed", [0.9, 1.0, 0.95, 1.01]),
    "flawed": ("pass-sequence", "fixed", [0.8, 0.8, None, 0.8]),
    "seeker": ("pass-sequence", "search", [0.85, 0.9, 0.9, 0.97]),
}
"""Kind, class, and bytes against the reference's, program by program; None where the output is wrong."""


def write_results(folder: Path) -> None:
    """Two runs: one with an older compiler, one with all of the above on both targets."""
    folder.mkdir(parents=True, exist_ok=True)
    old = list(_rows({name: FACTORS[name] for name in ("Oz", "O0")}, "older"))
    write_run(folder, _header(OLDER, "22.1.0", "2026-01-01"), old)
    write_run(folder, _header(LLVM, "22.1.8", "2026-02-02"), list(_rows(FACTORS, "newer")))


ALLOCATORS = {
    "greedy": {"instructions": [1000, 2000, 4000, 8000], "spills": [0, 2, 0, 7], "mca.cycles": [300.5, 700.25, 900, 1]},
    "basic": {"instructions": [1100, 2000, 4400, 8800], "spills": [3, 2, 0, 15], "mca.cycles": [330, 700, 990, 2]},
    "pbqp": {"instructions": [1050, 2100, 4000, 8400], "spills": [1, 5, 0, 0], "mca.cycles": [300, 710, None, 1]},
}
"""Policy → metric → values, program by program; None where the metric could not be taken."""
REASON = "llvm-mca cannot model block 3 of <main>: `nonsense`"


def write_speed(folder: Path) -> None:
    """One run of track speed, for x86-64."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for policy, metrics in ALLOCATORS.items():
        for number, benchmark in enumerate(PROGRAMS):
            cell = {
                "cell": _digest("speed", policy, benchmark),
                "benchmark": benchmark,
                "target": "x86-64",
                "track": "speed",
                "kind": "regalloc",
                "class": "fixed",
                "policy": policy,
                "policy_digest": _digest(policy),
                "seed": 0,
                "level": "O3",
                "isolation": "sandbox",
                "frozen_digest": _digest(benchmark, "speed"),
                "decisions_digest": _digest(policy, "decisions"),
                "object_digest": _digest(benchmark, policy),
                "outcome": "ok",
            }
            for metric, values in metrics.items():
                detail = {} if values[number] is not None else {"detail": REASON}
                unit = {"instructions": "instructions", "spills": "operands"}.get(metric, "skylake-avx512 cycles")
                measured = {"metric": metric, "value": values[number], "unit": unit}
                rows.append(Row.model_validate(cell | detail | measured))
    write_run(folder, {**_header(LLVM, "22.1.8", "2026-03-03"), "track": "speed", "suite": "zippy"}, rows)


def _rows(policies: dict[str, Any], salt: str) -> Iterator[Row]:
    for policy, (kind, policy_class, factors) in policies.items():
        for (benchmark, (_, _, reference)), factor in zip(PROGRAMS.items(), factors, strict=True):
            for target, scale in (("x86-64", 1.0), ("aarch64", 1.5)):
                # The same bytes come from the same object.
                size = None if factor is None else round(reference * scale * (1 + (factor - 1) / scale))
                cell = {
                    "cell": _digest(salt, policy, benchmark, target),
                    "benchmark": benchmark,
                    "target": target,
                    "track": "size",
                    "kind": kind,
                    "class": policy_class,
                    "policy": policy,
                    "policy_digest": _digest(policy),
                    "seed": 0,
                    "level": policy if kind == "level" else "Oz",
                    "isolation": "sandbox",
                    "frozen_digest": _digest(benchmark, target),
                    "decisions_digest": _digest(policy, "decisions"),
                    "object_digest": None if size is None else _digest(benchmark, target, str(size)),
                    "outcome": "wrong-output" if size is None else "ok",
                }
                if size is None:
                    yield Row.model_validate(cell | {"detail": DETAIL})
                    continue
                for metric, value, unit in (
                    ("size.alloc", size, "bytes"),
                    ("size.text", size - 300, "bytes"),
                    ("compile.cpu", size / 2000, "s"),
                ):
                    yield Row.model_validate(cell | {"metric": metric, "value": value, "unit": unit})


def _header(llvm: str, version: str, date: str) -> dict[str, Any]:
    host = {"cpu": "Invented CPU", "cores": 2, "kernel": "0.0", "governor": None, "load": 0.5, "sandbox": "limits"}
    return {
        "suite": "toy",
        "suite_version": "7",
        "track": "size",
        "started": f"{date}T10:00:00+00:00",
        "finished": f"{date}T11:00:00+00:00",
        "command": ("run", "--suite", "toy"),
        "harness_version": "0.0",
        "commit": "c0ffee" * 6 + "c0ff",
        "dirty": True,
        "llvm_version": version,
        "llvm": llvm,
        "runtime": {"x86-64": _digest("libc"), "aarch64": _digest("qemu")},
        "host": host,
        "jobs": 2,
        "compile_timeout": 60.0,
        "benchmarks": {
            name: {"split": split, "origin": origin, "program_digest": _digest(name)}
            for name, (split, origin, _) in PROGRAMS.items()
        },
    }


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
