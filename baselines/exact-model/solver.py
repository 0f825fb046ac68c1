"""An exact model: the instance as a mixed-integer program, solved by HiGHS.

A variable for each strategy of a node (binary, one of a node is 1) and for each two strategies that an edge joins
(continuous: its rows and columns sum to the nodes' variables, so that it is their product). Choices that cost 10^18 or
more are left out where there are others; where nothing fits without them, what is printed is the assignment of least
memory. Memory is a row for each moment at which some node begins to live before the next one ends; bytes are divided by
their greatest common divisor. Every improvement is judged here, in whole numbers, before it is printed. Instances with
too many variables get the assignment of least memory.
"""

import json
import math
import os
import sys
import time
from itertools import product
from typing import Any

import highspy
import numpy as np

STARTED = time.monotonic()
MARGIN = 1.5
"""Seconds that are left for ending."""
FORBIDDEN = 10**18
MOST_VARIABLES = 400_000


class Problem:
    """The instance, read."""

    def __init__(self, path: str) -> None:
        with open(path) as file:
            problem = json.load(file)["problem"]
        self.costs: list[list[int]] = problem["nodes"]["costs"]
        self.usages: list[list[int]] = problem["nodes"]["usages"]
        self.intervals: list[list[int]] = problem["nodes"]["intervals"]
        self.limit: int | None = problem.get("usage_limit")
        self.edges: list[tuple[int, int, list[int]]] = [
            (a, b, table) for (a, b), table in zip(problem["edges"]["nodes"], problem["edges"]["costs"], strict=True)
        ]

    def moments(self) -> list[list[int]]:
        """Nodes that live together, for each moment after which one ends before the next begins."""
        begins: dict[int, list[int]] = {}
        ends: dict[int, list[int]] = {}
        for node, (begin, end) in enumerate(self.intervals):
            if begin < end:
                begins.setdefault(begin, []).append(node)
                ends.setdefault(end, []).append(node)
        alive: set[int] = set()
        found: list[list[int]] = []
        grown = False
        for moment in sorted({*begins, *ends}):
            if grown and moment in ends:
                found.append(sorted(alive))
                grown = False
            alive.difference_update(ends.get(moment, ()))
            alive.update(begins.get(moment, ()))
            grown = grown or moment in begins
        return found

    def cost(self, chosen: list[int]) -> int:
        """Exact."""
        total = sum(costs[x] for costs, x in zip(self.costs, chosen, strict=True))
        return total + sum(table[chosen[a] * len(self.costs[b]) + chosen[b]] for a, b, table in self.edges)

    def fits(self, chosen: list[int]) -> bool:
        """Whether there is memory for it."""
        limit = self.limit
        return limit is None or all(sum(self.usages[i][chosen[i]] for i in live) <= limit for live in self.moments())


class Model:
    """The program: columns of nodes and edges, and the rows that join them."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.columns = [self._allowed(costs) for costs in problem.costs]
        self.costs: list[float] = []
        self.closed: list[int] = []  # columns that must be 0
        self.nodes: list[dict[int, int]] = []  # node → strategy → column
        for costs, allowed in zip(problem.costs, self.columns, strict=True):
            self.nodes.append({x: self._column(costs[x]) for x in allowed})
        self.binaries = len(self.costs)
        self.rows: list[tuple[float, float, list[int], list[float]]] = []
        for columns in self.nodes:
            self._row(1.0, 1.0, dict.fromkeys(columns.values(), 1.0))
        for a, b, table in problem.edges:
            self._edge(a, b, table)
        self._memory()

    @staticmethod
    def _allowed(costs: list[int]) -> list[int]:
        return [x for x, cost in enumerate(costs) if cost < FORBIDDEN] or list(range(len(costs)))

    def _column(self, cost: float) -> int:
        self.costs.append(float(cost))
        return len(self.costs) - 1

    def _row(self, low: float, high: float, entries: dict[int, float]) -> None:
        self.rows.append((low, high, list(entries), list(entries.values())))

    def _edge(self, a: int, b: int, table: list[int]) -> None:
        width = len(self.problem.costs[b])
        if a == b:
            for x, column in self.nodes[a].items():
                if table[x * width + x] < FORBIDDEN:
                    self.costs[column] += table[x * width + x]
                else:
                    self.closed.append(column)
            return
        pairs = {
            (x, y): self._column(table[x * width + y])
            for x, y in product(self.nodes[a], self.nodes[b])
            if table[x * width + y] < FORBIDDEN
        }
        for side, node in ((0, a), (1, b)):
            for strategy, column in self.nodes[node].items():
                entries = {pair: 1.0 for names, pair in pairs.items() if names[side] == strategy}
                self._row(0.0, 0.0, {column: -1.0, **entries})

    def _memory(self) -> None:
        limit, usages = self.problem.limit, self.problem.usages
        if limit is None:
            return
        unit = math.gcd(*(usage for vector in usages for usage in vector)) or 1
        for live in self.problem.moments():
            entries = {
                column: usages[node][x] / unit
                for node in live
                for x, column in self.nodes[node].items()
                if usages[node][x]
            }
            if sum(max(usages[node]) for node in live) > limit:
                self._row(-highspy.kHighsInf, float(limit // unit), entries)

    def program(self) -> Any:
        """For HiGHS."""
        count = len(self.costs)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = count, len(self.rows)
        lp.col_cost_ = np.array(self.costs)
        lp.col_lower_, upper = np.zeros(count), np.ones(count)
        upper[self.closed] = 0
        lp.col_upper_ = upper
        lp.row_lower_ = np.array([row[0] for row in self.rows])
        lp.row_upper_ = np.array([row[1] for row in self.rows])
        starts = np.cumsum([0, *(len(row[2]) for row in self.rows)])
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = starts
        lp.a_matrix_.index_ = np.array([column for row in self.rows for column in row[2]])
        lp.a_matrix_.value_ = np.array([value for row in self.rows for value in row[3]])
        integer, continuous = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
        lp.integrality_ = [integer] * self.binaries + [continuous] * (count - self.binaries)
        return lp

    def assignment(self, values: Any) -> list[int]:
        """Of the columns' values."""
        return [max(columns, key=lambda x, columns=columns: values[columns[x]]) for columns in self.nodes]


def main(path: str, seconds: float) -> None:
    """Solve, and print each improvement."""
    problem = Problem(path)
    best = [min(range(len(usages)), key=usages.__getitem__) for usages in problem.usages]
    lowest = problem.cost(best)
    print(best, flush=True)
    variables = sum(map(len, problem.costs)) + sum(len(table) for _, _, table in problem.edges)
    if variables > MOST_VARIABLES:
        print(f"{variables} variables: too many for an exact model", file=sys.stderr)
        return
    model = Model(problem)

    def improve(values: Any) -> None:
        nonlocal best, lowest
        chosen = model.assignment(values)
        if problem.fits(chosen) and (cost := problem.cost(chosen)) < lowest:
            best, lowest = chosen, cost
            print(best, flush=True)

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", len(os.sched_getaffinity(0)))
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 0.5)  # costs are whole numbers
    solver.setOptionValue("time_limit", max(0.1, seconds - MARGIN - (time.monotonic() - STARTED)))
    solver.passModel(model.program())
    solver.cbMipImprovingSolution += lambda event: improve(event.data_out.mip_solution)
    solver.run()
    values = solver.getSolution().col_value
    if values:
        improve(values)
    print(solver.modelStatusToString(solver.getModelStatus()), file=sys.stderr)


main(sys.argv[1], float(sys.argv[2]))
