"""The workbench: the toolchain, the cache and the limits that all cells of a run share."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from harness.paths import cache_root
from harness.store import Store
from harness.toolchain import Toolchain, find_toolchain

__all__ = ["Bench", "open_bench"]

COMPILE_TIMEOUT = 60.0
"""Seconds for each step of a plan; the slowest step of the baselines takes about five."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Picklable: an engine may send it elsewhere, where the cache is opened anew."""

    toolchain: Toolchain
    cache: Path
    compile_timeout: float = COMPILE_TIMEOUT

    @property
    def store(self) -> Store:
        """The cache."""
        return _store(self.cache)


def open_bench(compile_timeout: float = COMPILE_TIMEOUT) -> Bench:
    """The workbench of this machine. Raises PrerequisiteError when LLVM 22 or the cache is missing."""
    toolchain = find_toolchain()
    return Bench(toolchain, _store(cache_root()).root, compile_timeout)


@lru_cache(maxsize=8)
def _store(root: Path) -> Store:
    return Store(root)
