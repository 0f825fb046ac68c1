"""Kind ``heuristic``: one C++ file with a decision function of LLVM's, and its tunable constants."""

from harness.policy.heuristic.kind import HeuristicKind

__all__ = ["HeuristicKind"]
