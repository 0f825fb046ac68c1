"""Runs inside the sandbox: loads ``search.py`` and lets it search.

``run`` takes words: two descriptors; the seed; CPU seconds of LLVM that it may use; trials that it has at least;
the names of the actions as JSON.
"""

import json
from typing import Any

from harness.problems.passes.search.client import Session
from harness.problems.passes.session import wire
from harness.problems.programs.session.host import search

__all__ = ["run"]


def run(read: str, write: str, seed: str, seconds: str, trials: str, actions: str) -> None:
    """Search, and say what was found."""
    session = Session(int(read), int(write), json.loads(actions), float(seconds), int(trials))
    search(session, int(seed), float(seconds), lambda found: _say(session, found))


def _say(session: Session, found: Any) -> None:
    actions = list(found)
    known = range(len(session.actions))
    if not all(isinstance(action, int) and action in known for action in actions):
        raise SystemExit(f"search.py: search returned {str(found)[:100]}: it must be numbers from 0 to {known[-1]}")
    session.ask(wire.actions_request(wire.Kind.RESULT, actions))
