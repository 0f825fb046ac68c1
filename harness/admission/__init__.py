"""Admission: what a program must do before policies are compared on it (``harness suites check``)."""

from harness.admission.check import Finding, check_suite, findings_of

__all__ = ["Finding", "check_suite", "findings_of"]
