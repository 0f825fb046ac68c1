"""Orders live ranges from what Greedy knows of each (docs/regalloc.md)."""


def decide(features: dict[str, float]) -> float:
    """The priority of a live range, from 0 to 2^32 - 1: what has the highest is allocated first."""
    return float(features["li_size"])
