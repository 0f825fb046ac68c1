"""The workbench: the toolchain, the cache, the sandbox and the limits that all cells of a run share."""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from harness.base.errors import UsageError
from harness.base.inventory import hold
from harness.base.paths import cache_root
from harness.base.store import Store
from harness.base.vocabulary import Isolation
from harness.sandbox import Sandbox
from harness.sandbox.conditions import USUAL_CONDITIONS, Conditions
from harness.toolchain import Toolchain, find_toolchain

__all__ = ["ASKED_AGAIN_AFTER", "Bench", "open_bench"]

_VARIABLE = "HARNESS_ASK_AGAIN_AFTER"
_LONGEST = 3600.0

ASKED_AGAIN_AFTER = 61.0
"""Seconds: every minute of the clock is another one by then."""
COMPILE_TIMEOUT = 60.0
"""Seconds for each step of a plan; the slowest step of the baselines takes about five."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Picklable: an engine may send it elsewhere, where the cache is opened anew."""

    toolchain: Toolchain
    cache: Path
    compile_timeout: float = COMPILE_TIMEOUT
    isolation: Isolation = Isolation.SANDBOX
    asked_again_after: float = ASKED_AGAIN_AFTER
    """Seconds from the first asking of a policy that runs code of its own to the second."""
    conditions: Conditions = USUAL_CONDITIONS
    """Of everything in the sandbox."""
    builds: Path | None = None
    """Another cache, which has what is built of the harness's own sources: a scratch cache need not build it anew."""

    @property
    def store(self) -> Store:
        """The cache."""
        return _store(self.cache, self.builds)

    @property
    def sandbox(self) -> Sandbox:
        """What runs everything that is not the harness's own. Raises PrerequisiteError where it cannot."""
        return _sandbox(self.toolchain, self.store, self.isolation, self.conditions)

    def area(self, kind: str) -> str:
        """The cache's kind of entry for what foreign code had a hand in: a run with ``--trust`` has its own."""
        return kind if self.isolation is Isolation.SANDBOX else f"{self.isolation.value}-{kind}"


def open_bench(compile_timeout: float = COMPILE_TIMEOUT, *, trust: bool = False) -> Bench:
    """The workbench of this machine. Raises PrerequisiteError when LLVM 22 or the cache is missing."""
    toolchain = find_toolchain()
    isolation = Isolation.TRUSTED if trust else Isolation.SANDBOX
    store = _store(cache_root())
    hold(store.root)  # nobody makes room in the cache while its entries are in use
    return Bench(toolchain, store.root, compile_timeout, isolation, _asked_again_after())


def _asked_again_after() -> float:
    """The usual time, or what the environment says: tests cannot wait for a minute each."""
    given = os.environ.get(_VARIABLE)
    if given is None:
        return ASKED_AGAIN_AFTER
    try:
        seconds = float(given)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _LONGEST:
        raise UsageError(f"{_VARIABLE} is {given!r}: give seconds from 0 to {_LONGEST:g}", hint=f"unset {_VARIABLE}")
    return seconds


@lru_cache(maxsize=8)
def _store(root: Path, builds: Path | None = None) -> Store:
    return Store(root, builds)


@lru_cache(maxsize=8)
def _sandbox(toolchain: Toolchain, store: Store, isolation: Isolation, conditions: Conditions) -> Sandbox:
    return Sandbox(toolchain, store, isolation, conditions)
