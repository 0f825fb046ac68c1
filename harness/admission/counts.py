"""Whether a program executes the same in every run: two counted runs, compared."""

from collections.abc import Sequence
from pathlib import Path

from harness.bench import Bench
from harness.blocks import Counts
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload
from harness.verify.execute import observe
from harness.verify.link import link_program
from harness.verify.verify import counting_runner
from harness.vocabulary import Target

__all__ = ["count_faults"]


def count_faults(
    program: Program, target: Target, linked_object: Path, ready: Sequence[ReadyWorkload], bench: Bench
) -> list[str]:
    """What is wrong with the workloads' counts, one message a workload. Raises CellError when a run fails."""
    runner = counting_runner(target, bench)
    faults = []
    with bench.store.scratch() as scratch:
        executable = scratch / "program"
        link_program(program.benchmark, target, linked_object, executable, bench.toolchain, bench.store)
        for item in ready:
            runs = [observe(executable, item, runner, bench.sandbox).counts for _ in range(2)]
            if fault := _fault(*runs):
                faults.append(f"workload {item.workload.name} on {target.value}: {fault}")
    return faults


def _fault(first: bytes | None, second: bytes | None) -> str | None:
    if first is None or second is None:
        return "ends in a way that leaves no counts"
    one, other = Counts.parse(first), Counts.parse(second)
    if one.incomplete or other.incomplete:
        return f"cannot be counted exactly: {one.incomplete or other.incomplete}"
    if first != second:
        totals = f"{one.total['instructions']:,} instructions in one run, {other.total['instructions']:,} in the next"
        return f"executes not the same in every run: {totals}"
    return None
