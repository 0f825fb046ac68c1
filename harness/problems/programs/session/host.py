"""Runs inside the sandbox: loads ``search.py`` and lets it search."""

import importlib.util
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from harness.problems.programs.session.client import Budgeted, BudgetSpent

__all__ = ["search"]


def search(session: Budgeted, seed: int, seconds: float, result: Callable[[Any], None]) -> None:
    """Give ``result`` what ``search(session, seed, seconds)`` of ``search.py`` returns. Where its budget was spent
    before, what it proposed counts.
    """
    sys.excepthook = _say_where
    spec = importlib.util.spec_from_file_location("search", "search.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, "search", None)):
        raise SystemExit("search.py defines no function search(session, seed, seconds)")
    try:
        found = module.search(session, seed, seconds)
    except BudgetSpent:
        return
    result(found)


def _say_where(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What ended the search, in one line with that of its file: the harness repeats one line."""
    line, inner = None, trace
    while inner is not None:
        line = inner.tb_lineno if inner.tb_frame.f_code.co_filename.endswith("search.py") else line
        inner = inner.tb_next
    if line is None:
        sys.__excepthook__(kind, error, trace)
    else:
        words = f": {error}" if str(error) else ""
        print(f"search.py, line {line}: {kind.__name__}{words}", file=sys.stderr, flush=True)
