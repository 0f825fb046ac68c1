"""A benchmark and leaderboard harness that compares optimisation policies on stock LLVM 22.

The flow has one direction, one sub-package a step::

    suite ─► freeze ─► decide ─► apply ─► verify ─► measure ─► record ─► rank

``harness.evaluate`` is the Python door to all of it; the command line uses the same one.
Importing this package imports no numerical library, no database and no page.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"
__all__ = ["__version__", "evaluate"]

if TYPE_CHECKING:
    from harness.run.evaluate import evaluate


def __getattr__(name: str) -> Any:  # evaluate is imported on first use: `harness --help` stays fast
    if name == "evaluate":
        from harness.run.evaluate import evaluate

        return evaluate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
