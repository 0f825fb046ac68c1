"""Options of the verbs: those of all suites of instances."""

from harness.problems.instances.declared import OPTIONS

__all__ = ["OPTIONS"]
