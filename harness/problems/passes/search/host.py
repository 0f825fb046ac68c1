"""Runs inside the sandbox: loads ``search.py`` and lets it search.

``run`` takes words: two descriptors; the seed; CPU seconds of LLVM that it may use; trials that it has at least;
the names of the actions as JSON.
"""

import importlib.util
import json
import sys
from types import TracebackType

from harness.problems.passes.search import client
from harness.problems.passes.session import wire

__all__ = ["run"]


def run(read: str, write: str, seed: str, seconds: str, trials: str, actions: str) -> None:
    """Search, and say what was found."""
    sys.excepthook = _say_where
    session = client.Session(int(read), int(write), json.loads(actions), float(seconds), int(trials))
    _search(session, int(seed), float(seconds))


def _search(session: client.Session, seed: int, seconds: float) -> None:
    spec = importlib.util.spec_from_file_location("search", "search.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, "search", None)):
        raise SystemExit("search.py defines no function search(session, seed, seconds)")
    try:
        found = module.search(session, seed, seconds)
    except client.BudgetSpent:
        return  # what was proposed counts
    actions = list(found)
    known = range(len(session.actions))
    if not all(isinstance(action, int) and action in known for action in actions):
        raise SystemExit(f"search.py: search returned {str(found)[:100]}: it must be numbers from 0 to {known[-1]}")
    session.ask(wire.actions_request(wire.Kind.RESULT, actions))


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
