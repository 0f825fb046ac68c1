"""Inline what is worth its bytes: a body that is copied into all of its callers need not be kept.

LLVM's cost estimate is in fifths of an instruction; it has the call's own cost taken off, and 15,000 more for the
only call of a function that nobody else can call.
"""

LAST_CALL_BONUS = 15_000
FUNCTION = 30
"""What a function takes up besides its body: prologue, alignment, unwind tables."""


def decide(features: dict[str, int]) -> bool:
    """Whether to inline the call site."""
    cost = features["cost_estimate"]
    if features["last_call_to_static_bonus"] and cost < 0:
        return True
    copies = max(features["callee_users"], 1)
    kept = cost - features["callsite_cost"] + FUNCTION  # the body as it stands
    if copies <= 2:
        return copies * cost <= kept // 2
    return cost <= features["threshold"]
