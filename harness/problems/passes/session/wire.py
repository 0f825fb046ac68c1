"""What goes over a session's two pipes, as bytes; ``native/module/wire.h`` is the other end.

It stands alone, so that it can go into sandboxes where nothing else of the harness is. There it is the language between
a search and the harness, which knows three more requests and two more answers.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag

__all__ = [
    *("SIZE", "Count", "Kind", "Reply", "Status", "What", "actions_of", "actions_request", "reply_of", "reply_with"),
    *("request", "steps_of", "steps_request"),
]

SIZE = struct.Struct("<I")
"""What every request and answer begins with: the bytes that follow."""
_HEAD = struct.Struct("<IBI")
_REPLY = struct.Struct("<BQ")


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


class Status(IntEnum):
    """What an answer is."""

    GOOD = 0
    BAD = 1
    """The request means nothing; the rest is a message."""
    SPENT = 2
    """To a search: its budget is spent."""
    LOST = 3
    """To a search: a pass has ended the session, and a new one has begun; the rest is a message."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer."""

    status: Status
    cpu: float
    """CPU seconds that LLVM has used so far."""
    rest: bytes


def request(kind: Kind, line: int, rest: bytes = b"") -> bytes:
    """A request, its size first."""
    return _HEAD.pack(_HEAD.size - SIZE.size + len(rest), kind, line) + rest


def steps_request(line: int, actions: Sequence[int], count: Count) -> bytes:
    """Run these actions on the line. Raises struct.error for a number that no action can have."""
    return request(Kind.APPLY, line, struct.pack(f"<B{len(actions)}H", count, *actions))


def actions_request(kind: Kind, actions: Sequence[int]) -> bytes:
    """A request about a list. Raises struct.error for a number that no action can have."""
    return request(kind, 0, struct.pack(f"<{len(actions)}H", *actions))


def actions_of(rest: bytes) -> tuple[int, ...]:
    """The list of ``actions_request``. Raises struct.error for half a number."""
    return struct.unpack(f"<{len(rest) // 2}H", rest)


def reply_with(reply: Reply) -> bytes:
    """An answer, its size first."""
    content = _REPLY.pack(reply.status, round(reply.cpu * 1e6)) + reply.rest
    return SIZE.pack(len(content)) + content


def reply_of(content: bytes) -> Reply:
    """An answer without its size. Raises ValueError for what is none."""
    if len(content) < _REPLY.size:
        raise ValueError("an answer is cut off")
    status, microseconds = _REPLY.unpack_from(content)
    return Reply(Status(status), microseconds / 1e6, content[_REPLY.size :])


def steps_of(rest: bytes, actions: int) -> tuple[bytes, tuple[int, ...]]:
    """Of an answer to ``steps_request``: a byte for each action, 1 if it changed anything; and the counts.

    Raises ValueError for what is none.
    """
    changed, counts = rest[:actions], rest[actions:]
    if len(changed) != actions or len(counts) % 8:
        raise ValueError("an answer has another size than it must have")
    return changed, struct.unpack(f"<{len(counts) // 8}Q", counts)
