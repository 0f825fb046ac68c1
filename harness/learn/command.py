"""How the commands of this package end."""

import sys
from collections.abc import Callable

from harness.base.errors import HarnessError

__all__ = ["exit_code"]

_INTERRUPTED = 130
"""As shells say it."""


def exit_code(work: Callable[[], None]) -> int:
    """Do the work: 0, or 2 after one line that says what is wrong with what was given or cannot be read.

    130 after Ctrl-C: what is kept on the way is there, and the same command goes on.
    """
    try:
        work()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return _INTERRUPTED
    except (HarnessError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 0
