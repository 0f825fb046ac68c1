"""What a session of passes is asked, as bytes; ``native/session/main.cpp`` is the other end.

Like ``programs/session/wire.py`` it goes into sandboxes where nothing else of the harness is. There a search asks for
three things more.
"""

import struct
from collections.abc import Sequence
from enum import IntEnum, IntFlag

from harness.problems.programs.session.wire import request

__all__ = ["Count", "Kind", "What", "actions_of", "actions_request", "steps_of", "steps_request"]


class Kind(IntEnum):
    """What is wanted."""

    APPLY = 0
    OBSERVE = 1
    FORK = 2
    RESET = 3
    DROP = 4
    BITCODE = 5
    OPEN = 6
    PROPOSE = 100
    """Of a search: the best list so far."""
    RESULT = 101
    """Of a search: the list that it ends with."""
    CHECK = 102
    """Of a search: whether a list gives a program that behaves."""


class What(IntEnum):
    """What is to be seen of a line."""

    COUNT = 0
    AUTOPHASE = 1
    OPCODES = 2
    TEXT = 3
    GRAPH = 4
    OBJECT = 5
    IR2VEC = 6


class Count(IntFlag):
    """When instructions are counted."""

    NEVER = 0
    EACH = 1
    LAST = 2


def steps_request(line: int, actions: Sequence[int], count: Count) -> bytes:
    """Run these actions on the line. Raises struct.error for a number that no action can have."""
    return request(Kind.APPLY, line, struct.pack(f"<B{len(actions)}H", count, *actions))


def actions_request(kind: Kind, actions: Sequence[int]) -> bytes:
    """A request about a list. Raises struct.error for a number that no action can have."""
    return request(kind, 0, struct.pack(f"<{len(actions)}H", *actions))


def actions_of(rest: bytes) -> tuple[int, ...]:
    """The list of ``actions_request``. Raises struct.error for half a number."""
    return struct.unpack(f"<{len(rest) // 2}H", rest)


def steps_of(rest: bytes, actions: int) -> tuple[bytes, tuple[int, ...]]:
    """Of an answer to ``steps_request``: a byte for each action, 1 if it changed anything; and the counts.

    Raises ValueError for what is none.
    """
    changed, counts = rest[:actions], rest[actions:]
    if len(changed) != actions or len(counts) % 8:
        raise ValueError("an answer has another size than it must have")
    return changed, struct.unpack(f"<{len(counts) // 8}Q", counts)
