"""Where things are on disk: the repository, the cache, the results. Nothing else knows paths."""

import os
from pathlib import Path

__all__ = ["BASELINES", "ROOT", "SUBMISSIONS", "SUITES", "cache_root", "default_results"]

ROOT = Path(__file__).resolve().parents[2]
"""The checkout that holds the package, the suites and the submissions."""

SUITES = ROOT / "suites"
BASELINES = ROOT / "baselines"
SUBMISSIONS = ROOT / "submissions"


def cache_root() -> Path:
    """``HARNESS_CACHE``, or ``llvm-harness`` in the user's cache folder."""
    if configured := os.environ.get("HARNESS_CACHE"):
        return Path(configured).expanduser().resolve()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().resolve() / "llvm-harness"


def default_results() -> Path:
    """``HARNESS_RESULTS``, or ``results`` in the repository."""
    if configured := os.environ.get("HARNESS_RESULTS"):
        return Path(configured).expanduser().resolve()
    return ROOT / "results"
