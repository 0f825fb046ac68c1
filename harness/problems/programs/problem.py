"""What the registry of problems reads: programs are benchmarks."""

from harness.base.vocabulary import PolicyKind
from harness.policy.kinds import Kind
from harness.problems.programs.benchmarks import Programs
from harness.problems.protocol import Benchmarks

__all__ = ["BENCHMARKS", "KINDS"]

BENCHMARKS: Benchmarks = Programs()
KINDS: dict[PolicyKind, Kind] = {}
