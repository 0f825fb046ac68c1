"""Functions of programs, with what is known before their allocation, and what they execute under each of several."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.apply import compile_plan
from harness.freeze import FrozenModule
from harness.problems.programs.take import Made, take_metrics
from harness.problems.regalloc.features import FUNCTION_FEATURES
from harness.problems.regalloc.replay import everywhere, replay_plan
from harness.problems.regalloc.trajectories.collect import trajectory
from harness.sandbox.bench import Bench

__all__ = ["ALLOCATIONS", "COST", "Examples", "examples_of", "read_examples"]

ALLOCATIONS = ("default", "weight", "seeded-0", "constant", "basic")
"""What a function may have; the first is Greedy's own."""
COST = "mca.cycles"
"""Of a function: llvm-mca's cycles of its blocks, by how often each was run."""


@dataclass(frozen=True)
class Examples:
    """Functions that were run."""

    programs: NDArray[np.str_]
    """(functions,): where each is from."""
    features: NDArray[np.float64]
    """(functions, features): in the order of ``FUNCTION_FEATURES``."""
    costs: NDArray[np.float64]
    """(functions, allocations): share of the cycles of its program under Greedy."""

    def without(self, program: str) -> "Examples":
        """Those of other programs."""
        return self._where(self.programs != program)

    def of(self, program: str) -> "Examples":
        """Those of one program."""
        return self._where(self.programs == program)

    def _where(self, kept: NDArray[np.bool_]) -> "Examples":
        return Examples(self.programs[kept], self.features[kept], self.costs[kept])

    def __len__(self) -> int:
        return len(self.programs)


def examples_of(name: str, frozen: FrozenModule, bench: Bench) -> str:
    """A line of JSON: the program, and of each function that is run features and costs. Raises CellError."""
    features = {
        one.name: one.features
        for one in trajectory(everywhere(ALLOCATIONS[0], frozen.level), frozen, bench)
        if one.features
    }
    costs = [_costs(allocation, frozen, bench) for allocation in ALLOCATIONS]
    functions = {
        function: {"features": features[function], "costs": [one.get(function, 0.0) for one in costs]}
        for function in costs[0]
        if function in features
    }
    total = sum(costs[0].values())
    names = [tensor.name for tensor in FUNCTION_FEATURES]
    line = {"program": name, "allocations": ALLOCATIONS, "features": names, "total": total, "functions": functions}
    return json.dumps(line, separators=(",", ":"))


def _costs(allocation: str, frozen: FrozenModule, bench: Bench) -> Mapping[str, float]:
    assert frozen.program is not None, "programs of suites are run"
    plan = replay_plan(everywhere(allocation, frozen.level), frozen.target)
    made = Made(frozen.program, frozen.target, frozen, plan, compile_plan(frozen, plan, bench))
    return take_metrics(made, [COST], bench).functions[COST]


def read_examples(paths: Iterable[Path]) -> Examples:
    """What ``examples_of`` gave, of files with a line for each program."""
    programs: list[str] = []
    features: list[list[float]] = []
    costs: list[list[float]] = []
    for path in paths:
        for line in map(json.loads, path.read_text().splitlines()):
            for one in line["functions"].values():
                programs.append(line["program"])
                features.append(one["features"])
                costs.append([cost / line["total"] for cost in one["costs"]])
    return Examples(np.array(programs), np.array(features, dtype=float), np.array(costs, dtype=float))
