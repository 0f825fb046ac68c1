"""The tools that are measured with: which LLVM, which targets, which fingerprint."""

from harness.toolchain.llvm import Toolchain, find_toolchain
from harness.toolchain.targets import TARGETS, TargetSpec

__all__ = ["TARGETS", "TargetSpec", "Toolchain", "find_toolchain"]
