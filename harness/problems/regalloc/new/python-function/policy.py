"""Chooses what allocates a function, from what is known before (docs/regalloc.md lists features and allocations)."""

GREEDY, WEIGHT = 0, 4
"""Positions in the list of allocations."""


def decide(features: dict[str, float]) -> int:
    """Greedy by spill weight where more integers are live than there are registers, else as it is."""
    return WEIGHT if features["general_excess"] > 0 else GREEDY
