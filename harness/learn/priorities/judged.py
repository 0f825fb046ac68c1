"""Weights on train programs: what was judged before stands in a file, so that what was cut off goes on."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from harness.base.vocabulary import Level, Split, Target
from harness.environments.benchmarks import modules_of
from harness.learn.priorities.judge import Hot, cost_of, hot_of
from harness.learn.priorities.scorer import Weights, asked_with
from harness.sandbox.bench import Bench
from harness.suite.load import Program, load_suite

__all__ = ["Judged", "train_programs"]


def train_programs(suites: Sequence[str]) -> dict[str, Program]:
    """Name → program of these suites' train splits; one that several suites have, once."""
    return {
        program.id: program
        for suite in suites
        for program in load_suite(suite).programs
        if program.benchmark.split is Split.TRAIN and (program.home is None or program.home not in suites)
    }


class Judged:
    """A file with a line of JSON for each weights and program: ``{"weights": […], "program": …, "cost": …}``."""

    def __init__(self, path: Path, bench: Bench) -> None:
        self._path, self._bench = path, bench
        self._hot: dict[str, Hot] = {}
        self._known: dict[tuple[str, tuple[float, ...]], float] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        for line in map(json.loads, path.read_text().splitlines() if path.exists() else ()):
            self._known[line["program"], tuple(line["weights"])] = line["cost"]

    def costs(self, weights: Weights, programs: Sequence[str]) -> Mapping[str, float]:
        """Program → what it would execute. Raises CellError for a program that cannot be judged."""
        return {program: self._cost(weights, program) for program in programs}

    def gains(self, weights: Weights, programs: Sequence[str]) -> list[float]:
        """Of each program, the logarithm of what Greedy executes for what these weights do."""
        own, greedy = (self.costs(one, programs) for one in (weights, np.zeros(len(weights))))
        return [float(np.log(greedy[program] / own[program])) for program in programs]

    def _cost(self, weights: Weights, program: str) -> float:
        key = (program, tuple(map(float, weights)))
        if key not in self._known:
            hot = self._hot_of(program)
            functions = cost_of(hot, asked_with(weights, self._bench), self._bench)
            self._known[key] = sum(functions.values()) + hot.other
            line = {"program": program, "cost": self._known[key], "weights": key[1]}
            with self._path.open("a") as file:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
        return self._known[key]

    def _hot_of(self, program: str) -> Hot:
        if program not in self._hot:
            frozen = modules_of(program, Target.X86_64, Level.O3, self._bench)[program]
            self._hot[program] = hot_of(frozen, self._bench)
        return self._hot[program]
