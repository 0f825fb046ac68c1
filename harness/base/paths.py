"""Where things are on disk: what comes with the harness, the cache, the results. Nothing else knows paths.

What comes with the harness lies beside the package in a checkout, and inside it where it was installed from a wheel.
"""

import os
from pathlib import Path

from harness.base.errors import UsageError

__all__ = [
    *(
        "BASELINES",
        "COMMIT",
        "GLOSSARY",
        "NATIVE_SOURCES",
        "PINNED",
        "RECORDED",
        "ROOT",
        "SUBMISSIONS",
        "SUITES",
        "cache_root",
        "checkout",
    ),
    *("at_home", "default_results", "usual_results"),
]

_PACKAGE = Path(__file__).resolve().parents[1]
_CARRIED = _PACKAGE / "data"
"""In a wheel alone (``pyproject.toml``)."""

ROOT = _CARRIED if _CARRIED.is_dir() else _PACKAGE.parent
"""What has the suites, the policies and the native sources: a checkout, or a folder of the installed package."""

SUITES = ROOT / "suites"
BASELINES = ROOT / "baselines"
SUBMISSIONS = ROOT / "submissions"
NATIVE_SOURCES = ROOT / "native"
GLOSSARY = ROOT / "docs" / "glossary.md"
PINNED = ROOT / "requirements" / "debian.txt"
"""Exact versions of Debian's packages; in a checkout alone."""
RECORDED = ROOT / "results"
"""The project's own results."""
COMMIT = ROOT / "commit.json"
"""In a wheel alone: which commit it was built from."""


def checkout() -> Path | None:
    """The checkout that the harness runs from; None where it was installed."""
    return None if _CARRIED.is_dir() else ROOT


def at_home(path: str | Path) -> Path:
    """The path with ``~`` or ``~USER`` at its beginning as that user's home. Raises UsageError where there is none."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        whose = Path(path).parts[0]
        hint = "write the whole path" if len(whose) > 1 else "write the whole path, or set HOME"
        raise UsageError(f"there is no home that {whose!r} could stand for", where=str(path), hint=hint) from None


def cache_root() -> Path:
    """``HARNESS_CACHE``, or ``llvm-harness`` in the user's cache folder."""
    if configured := os.environ.get("HARNESS_CACHE"):
        return at_home(configured).resolve()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return at_home(base).resolve() / "llvm-harness"


def default_results() -> Path:
    """``HARNESS_RESULTS``, or the usual folder."""
    if configured := os.environ.get("HARNESS_RESULTS"):
        return at_home(configured).resolve()
    return usual_results()


def usual_results() -> Path:
    """``results`` of the current folder; of the checkout, for who is in the checkout that the harness runs from."""
    here, own = Path("results").absolute(), checkout()
    return RECORDED if own is not None and here.resolve().is_relative_to(own) else here.resolve()
