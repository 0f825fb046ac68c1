"""Admission: what a program must do before policies are compared on it (``harness suites check``)."""

from harness.problems.programs.admission.check import Admission, check_suite, findings_of
from harness.problems.programs.admission.definition import definition_findings, tree_findings
from harness.problems.programs.admission.findings import Finding, placed

__all__ = ["Admission", "Finding", "check_suite", "definition_findings", "findings_of", "placed", "tree_findings"]
