"""What inlining policies are about: the features of a call site, and what is done with a decision."""

from harness.base.vocabulary import PolicyKind

__all__ = ["INLINING"]

INLINING = frozenset({PolicyKind.INLINER, PolicyKind.HEURISTIC})
"""Kinds of policy that decide what to inline."""
