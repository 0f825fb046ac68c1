"""How much a choice per function could save, and how much of it a static cost finds."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from harness.learn.allocators.examples import EXECUTED, Examples
from harness.problems.regalloc.cost import Cost

__all__ = ["best", "cheapest", "gain", "program_gains"]


def best(examples: Examples, metric: str, tried: int) -> NDArray[np.int64]:
    """(functions,): the one of the first ``tried`` allocations under which each executes least. Nobody can know it."""
    return _first(examples.measured[metric][:, :tried])


def cheapest(examples: Examples, cost: Cost, tried: int) -> NDArray[np.int64]:
    """(functions,): the one of the first ``tried`` allocations that costs least."""
    costs = sum(weight * examples.measured[metric][:, :tried] for metric, weight in cost.items())
    return _first(np.asarray(costs))


def _first(costs: NDArray[np.float64]) -> NDArray[np.int64]:
    first: NDArray[np.int64] = costs.argmin(axis=1)
    return first


def program_gains(examples: Examples, chosen: NDArray[np.int64], metric: str) -> Mapping[str, float]:
    """Program → what it executes under Greedy over what it executes under the choice, above 1 is better."""
    assert metric in EXECUTED, metric
    shares = examples.measured[metric]
    saved = shares[:, 0] - shares[np.arange(len(examples)), chosen]
    return {
        str(program): float(1 / (1 - saved[examples.programs == program].sum()))
        for program in dict.fromkeys(examples.programs)
    }


def gain(examples: Examples, chosen: NDArray[np.int64], metric: str) -> float:
    """The geometric mean over programs."""
    gains = program_gains(examples, chosen, metric).values()
    return math.exp(math.fsum(map(math.log, gains)) / len(gains))
