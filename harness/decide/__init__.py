"""Step 2, decide: a policy and a frozen module become decisions, a file that anyone can replay."""

from harness.decide.decisions import Decided, Decisions

__all__ = ["Decided", "Decisions"]
