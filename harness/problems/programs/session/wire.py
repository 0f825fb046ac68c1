"""What goes over a session's two pipes, as bytes; ``native/module/wire.h`` is the other end.

It stands alone, so that it can go into sandboxes where nothing else of the harness is. There it is the language between
a search and the harness, which knows two more answers.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum

__all__ = ["SIZE", "Reply", "Status", "reply_of", "reply_with", "request"]

SIZE = struct.Struct("<I")
"""What every request and answer begins with: the bytes that follow."""
_HEAD = struct.Struct("<IBI")
_REPLY = struct.Struct("<BQ")


class Status(IntEnum):
    """What an answer is."""

    GOOD = 0
    BAD = 1
    """The request means nothing; the rest is a message."""
    SPENT = 2
    """To a search: its budget is spent."""
    LOST = 3
    """To a search: what it asked for has ended the session, and a new one has begun; the rest is a message."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer."""

    status: Status
    cpu: float
    """CPU seconds that LLVM has used so far."""
    rest: bytes


def request(kind: int, line: int, rest: bytes = b"") -> bytes:
    """A request, its size first."""
    return _HEAD.pack(_HEAD.size - SIZE.size + len(rest), kind, line) + rest


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
