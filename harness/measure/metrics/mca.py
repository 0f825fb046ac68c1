"""A static model of speed: llvm-mca's reciprocal throughput of basic blocks. Never run time."""

import math
from collections.abc import Sequence
from functools import partial

from harness.base.vocabulary import SPEED
from harness.basic_blocks.throughput import Cost, Model, block_costs, known_models
from harness.measure.evidence import Need
from harness.measure.missing import NotMeasurableError
from harness.measure.registry import Breakdown, Subject, metric

_model = partial(metric, unit="cycles", deterministic=True, tracks=(SPEED,), modelled=True, whole=False)


@_model("mca.cycles", needs=[Need.RUNS, Need.CODE])
def mca_cycles(subject: Subject) -> Breakdown:
    """Executions of each basic block × its reciprocal throughput by llvm-mca; libc and start-up are not in it."""
    executions = subject.evidence.profile.executions.tolist()
    return _weighted(subject, [float(count) for count in executions])


@_model("mca.static", needs=[Need.CODE])
def mca_static(subject: Subject) -> Breakdown:
    """Cycles per call of each function, with LLVM's expected block frequencies for executions; their sum."""
    return _weighted(subject, [block.frequency for block in subject.evidence.blocks.blocks])


def _weighted(subject: Subject, weights: Sequence[float]) -> Breakdown:
    """Σ weight × cost. Blocks that cannot be modelled matter only if they have a weight."""
    code = subject.evidence.blocks
    costs = _costs(subject)
    functions: dict[str, float] = {}
    unknown: list[str] = []
    for block, weight in zip(code.blocks, weights, strict=True):
        if weight:
            cost = costs[block.text]
            if cost.cycles is None:
                unknown.append(f"llvm-mca cannot model block {block.id} of {block.function}: {cost.problem}")
            cycles = math.nan if cost.cycles is None else cost.cycles
            functions[block.function] = functions.get(block.function, 0.0) + weight * cycles
    # Rounded, so that it does not depend on the last digits of a sum's order.
    rounded = {name: round(cycles, 6) for name, cycles in functions.items()}
    if unknown:
        raise NotMeasurableError(unknown[0], rounded)
    return Breakdown(round(sum(functions.values()), 6), rounded)


def _costs(subject: Subject) -> list[Cost]:
    assert subject.bench is not None
    models = known_models(subject.target, subject.bench)
    if subject.model not in models:
        raise NotMeasurableError(f"llvm-mca knows no {subject.target.value} CPU {subject.model!r}")
    try:
        return block_costs(subject.evidence.blocks.texts, Model(subject.target, subject.model), subject.bench)
    except ValueError as reason:
        raise NotMeasurableError(str(reason)) from None
