"""Small results folders with round, invented numbers: tests of the page need no compiler."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.apply.decisions import Decisions
from harness.base.store import Store
from harness.problems.instances.files import load_instance
from harness.problems.instances.suite import load_instances
from harness.problems.sharding.domain import Sharding
from harness.problems.sharding.generate import least_usage
from harness.record import Row
from harness.record.decisions import store_decisions
from harness.record.rows import BenchmarkFacts, History, InstanceFacts, Solving
from harness.record.runfile import write_run
from tests.rows import blocks, campaign

DOMAIN = Sharding()

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
    "Oz": ("levels", "fixed", [1.0, 1.0, 1.0, 1.0]),
    "Os": ("levels", "fixed", [1.1, 1.2, 1.1, 1.05]),
    "O0": ("levels", "fixed", [2.0, 2.5, 3.0, 1.5]),
    "tidy_pass_list": ("passes", "fixed", [0.9, 1.0, 0.95, 1.01]),
    "flawed": ("passes", "fixed", [0.8, 0.8, None, 0.8]),
    "seeker": ("passes", "search", [0.85, 0.9, 0.9, 0.97]),
}
"""Problem, class, and bytes against the reference's, program by program; None where the output is wrong."""
TRAINED_ON = {"seeker": ("alpha", "beta"), "tidy_pass_list": ("beta",)}


def write_results(folder: Path) -> None:
    """Two runs: one with an older compiler, one with all of the above on both targets."""
    folder.mkdir(parents=True, exist_ok=True)
    old = list(_rows({name: FACTORS[name] for name in ("Oz", "O0")}, "older"))
    write_run(folder, header(OLDER, "22.1.0", "2026-01-01"), old)
    about = {**header(LLVM, "22.1.8", "2026-02-02"), "trained_on": TRAINED_ON}
    write_run(folder, about, list(_rows(FACTORS, "newer")))


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
                "problem": "regalloc",
                "form": "allocator",
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
    write_run(folder, {**header(LLVM, "22.1.8", "2026-03-03"), "track": "speed", "suite": "zippy"}, rows)


RACERS = ("ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis")
MARK = "a busy neighbour: programs waited for their core in 31% of the time"
CRASH = "run-crash: killed by SIGSEGV"
TIMES: dict[str, dict[int, list[float | None]]] = {
    "greedy": {0: [1.0] * 9},
    "basic": {0: [1.04, 1.03, 1.08, 1.05, 1.02, 1.06, 1.04, 1.03, 1.05]},
    "pbqp": {0: [1.0, 1.001, 1.01, 0.99, 1.03, 0.97, 1.0, 1.002, 1.004]},
    "fast": {0: [1.3, None, 1.5, 1.4, 1.2, 1.3, 1.6, 1.4, 1.3]},
    "fast-o0": {0: [1.9, 2.2, 2.5, 2.0, 1.8, 2.1, 2.4, 2.2, 2.0]},
    "latecomer": {0: [0.95] * 9},
    "seeker": {seed: [0.9 + 0.01 * (seed - 2) + 0.005 * place for place in range(9)] for seed in range(5)},
}
"""Policy → seed → seconds, program by program; None where it crashes. At 1 s, pbqp gives greedy's object."""


def write_timed(folder: Path) -> None:
    """Three campaigns of one suite: a sound one, a marked one with another policy, and one of another machine."""
    folder.mkdir(parents=True, exist_ok=True)
    day = {"host": "Invented CPU", "date": "2026-04-04", "name": "4c4c4c4c4c4c4c4c"}
    _write_campaign(folder, [name for name in TIMES if name != "latecomer"], **day)
    day |= {"date": "2026-04-05", "name": "5d5d5d5d5d5d5d5d"}
    _write_campaign(folder, ["greedy", "latecomer"], MARK, **day)
    _write_campaign(folder, ["greedy", "basic"], host="Old CPU", date="2026-04-01", name="1a1a1a1a1a1a1a1a")


def _write_campaign(folder: Path, policies: list[str], *marks: str, host: str, date: str, name: str) -> None:
    rows, taken = [], []
    for place, benchmark in enumerate(RACERS):
        seconds: dict[str, float] = {}
        for policy in policies:
            for seed, values in TIMES[policy].items():
                value = values[place]
                maker = "greedy" if policy == "pbqp" and value == 1.0 else policy
                cell = {
                    "cell": _digest("timed", policy, benchmark, str(seed)),
                    "benchmark": benchmark,
                    "target": "x86-64",
                    "track": "speed",
                    "problem": "regalloc",
                    "form": "allocator",
                    "class": "search" if policy == "seeker" else "fixed",
                    "policy": policy,
                    "policy_digest": _digest(policy),
                    "seed": seed,
                    "level": "O3",
                    "isolation": "sandbox",
                    "frozen_digest": _digest(benchmark, "timed"),
                    "decisions_digest": _digest(policy, "decisions", str(seed)),
                    "object_digest": _digest(benchmark, maker, str(seed)),
                    "outcome": "ok",
                }
                taken_in = {"detail": CRASH} if value is None else {"campaign": name}
                for metric, share in (("runtime.cpu", 1.0), ("runtime.wall", 2.0)):
                    measured = {"metric": metric, "value": None if value is None else value * share, "unit": "s"}
                    rows.append(Row.model_validate(cell | taken_in | measured))
                instructions = {"metric": "instructions", "value": round(1e9 * (value or 1)), "unit": "instructions"}
                rows.append(Row.model_validate(cell | instructions))
                if value is not None:
                    seconds[str(cell["object_digest"])] = value
        taken += blocks(seconds, 16, benchmark, 0.004, campaign=name)
    about = {**header(LLVM, "22.1.8", date), "track": "speed", "suite": "race"}
    about["host"] = about["host"] | {"cpu": host}
    about["benchmarks"] = {
        benchmark: {"split": "train", "origin": "own", "program_digest": _digest(benchmark)} for benchmark in RACERS
    }
    write_run(folder, about, rows, [campaign(name, f"{date}T10:00:00+00:00", *marks, blocks=len(taken))], taken)


def _rows(policies: dict[str, Any], salt: str) -> Iterator[Row]:
    for policy, (problem, policy_class, factors) in policies.items():
        for (benchmark, (_, _, reference)), factor in zip(PROGRAMS.items(), factors, strict=True):
            for target, scale in (("x86-64", 1.0), ("aarch64", 1.5)):
                # The same bytes come from the same object.
                size = None if factor is None else round(reference * scale * (1 + (factor - 1) / scale))
                cell = {
                    "cell": _digest(salt, policy, benchmark, target),
                    "benchmark": benchmark,
                    "target": target,
                    "track": "size",
                    "problem": problem,
                    "class": policy_class,
                    "policy": policy,
                    "policy_digest": _digest(policy),
                    "seed": 0,
                    "level": policy if problem == "levels" else "Oz",
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


def header(llvm: str, version: str, date: str) -> dict[str, Any]:
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


SOLVERS = {
    "layout-messages": {"A": 6_548_638_196, "B": 532_843, "G": 217_039, "chain-4": None},
    "greedy-descent": {"A": 70_000_000_001_339_941_579, "B": None, "G": 219_866_296, "chain-4": 70_000_000},
}
"""Solver → instance → cost; None where the assignment is not feasible. On chain-4 the first has the least memory's."""
WHY = "at time 4 it uses 45 bytes, 5 more than the limit of <40>"


def write_solved(folder: Path) -> None:
    """One run of solvers on instances of the suite iopddl, with the assignment of least memory of a made one."""
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder.parent / "cache")
    problems = {one.entry.name: one for one in load_instances(DOMAIN, "iopddl").choose(["A", "B", "G", "chain-4"])}
    least = least_usage(load_instance(problems["chain-4"], store))
    decisions = Decisions("sharding", None, {"assignment": least.tolist(), "nodes": len(least)})
    stored = store_decisions(folder, decisions.content)
    rows, histories = [], []
    for policy, costs in SOLVERS.items():
        for name, cost in costs.items():
            if policy == "layout-messages" and name == "chain-4":
                cost = 60_010_496
            cell = {
                "cell": _digest("solve", policy, name),
                "benchmark": name,
                "target": "x86-64",
                "track": "sharding",
                "problem": "sharding",
                "class": "zero-shot",
                "policy": policy,
                "policy_digest": _digest(policy),
                "seed": 0,
                "isolation": "sandbox",
                "frozen_digest": None,
                "decisions_digest": stored if name == "chain-4" else _digest(policy, name),
                "object_digest": None,
                "outcome": "ok" if cost else "infeasible",
            }
            if cost is None:
                rows.append(Row(**cell, detail=WHY))
                continue
            measured = {"cost": (cost, "units"), "cost.seconds": (5.5, "s"), "usage.peak": (1 << 30, "bytes")}
            rows += [Row(**cell, metric=m, value=value, unit=unit) for m, (value, unit) in measured.items()]
            names = {"cell": cell["cell"], "benchmark": name, "policy": policy}
            histories.append(History(**names, seconds=(0.5, 5.5), costs=(2 * cost, cost)))
    about = header(LLVM, "22.1.8", "2026-03-03") | {
        "suite": "iopddl",
        "track": "sharding",
        "benchmarks": {
            name: BenchmarkFacts(split=one.entry.split, origin=one.origin.value, program_digest=one.digest).model_dump()
            for name, one in problems.items()
        },
        "solving": Solving(
            time_scale=0.1,
            cores=2,
            instances={
                name: InstanceFacts(seconds=one.entry.seconds, best=one.entry.best, bound=one.entry.bound)
                for name, one in problems.items()
            },
        ),
    }
    write_run(folder, about, rows, histories=histories)


def write_measured_elsewhere(folder: Path) -> None:
    """One row of the problem ``tests/outside/weather``: in a process in which it is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    row = Row.model_validate(
        {
            "cell": _digest("weather"),
            "benchmark": "Aachen",
            "target": "x86-64",
            "track": "weather",
            "problem": "weather",
            "class": "zero-shot",
            "policy": "sunshine",
            "policy_digest": _digest("sunshine"),
            "seed": 0,
            "isolation": "sandbox",
            "frozen_digest": None,
            "decisions_digest": _digest("sky"),
            "object_digest": None,
            "outcome": "infeasible",
            "detail": "too wet",
        }
    )
    town = {"split": "test", "origin": "local", "program_digest": _digest("Aachen")}
    known = InstanceFacts(seconds=1.0, best=None, bound=None)
    about = header(LLVM, "22.1.8", "2026-04-04") | {
        "suite": "towns",
        "track": "weather",
        "benchmarks": {"Aachen": town},
        "solving": Solving(time_scale=1.0, cores=1, instances={"Aachen": known}),
    }
    write_run(folder, about, [row])
