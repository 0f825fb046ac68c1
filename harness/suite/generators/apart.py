"""Inputs of suites from elsewhere: generated in a process with limits, since their parameters may ask for anything.

Run as a script, this makes what standard input asks for (name, seed and parameters as a JSON list).
"""

import json
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from harness.base.confined import confined, failure_of
from harness.base.errors import UsageError
from harness.base.process import MIB, Limits
from harness.suite.generators import check_parameters, generate

__all__ = ["generate_apart"]

_LIMITS = Limits(wall=30, memory=2048 * MIB, file_size=256 * MIB)


def generate_apart(name: str, seed: int, params: dict[str, int | str | bool]) -> bytes:
    """What ``generate`` gives, made within 30 s, 2 GiB of memory and 256 MiB of output.

    Raises UsageError for parameters that the generator does not take or that ask for more.
    """
    check_parameters(name, params)
    request = json.dumps([name, seed, params]).encode()
    ended = confined(Path(__file__), request, _LIMITS, packages=True)
    if not ended.ok:
        raise UsageError(f"generator {name!r} cannot make an input of these parameters: {failure_of(ended, _LIMITS)}")
    return ended.stdout


def _main() -> None:
    name, seed, params = json.load(sys.stdin)
    try:
        content = generate(name, seed, params)
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except MemoryError:
        sys.exit("MemoryError")
    except (UsageError, ArithmeticError, LookupError, TypeError, ValueError, OSError) as error:
        sys.exit(f"error: {error}"[:500])


if __name__ == "__main__":
    _main()
