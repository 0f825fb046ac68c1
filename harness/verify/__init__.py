"""Step 4, verify: every workload's output and exit status equal the reference's."""

from harness.verify.counter import require_counter
from harness.verify.link import link_program
from harness.verify.verify import CountedRun, Expected, Trial, expected_results, result_besides, verify, verify_counted

__all__ = [
    "CountedRun",
    "Expected",
    "Trial",
    "expected_results",
    "link_program",
    "require_counter",
    "result_besides",
    "verify",
    "verify_counted",
]
