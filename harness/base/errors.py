"""Everything that the harness raises on purpose.

::

    HarnessError                exit code
    ├── UsageError              2   the user asked for something that cannot be (also: a broken file)
    ├── PrerequisiteError       3   a tool, a library or a right is missing
    ├── CellError               1   one cell ended with an outcome other than ok; the run goes on
    ├── UnsoundError            1   the harness contradicts itself: nothing of the run counts
    └── StoppedError            1   a command was cut off because the user stops the run

An error says what was wrong (``message``), where (``where``: a file, a field, a line) and what to
do about it (``hint``). The command line prints the three and no traceback. All of it can be shown as it is: what a
file or a program said has lost its control characters.
"""

from harness.base.text import printable, printable_line
from harness.base.vocabulary import Outcome

__all__ = ["CellError", "HarnessError", "PrerequisiteError", "StoppedError", "UnsoundError", "UsageError"]


class HarnessError(Exception):
    """Base of all errors that a user can cause."""

    exit_code = 1

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        self.message = printable(message)
        self.where = None if where is None else printable(where, lines=False)
        self.hint = None if hint is None else printable(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text}\n  {self.hint}" if self.hint else text


class UsageError(HarnessError):
    """A wrong argument, or a file of the user's that cannot be used."""

    exit_code = 2


class PrerequisiteError(HarnessError):
    """Something that must be installed or allowed is not; ``hint`` is the command that mends it."""

    exit_code = 3


class CellError(HarnessError):
    """A cell ended with ``outcome``; ``message`` is the detail that its rows record."""

    def __init__(self, outcome: Outcome, message: str, transient: bool = False) -> None:
        super().__init__(printable_line(message))
        self.outcome = outcome
        self.transient = transient
        """It may be the machine's fault (a time-out, a kill from outside): not kept in the cache."""

    def __reduce__(self) -> tuple[type["CellError"], tuple[Outcome, str, bool]]:
        return CellError, (self.outcome, self.message, self.transient)


class UnsoundError(HarnessError):
    """The harness's own judgement contradicts a proof: nothing that it said in this run counts, or is kept."""


class StoppedError(HarnessError):
    """The run is being stopped: the command did not end by itself, and says nothing of its cell."""
