"""What a function's code is said to cost before it has run: a sum of metrics, as ``mca.static + 0.5 spills.static``."""

import math
import re
from collections.abc import Mapping

__all__ = ["COSTS", "Cost", "cost_of", "parse_cost"]

COSTS = ("mca.static", "spills.static", "reloads.static", "spills", "reloads")
"""Metrics that every function has a part of, and that no run is needed for."""
Cost = Mapping[str, float]
"""Metric → how much one of its units costs."""

_TERM = re.compile(r"(?:(\d{1,6}(?:\.\d{1,6})?) +)?([a-z.]{1,20})")


def parse_cost(text: str) -> Cost:
    """Raises ValueError, saying what is wrong, for what is no sum of these metrics."""
    found: dict[str, float] = {}
    for part in text.split("+"):
        term = _TERM.fullmatch(part.strip())
        if term is None or term[2] not in COSTS:
            raise ValueError(f"{part.strip()!r} is none of {', '.join(COSTS)}")
        if term[2] in found:
            raise ValueError(f"{term[2]} is twice in the sum")
        found[term[2]] = float(term[1] or 1)
    if not math.fsum(found.values()):
        raise ValueError("everything costs nothing")
    return found


def cost_of(function: str, parts: Mapping[str, Mapping[str, float]], cost: Cost) -> float:
    """``parts``: metric → function → what it has of it."""
    return math.fsum(weight * parts[metric].get(function, 0.0) for metric, weight in cost.items())
