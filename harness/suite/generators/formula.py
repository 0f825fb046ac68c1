"""Boolean formulas for satisfiability solvers, in the DIMACS format."""

from math import sqrt
from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, below, one_of

__all__ = ["formula"]

_Q = (sqrt(5.0) - 1.0) / 2.0
# Chances that one, at most two of a clause's literals are true of the hidden assignment: patterns with t true
# literals weigh q**t. With this q a literal that is true of it is as frequent as one that is not.
_TOTAL = 3 * _Q + 3 * _Q * _Q + _Q * _Q * _Q
_ONE = 3 * _Q / _TOTAL
_TWO = (3 * _Q + 3 * _Q * _Q) / _TOTAL


def _three(random: Random, variables: int) -> tuple[int, int, int]:
    """Three different variables of 1 … variables."""
    while True:
        a, b, c = (1 + below(random, variables) for _ in range(3))
        if a != b and a != c and b != c:
            return a, b, c


def _false_ones(random: Random) -> int:
    """A set of three bits: which literals of a clause are false of the hidden assignment; never all."""
    draw = random.random()
    if draw < _ONE:
        return 7 ^ 1 << below(random, 3)
    return 1 << below(random, 3) if draw < _TWO else 0


@generator("formula")
def formula(random: Random, *, variables: int = 100, ratio: int = 426, style: str = "random") -> bytes:
    """A 3-SAT formula in DIMACS cnf with ``ratio`` clauses for every 100 variables.

    ``style`` is "random" (all clauses equally likely: the satisfiable ones die out at a ratio of 427; above 520
    the expected number of solutions of many variables is next to zero) or "hidden" (satisfiable for certain, the
    solution hidden so that no literal is more frequent for it: Jia, Moore and Strain, 2005).
    """
    at_least("variables", variables, 3)
    at_least("ratio", ratio, 1)
    one_of("style", style, ("hidden", "random"))
    hidden = random.getrandbits(variables)
    clauses = variables * ratio // 100
    lines = [f"p cnf {variables} {clauses}"]
    for _ in range(clauses):
        chosen = _three(random, variables)
        if style == "random":
            negated = below(random, 8)
        else:
            negated = _false_ones(random)
            for place, variable in enumerate(chosen):
                negated ^= (~hidden >> (variable - 1) & 1) << place
        literals = [-v if negated >> place & 1 else v for place, v in enumerate(chosen)]
        lines.append(" ".join(map(str, literals)) + " 0")
    return ("\n".join(lines) + "\n").encode("ascii")
