"""Functions of programs: what is known of each, and what it executes and costs under each of several allocations."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.apply import compile_plan
from harness.freeze import FrozenModule
from harness.problems.programs.take import Made, take_metrics
from harness.problems.regalloc.features import FUNCTION_FEATURES
from harness.problems.regalloc.replay import everywhere, replay_plan
from harness.problems.regalloc.trajectories.collect import trajectory
from harness.sandbox.bench import Bench

__all__ = ["ALLOCATIONS", "COST", "EXECUTED", "STATIC", "Examples", "examples_of", "read_examples"]

ALLOCATIONS = ("default", "weight", "constant", "basic", "size", *(f"seeded-{seed}" for seed in range(11)))
"""What a function may have; the first is Greedy's own."""
COST = "mca.cycles"
"""What a tree is to save: llvm-mca's cycles of the blocks of a function, by how often each was run."""
EXECUTED = ("accesses", COST, "instructions")
"""What an allocation is worth."""
STATIC = ("mca.static", "spills.static", "reloads.static", "spills", "reloads")
"""What can be known of it without a run."""

_TAKEN = ("loads", "stores", "accesses", COST, "instructions", *STATIC)


@dataclass(frozen=True)
class Examples:
    """Functions that were run."""

    programs: NDArray[np.str_]
    """(functions,): where each is from."""
    features: NDArray[np.float64]
    """(functions, features): in the order of ``FUNCTION_FEATURES``."""
    measured: Mapping[str, NDArray[np.float64]]
    """Metric → (functions, allocations): what the function has of it; of ``EXECUTED``, as a share of its program under
    Greedy."""

    @property
    def costs(self) -> NDArray[np.float64]:
        """(functions, allocations): share of the cycles of its program under Greedy."""
        return self.measured[COST]

    def without(self, program: str) -> "Examples":
        """Those of other programs."""
        return self._where(self.programs != program)

    def of(self, program: str) -> "Examples":
        """Those of one program."""
        return self._where(self.programs == program)

    def _where(self, kept: NDArray[np.bool_]) -> "Examples":
        measured = {metric: values[kept] for metric, values in self.measured.items()}
        return Examples(self.programs[kept], self.features[kept], measured)

    def __len__(self) -> int:
        return len(self.programs)


def examples_of(name: str, frozen: FrozenModule, bench: Bench) -> str:
    """A line of JSON: the program, and of each function that is run features and costs. Raises CellError."""
    features = {
        one.name: one.features
        for one in trajectory(everywhere(ALLOCATIONS[0], frozen.level), frozen, bench)
        if one.features
    }
    taken = [_taken(allocation, frozen, bench) for allocation in ALLOCATIONS]
    functions = {
        function: {
            "features": features[function],
            **{metric: [one[metric][1].get(function, 0) for one in taken] for metric in taken[0]},
        }
        for function in taken[0][COST][1]
        if function in features
    }
    line = {
        "program": name,
        "allocations": ALLOCATIONS,
        "features": [tensor.name for tensor in FUNCTION_FEATURES],
        "totals": {metric: value for metric, (value, _) in taken[0].items()},
        "functions": functions,
    }
    return json.dumps(line, separators=(",", ":"))


def _taken(allocation: str, frozen: FrozenModule, bench: Bench) -> Mapping[str, tuple[float, Mapping[str, float]]]:
    """Metric → what the program has of it, and each function."""
    assert frozen.program is not None, "programs of suites are run"
    plan = replay_plan(everywhere(allocation, frozen.level), frozen.target)
    made = Made(frozen.program, frozen.target, frozen, plan, compile_plan(frozen, plan, bench))
    taken = take_metrics(made, _TAKEN, bench)
    loads, stores = taken.functions["loads"], taken.functions["stores"]
    accesses = {name: loads.get(name, 0) + stores.get(name, 0) for name in {*loads, *stores}}
    functions = {**taken.functions, "accesses": accesses}
    return {metric: (taken.values[metric], functions[metric]) for metric in (*EXECUTED, *STATIC)}


def read_examples(paths: Iterable[Path]) -> Examples:
    """What ``examples_of`` gave, of files with a line for each program."""
    programs: list[str] = []
    features: list[list[float]] = []
    measured: dict[str, list[list[float]]] = {metric: [] for metric in (*EXECUTED, *STATIC)}
    for path in paths:
        for line in map(json.loads, path.read_text().splitlines()):
            for one in line["functions"].values():
                programs.append(line["program"])
                features.append(one["features"])
                for metric, values in measured.items():
                    values.append(_shares(metric, one[metric], line["totals"]))
    arrays = {metric: np.array(values, dtype=float) for metric, values in measured.items()}
    return Examples(np.array(programs), np.array(features, dtype=float), arrays)


def _shares(metric: str, values: list[float], totals: Mapping[str, Any]) -> list[float]:
    return [value / totals[metric] for value in values] if metric in EXECUTED else values
