"""Checking a ``policy.py`` before anything runs it: is it Python, and does it define the function that is called?"""

from functools import lru_cache
from pathlib import Path

from harness.base.confined import confined, failure_of
from harness.base.digest import digest_bytes, digest_of
from harness.base.documents import parse_json
from harness.base.errors import PrerequisiteError, UsageError
from harness.base.paths import cache_root
from harness.base.process import MIB, Limits
from harness.base.store import Store

__all__ = ["check_python"]

_SCRIPT = Path(__file__).with_name("python_syntax.py")
_LIMITS = Limits(wall=10, memory=1536 * MIB, file_size=MIB)
"""Python's parser takes about a thousand times the memory of its text."""
_KIND = "python-checks"


def check_python(content: bytes, where: str, function: str = "decide", parameters: str = "features") -> None:
    """Raise UsageError, naming the line, for what is no Python or does not define the function. Runs nothing of it.

    Each content is parsed once, and its fault kept in the cache: every command loads all policies.
    """
    fault, line = _fault(content, function)
    if fault:
        place = where if line is None else f"{where}:{line}"
        missing = f"def {function}({parameters}): ..." if line is None else None
        raise UsageError(fault, where=place, hint=missing)


@lru_cache(maxsize=64)
def _fault(content: bytes, function: str) -> tuple[str, int | None]:
    try:
        store = Store(cache_root())
    except PrerequisiteError:  # a cache that cannot be written to is no reason not to show policies
        return _parsed(content, function)
    key = digest_of(["python-check", function, digest_bytes(_SCRIPT.read_bytes()), digest_bytes(content)])
    known = store.get(_KIND, key)
    if isinstance(known, list) and len(known) == 2:
        return str(known[0]), known[1] if isinstance(known[1], int) else None
    found = _parsed(content, function)
    store.put(_KIND, key, list(found))
    return found


def _parsed(content: bytes, function: str) -> tuple[str, int | None]:
    ended = confined(_SCRIPT, content, _LIMITS, function)
    if not ended.ok:
        return f"Python's parser cannot read it: {failure_of(ended, _LIMITS)}", None
    answer = parse_json(ended.stdout, "policy.py", containers=1)
    return answer["fault"], answer["line"]
