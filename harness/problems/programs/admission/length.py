"""How long a program's workloads take, against what their kinds are for.

A ``count`` workload also runs under an emulator, many times slower; a ``time`` workload must be long
beside the resolution of a clock, and short enough for many runs.
"""

from collections.abc import Sequence
from pathlib import Path

from harness.base.vocabulary import Target
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload
from harness.verify.execute import observe
from harness.verify.link import linked
from harness.verify.verify import runner_for

__all__ = ["length_fault", "native_seconds"]

RANGES = {"count": (0.0, 0.05), "time": (0.3, 2.0)}
"""Kind of workload → least and most CPU seconds of a native run at -O2."""
_LEEWAY = 2.0
"""Machines differ: only what is out of its range by more than this factor is a fault."""
_RUNS = 3


def length_fault(kind: str, seconds: float) -> str | None:
    """Why a workload that takes so long is not of this kind; None when it is."""
    least, most = RANGES[kind]
    if seconds > most * _LEEWAY:
        return f"too long for the kind {kind} (at most {most:g} s)"
    if seconds < least / _LEEWAY:
        return f"too short for the kind {kind} (at least {least:g} s)"
    return None


def native_seconds(
    program: Program, linked_object: Path, ready: Sequence[ReadyWorkload], bench: Bench
) -> dict[str, float]:
    """Workload name → CPU seconds of a run on this machine: the least of a few where one was too long.

    ``linked_object`` is of x86-64. Raises CellError when a run does not end as it should.
    """
    native = Target.X86_64
    runner = runner_for(native, bench.toolchain)
    seconds: dict[str, float] = {}
    with linked(program.benchmark, native, linked_object, bench) as executable:
        for item in ready:
            least = float("inf")
            for _ in range(_RUNS):
                least = min(least, observe(executable, item, runner, bench.sandbox).cpu)
                if least <= RANGES[item.workload.kind][1]:
                    break
            seconds[item.workload.name] = least
    return seconds
