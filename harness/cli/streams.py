"""Standard output and standard error as the harness needs them: any text can be printed, and a full device is an error
message. Terminals that know only ASCII get a plain spelling of the signs in our tables."""

import codecs
import os
import sys
from typing import TextIO

from harness.base.errors import PrerequisiteError

__all__ = ["abandon_output", "finish_output", "output_error", "prepare_streams"]

_SPELLING = {
    "─": "-", "–": "-", "—": "-", "−": "-", "·": "|", "…": "...", "→": "->", "×": "x", "≤": "<=", "≥": ">=", "±": "+-",
    "“": '"', "”": '"', "‘": "'", "’": "'", "Σ": "sum",
}  # fmt: skip
"""Signs of our own tables and sentences → ASCII."""
_HANDLER = "harness.spelling"


def prepare_streams() -> None:
    """Let both streams take any text, whatever their encoding; open what was closed before we were started."""
    codecs.register_error(_HANDLER, _spelled)
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, _discarding(number))
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):  # a test may have put something else there
            stream.reconfigure(errors=_HANDLER)


def finish_output() -> None:
    """Write out what is still in the buffer. Raises OSError where it cannot be written."""
    sys.stdout.flush()


def abandon_output() -> None:
    """Forget what cannot be written: at its end Python would try again, and print a traceback."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def output_error(error: OSError) -> PrerequisiteError:
    """The error for people where standard output, or a file that nobody foresaw, cannot be written or read."""
    place = os.fsdecode(error.filename) if error.filename is not None else "standard output"
    return PrerequisiteError(
        f"cannot be used: {error.strerror or error}", where=place, hint="free space or mend that, and run it again"
    )


def _discarding(number: int) -> TextIO:
    """A stream to nowhere, on the descriptor that it should have, so that no other file gets that."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)
    return open(number, "w", encoding="utf-8", closefd=False)


def _spelled(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that the stream's encoding does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unknown = error.object[error.start : error.end]
    text = "".join(_SPELLING.get(c) or c.encode("ascii", "backslashreplace").decode("ascii") for c in unknown)
    return text, error.end
