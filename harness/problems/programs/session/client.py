"""The end of a session's pipes that a search has: it asks, and the harness answers, until the budget is spent.

It runs in the sandbox, beside the search and ``wire.py``; nothing else of the harness is there.
"""

import os

from harness.problems.programs.session import wire

__all__ = ["BudgetSpent", "Budgeted", "SessionLost"]


class BudgetSpent(Exception):
    """Nothing more can be tried: say what was found."""


class SessionLost(Exception):
    """What was asked for crashed, hung or took all memory. The session begins anew."""


class Budgeted:
    """Asks, and knows what is left. Raises BudgetSpent and SessionLost."""

    def __init__(self, read: int, write: int, seconds: float, trials: int) -> None:
        """Descriptors of the harness; CPU seconds to use, and trials to have at least."""
        self._read, self._write = read, write
        self._seconds, self._trials = seconds, trials
        self.cpu = 0.0
        """CPU seconds that LLVM has used of the budget."""
        self.trials = 0
        """Modules whose cost was looked at: counted, or generated."""
        self.looks = 0
        """Those, and modules whose features or text were looked at: by these the budget's trials are counted."""

    def has_time(self, share: float = 1.0) -> bool:
        """Whether less than this share of the budget is used: of its seconds, or of the trials that it has at least."""
        return self.cpu < share * self._seconds or self.looks < share * self._trials

    def ask(self, request: bytes) -> bytes:
        """The rest of the answer. Raises ValueError for a request that means nothing."""
        view = memoryview(request)
        while view:
            view = view[os.write(self._write, view) :]
        (size,) = wire.SIZE.unpack(self._bytes(wire.SIZE.size))
        reply = wire.reply_of(self._bytes(size))
        self.cpu = reply.cpu
        if reply.status is wire.Status.GOOD:
            return reply.rest
        error = {wire.Status.SPENT: BudgetSpent, wire.Status.LOST: SessionLost}.get(reply.status, ValueError)
        raise error(reply.rest.decode("utf-8", "replace"))

    def _bytes(self, size: int) -> bytes:
        parts = []
        while size > 0:
            part = os.read(self._read, size)
            if not part:
                raise SystemExit(0)  # whoever asked has gone
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
