"""mcf of spec-like finds flows of least cost, and takes them apart into paths.

The cost is found a second time by another method: residual arcs of negative cost are filled first,
then the shortest path with room from a node that has too much to one that has too little, until
there is none. Nothing here is about levels, targets or speed.
"""

import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from harness.suite.generators import generate
from harness.toolchain import find_toolchain

SOURCES = Path(__file__).parents[2] / "suites" / "spec-like" / "src"

Run = Callable[..., list[str]]


@dataclass
class Problem:
    supply: dict[int, int] = field(default_factory=dict)
    arcs: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    """tail, head, lower bound, capacity, cost"""
    nodes: int = 0

    def text(self) -> str:
        lines = [f"p min {self.nodes} {len(self.arcs)}"]
        lines += [f"n {node} {amount}" for node, amount in self.supply.items()]
        lines += ["a " + " ".join(map(str, arc)) for arc in self.arcs]
        return "\n".join(lines) + "\n"


def parse(text: str) -> Problem:
    problem = Problem()
    for line in text.splitlines():
        kind, *words = line.split()
        if kind == "p":
            problem.nodes = int(words[1])
        elif kind == "n":
            problem.supply[int(words[0])] = int(words[1])
        elif kind == "a":
            tail, head, low, capacity, cost = map(int, words)
            problem.arcs.append((tail, head, low, capacity, cost))
    return problem


def random_problem(seed: int, nodes: int, arcs: int, *, cheapest: int = 0, lows: bool = False) -> Problem:
    random = Random(seed)
    problem = Problem(nodes=nodes)
    for _ in range(arcs):
        tail, head = random.sample(range(1, nodes + 1), 2)
        capacity = random.randint(0, 9)
        low = random.randint(0, min(2, capacity)) if lows and random.random() < 0.2 else 0
        problem.arcs.append((tail, head, low, capacity, random.randint(cheapest, 30)))
    balance: Counter[int] = Counter()
    for _ in range(nodes):
        source, sink = random.sample(range(1, nodes + 1), 2)
        amount = random.randint(1, 3)
        balance[source] += amount
        balance[sink] -= amount
    problem.supply = {node: amount for node, amount in balance.items() if amount}
    return problem


def least_cost(problem: Problem) -> int | None:
    """The least cost of a feasible flow, by successive shortest paths; None when there is none."""
    excess = [0] * (problem.nodes + 1)
    for node, amount in problem.supply.items():
        excess[node] = amount
    ends: list[tuple[int, int]] = []
    room: list[int] = []
    costs: list[int] = []
    total = 0
    for tail, head, low, capacity, cost in problem.arcs:
        flow = capacity if cost < 0 else low
        excess[tail] -= flow
        excess[head] += flow
        total += flow * cost
        ends += [(tail, head), (head, tail)]
        room += [capacity - flow, flow - low]
        costs += [cost, -cost]
    leaving = defaultdict(list)
    for arc, (tail, _) in enumerate(ends):
        leaving[tail].append(arc)
    while max(excess) > 0:
        distance = {node: 0 for node in range(1, problem.nodes + 1) if excess[node] > 0}
        came_by: dict[int, int] = {}
        queue = list(distance)
        for node in queue:
            for arc in leaving[node]:
                head = ends[arc][1]
                if room[arc] and (head not in distance or distance[node] + costs[arc] < distance[head]):
                    distance[head] = distance[node] + costs[arc]
                    came_by[head] = arc
                    queue.append(head)
        wanting = [node for node in distance if excess[node] < 0]
        if not wanting:
            return None
        end = node = min(wanting, key=lambda n: distance[n])
        path = []
        while node in came_by:
            path.append(came_by[node])
            node = ends[came_by[node]][0]
        amount = min(excess[node], -excess[end], *(room[arc] for arc in path))
        for arc in path:
            room[arc] -= amount
            room[arc ^ 1] += amount
            total += amount * costs[arc]
        excess[node] -= amount
        excess[end] += amount
    return total


@pytest.fixture(scope="module")
def mcf(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Compile the program, once; gives the lines that it prints for a problem."""
    folder = tmp_path_factory.mktemp("mcf")
    files = sorted(str(path) for path in (SOURCES / "mcf").glob("*.c"))
    command = [find_toolchain().tool("clang"), "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", *files]
    subprocess.run([*command, "-o", str(folder / "mcf")], check=True, timeout=120)

    def run(text: str | None, *options: str, status: int = 0) -> list[str]:
        if text is not None:
            (folder / "problem").write_text(text)
        command = [folder / "mcf", *options, *(["problem"] if text is not None else [])]
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60)
        assert done.returncode == status, done.stdout.decode() + done.stderr.decode()
        assert (status == 2) == bool(done.stderr)
        return done.stdout.decode().splitlines()

    return run


def check_answer(problem: Problem, lines: Sequence[str]) -> int:
    """The cost that is printed, having checked flow and paths against the problem."""
    cost = next(int(line.split()[1]) for line in lines if line.startswith("s "))
    flow: Counter[tuple[int, int]] = Counter()
    balance: Counter[int] = Counter(problem.supply)
    for line in lines:
        if line.startswith("f "):
            tail, head, amount = map(int, line.split()[1:])
            flow[tail, head] += amount
            balance[tail] -= amount
            balance[head] += amount
    assert not any(balance.values())
    least: Counter[tuple[int, int]] = Counter()
    most: Counter[tuple[int, int]] = Counter()
    for tail, head, low, capacity, _ in problem.arcs:
        least[tail, head] += low
        most[tail, head] += capacity
    assert all(least[ends] <= flow[ends] <= most[ends] for ends in most)
    assert all(ends in most for ends in flow)

    in_paths: Counter[tuple[int, int]] = Counter()
    sent: Counter[int] = Counter()
    total = 0
    for line in lines:
        if match := re.fullmatch(r"(path|cycle) (\d+) cost (-?\d+): ([\d ]+)", line):
            amount, nodes = int(match[2]), [int(node) for node in match[4].split()]
            for ends in pairwise(nodes):
                in_paths[ends] += amount
            total += amount * int(match[3])
            assert len(set(nodes)) == len(nodes) - (match[1] == "cycle")
            assert (nodes[0] == nodes[-1]) == (match[1] == "cycle")
            sent[nodes[0]] += amount
            sent[nodes[-1]] -= amount
    assert in_paths == flow
    assert total == cost
    assert {node: amount for node, amount in sent.items() if amount} == problem.supply
    return cost


@pytest.mark.parametrize("options", [["-p", "all"], ["-k", "1", "-p", "all"], ["-k", "3"]])
@pytest.mark.parametrize(("cheapest", "lows"), [(0, False), (0, True), (-15, False), (-15, True)])
def test_random_problems(mcf: Run, options: list[str], cheapest: int, lows: bool) -> None:
    feasible = 0
    for seed in range(12):
        nodes = 6 + seed
        problem = random_problem(seed, nodes, nodes * 6, cheapest=cheapest, lows=lows)
        expected = least_cost(problem)
        lines = mcf(problem.text(), *options)
        if expected is None:
            assert any(line.startswith("infeasible: ") for line in lines)
        else:
            assert {int(line.split()[1]) for line in lines if line.startswith("s ")} == {expected}
            feasible += 1
            lines = mcf(problem.text(), *[o for o in options if o not in ("-p", "all")], "-f", "-d")
            assert check_answer(problem, lines) == expected
    assert feasible > 3


@pytest.mark.parametrize("rule", ["basket", "block", "best"])
@pytest.mark.parametrize("keep", ["0", "2"])
def test_transshipment(mcf: Run, rule: str, keep: str) -> None:
    text = generate("transshipment", 3, {"nodes": 48, "arcs": 260, "units": 90}).decode()
    problem = parse(text)
    assert check_answer(problem, mcf(text, "-p", rule, "-k", keep, "-f", "-d")) == least_cost(problem)


@pytest.mark.parametrize("keep", ["0", "2"])
def test_timetable(mcf: Run, keep: str) -> None:
    trips = 60
    text = generate("timetable", 4, {"trips": trips, "links": 6, "stations": 9, "lines": 6}).decode()
    problem = parse(text)
    lines = mcf(text, "-k", keep, "-f", "-d")
    assert check_answer(problem, lines) == least_cost(problem)
    duties = [[int(node) for node in line.split()[4:]] for line in lines if line.startswith("path ")]
    served = [node for duty in duties for node in duty if node > 2]
    assert sorted(served) == list(range(3, 3 + 2 * trips)), "every trip is run once"
    assert all(duty[0] == 1 and duty[-1] == 2 for duty in duties)


@pytest.mark.parametrize("style", ["timetable", "transshipment"])
def test_generated_problems_have_a_solution(mcf: Run, style: str) -> None:
    for seed in range(20, 26):
        lines = mcf(generate(style, seed, {}).decode(), "-k", "4")
        assert any(line.startswith("s ") for line in lines)


def test_costs_may_fill_64_bits(mcf: Run) -> None:
    amount, cost = 10**9, 10**9
    text = (
        f"p min 3 3\nn 1 {amount}\nn 3 -{amount}\na 1 2 0 {amount} {cost}\na 2 3 0 {amount} {cost}\na 1 3 0 5 {cost}\n"
    )
    lines = mcf(text)
    assert f"s {2 * amount * cost - 5 * cost}" in lines
    more = text.replace("p min 3 3", "p min 3 6") + 3 * f"a 1 2 0 {amount} {cost}\n"
    mcf(more, status=2)


def test_too_little_room_is_infeasible(mcf: Run) -> None:
    assert "infeasible: 3 units cannot be sent" in mcf("p min 2 1\nn 1 7\nn 2 -7\na 1 2 0 4 1\n")
    assert "infeasible: 7 units cannot be sent" in mcf("p min 2 1\nn 1 7\nn 2 -7\na 2 1 0 9 1\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "c nothing\n",
        "p max 2 1\na 1 2 0 1 1\n",
        "n 1 3\np min 2 0\n",
        "p min 2 0\np min 2 0\n",
        "p min 1 0\n",
        "p min 2 1\n",
        "p min 2 1\na 1 2 0 1 1\na 1 2 0 1 1\n",
        "p min 2 1\na 1 3 0 1 1\n",
        "p min 2 1\na 0 2 0 1 1\n",
        "p min 2 1\na 1 1 0 1 1\n",
        "p min 2 1\na 1 2 2 1 1\n",
        "p min 2 1\na 1 2 -1 1 1\n",
        "p min 2 1\na 1 2 0 1\n",
        "p min 2 1\na 1 2 0 1 1 1\n",
        "p min 2 1\na 1 2 0 99999999999 1\n",
        "p min 2 1\nn 1 1\nn 1 2\nn 2 -3\na 1 2 0 1 1\n",
        "p min 2 1\nn 1 1\na 1 2 0 1 1\n",
        "p min 2 1\nx 1 2\n",
    ],
)
def test_bad_problems_are_refused(mcf: Run, text: str) -> None:
    mcf(text, status=2)


def test_bad_usage_is_refused(mcf: Run) -> None:
    text = "p min 2 1\na 1 2 0 1 1\n"
    mcf(None, status=2)
    mcf(None, "absent", status=2)
    for options in (["-q"], ["-p", "worst"], ["-k", "x"], ["-k", "-1"]):
        mcf(text, *options, status=2)
    mcf(None, "problem", "-k", status=2)
