"""Decides call sites from LLVM's 38 features of each (docs/inlining.md)."""


def decide(features: dict[str, int]) -> bool:
    """Whether to inline the call site. Costs are in LLVM's units, five for an instruction."""
    return features["cost_estimate"] <= 5
