"""What inlining policies are about: the features of a call site, and what is done with a decision."""

__all__ = ["INLINING"]

INLINING = "inlining"
"""The problem's name, in manifests and decisions."""
