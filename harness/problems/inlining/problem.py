"""What the registry of problems reads: what is asked of inlining policies."""

from harness.problems.inlining.deciders import InliningProblem

__all__ = ["POLICIES"]

POLICIES = InliningProblem()
