"""Whether a program executes the same in every run: two counted runs, compared."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.base.errors import CellError
from harness.base.vocabulary import Target
from harness.basic_blocks import Counts
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload
from harness.verify.execute import Execution, observe
from harness.verify.link import linked
from harness.verify.verify import counting_runner

__all__ = ["count_faults"]


def count_faults(
    program: Program,
    target: Target,
    linked_object: Path,
    ready: Sequence[ReadyWorkload],
    right: Mapping[str, str],
    bench: Bench,
) -> list[str]:
    """What is wrong with the workloads where they are counted, one message a workload.

    ``right``: workload → digest of its result outside the counter.
    """
    runner = counting_runner(target, bench)
    faults = []
    try:
        with linked(program.benchmark, target, linked_object, bench) as executable:
            for item in ready:
                name = item.workload.name
                one, other = (observe(executable, item, runner, bench.sandbox) for _ in range(2))
                if fault := _fault(one, other, right.get(name)):
                    faults.append(f"workload {name} on {target.value}: {fault}")
    except CellError as error:
        faults.append(f"{target.value}, counted: {error.message}")
    return faults


def _fault(one: Execution, other: Execution, right: str | None) -> str | None:
    if right is not None and {one.digest, other.digest} != {right}:
        return "gives another result where it is counted"
    if one.counts is None or other.counts is None:
        return "ends in a way that leaves no counts"
    first, second = Counts.parse(one.counts), Counts.parse(other.counts)
    if first.incomplete or second.incomplete:
        return f"cannot be counted exactly: {first.incomplete or second.incomplete}"
    if one.counts != other.counts:
        totals = [f"{counts.total['instructions']:,}" for counts in (first, second)]
        return f"executes not the same in every run: {totals[0]} instructions in one, {totals[1]} in the next"
    return None
