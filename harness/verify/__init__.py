"""Step 4, verify: every workload's output and exit status equal the reference's."""

from harness.verify.link import link_program
from harness.verify.verify import Expected, expected_results, verify

__all__ = ["Expected", "expected_results", "link_program", "verify"]
