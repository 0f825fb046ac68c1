"""Runs inside the sandbox: lets ``search.py`` search, and says what it found.

``run`` takes words: two descriptors; the seed; CPU seconds of LLVM that it may use; trials that it has at least.
"""

from typing import Any

from harness.problems.inlining.search.client import Session, document_of
from harness.problems.inlining.search.wire import Kind
from harness.problems.programs.session.host import search

__all__ = ["run"]


def run(read: str, write: str, seed: str, seconds: str, trials: str) -> None:
    """Search, and say what was found."""
    session = Session(int(read), int(write), float(seconds), int(trials))
    search(session, int(seed), float(seconds), lambda found: _say(session, found))


def _say(session: Session, found: Any) -> None:
    try:
        document = document_of(found)
    except (TypeError, IndexError):
        raise SystemExit(f"search.py: search returned {str(found)[:100]}: it must be call sites") from None
    session.say(Kind.RESULT, document)
