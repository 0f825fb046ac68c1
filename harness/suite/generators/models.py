"""Linear and integer programming problems, in the LP format of CPLEX.

All numbers are integers, every problem is feasible, and none is unbounded.
"""

from collections.abc import Iterable, Sequence
from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, below, between, one_of, pick

__all__ = ["lp"]

Row = tuple[dict[str, int], str, int]
"""Coefficients, the relation and the right-hand side."""


def _sum(terms: Iterable[tuple[str, int]]) -> str:
    """A sum over several lines of moderate length."""
    out = ""
    column = 0
    for name, factor in terms:
        term = f" {'-' if factor < 0 else '+'} {abs(factor)} {name}"
        if column + len(term) > 76:
            out += "\n  "
            column = 2
        out += term
        column += len(term)
    return out


def _problem(
    sense: str, objective: dict[str, int], rows: Sequence[Row], bounds: Sequence[str], integers: Sequence[str]
) -> bytes:
    lines = [sense, " cost:" + _sum(objective.items()), "Subject To"]
    lines += [f" r{n}:{_sum(row.items())} {relation} {side}" for n, (row, relation, side) in enumerate(rows)]
    if bounds:
        lines += ["Bounds", *(f" {bound}" for bound in bounds)]
    if integers:
        lines += ["General", *(f" {name}" for name in integers)]
    return "".join(f"{line}\n" for line in (*lines, "End")).encode("ascii")


def _transport(random: Random, rows: int, columns: int) -> bytes:
    """Goods from plants to shops at the least cost; one in four routes is closed."""
    supply = [between(random, 20, 100) for _ in range(rows)]
    wanted = sum(supply) * 4 // 5
    demand = [wanted * part // (50 * columns) for part in (between(random, 25, 50) for _ in range(columns))]
    routes = {
        (i, j): between(random, 3, 60) for i in range(rows) for j in range(columns) if i == 0 or random.random() < 0.75
    }
    supply[0] += sum(demand)  # the first plant reaches every shop, dearly
    cost = {f"x{i}_{j}": price + (200 if i == 0 else 0) for (i, j), price in routes.items()}
    table: list[Row] = [
        ({f"x{i}_{j}": 1 for j in range(columns) if (i, j) in routes}, "<=", supply[i]) for i in range(rows)
    ]
    table += [({f"x{i}_{j}": 1 for i in range(rows) if (i, j) in routes}, ">=", demand[j]) for j in range(columns)]
    return _problem("Minimize", cost, table, [], [])


def _packing(random: Random, rows: int, columns: int, density: int) -> bytes:
    """The most profitable mix of products, with limited resources and a limit for each product."""
    use: list[dict[str, int]] = [{} for _ in range(rows)]
    profit = {}
    for j in range(columns):
        chosen = [i for i in range(rows) if random.random() * 100 < density] or [below(random, rows)]
        total = 0
        for i in chosen:
            use[i][f"x{j}"] = between(random, 1, 40)
            total += use[i][f"x{j}"]
        profit[f"x{j}"] = total * between(random, 60, 140) // 100 + 1
    table: list[Row] = [(row, "<=", sum(row.values()) * between(random, 3, 9)) for row in use if row]
    return _problem("Maximize", profit, table, [f"x{j} <= {between(random, 5, 30)}" for j in range(columns)], [])


def _cover(random: Random, rows: int, columns: int) -> bytes:
    """The cheapest choice of crews such that every flight has one."""
    member: list[dict[str, int]] = [{} for _ in range(rows)]
    cost = {}
    for j in range(columns):
        flights = {below(random, rows) for _ in range(between(random, 3, 9))}
        for i in flights:
            member[i][f"x{j}"] = 1
        cost[f"x{j}"] = 10 * len(flights) + between(random, 0, 25)
    for row in member:
        while len(row) < 2:
            row[f"x{below(random, columns)}"] = 1
    names = list(cost)
    table: list[Row] = [(row, ">=", 1) for row in member]
    return _problem("Minimize", cost, table, [f"{name} <= 1" for name in names], names)


def _knapsacks(random: Random, rows: int, columns: int) -> bytes:
    """The most valuable load that respects the limits of several knapsacks, each thing taken 0 to 2 times."""
    weights = [{f"x{j}": between(random, 5, 60) for j in range(columns)} for _ in range(rows)]
    value = {f"x{j}": sum(row[f"x{j}"] for row in weights) // rows + between(random, 1, 25) for j in range(columns)}
    table: list[Row] = [(row, "<=", sum(row.values()) * pick(random, (2, 3)) // 4) for row in weights]
    names = list(value)
    return _problem("Maximize", value, table, [f"{name} <= 2" for name in names], names)


@generator("lp")
def lp(random: Random, *, kind: str = "packing", rows: int = 20, columns: int = 40, density: int = 30) -> bytes:
    """A problem with about ``rows`` constraints: "packing" (of ``density`` percent), "transport", "cover", "knapsacks".

    The first two have ``columns`` variables (shops, for a transport problem: a variable for each route);
    the last two have ``columns`` integer variables.
    """
    one_of("kind", kind, ("packing", "transport", "cover", "knapsacks"))
    at_least("rows", rows, 1)
    at_least("columns", columns, 2)
    one_of("density", density, range(1, 101))
    if kind == "packing":
        return _packing(random, rows, columns, density)
    if kind == "transport":
        return _transport(random, rows, columns)
    if kind == "cover":
        return _cover(random, rows, columns)
    return _knapsacks(random, rows, columns)
