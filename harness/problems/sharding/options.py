"""Options of the verbs: those of all suites of instances."""

from harness.problems.instances.declared import OPTIONS, SUITE_WORDS

__all__ = ["OPTIONS", "SUITE_WORDS"]
