"""What a search of inlining decisions asks, and what it is told: JSON within ``programs/session/wire.py``.

It stands alone, so that it can go into the search's sandbox.
"""

from enum import IntEnum

__all__ = ["METRICS", "Kind"]

METRICS = ("size.alloc", "size.text")
"""Of an object, in the order in which they are said."""


class Kind(IntEnum):
    """What is wanted."""

    COMPILE = 0
    """``{"functions": [NAME, ...], "sites": [[CALLER, CALLEE, ORDINAL, INLINE], ...]}``: the program under these
    decisions, with LLVM's heuristic for all others."""
    TRY = 1
    """``{"metric": METRIC, "least": BYTES, "only_calls": BOOL}``: the program with every function decided by trial.

    The answer to either: ``{"bytes": [of each metric], "code": {FUNCTION: BYTES}, "unwind": {FUNCTION: BYTES},
    "functions": [...], "sites": [...]}``, the last two being what was decided by choice."""
    PROPOSE = 100
    """Decisions: the best so far."""
    RESULT = 101
    """Decisions: those that it ends with."""
