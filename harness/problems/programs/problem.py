"""What the registry of problems reads: programs are benchmarks."""

from harness.problems.programs.benchmarks import Programs
from harness.problems.protocol import Benchmarks

__all__ = ["BENCHMARKS"]

BENCHMARKS: Benchmarks = Programs()
