"""A Python script of the harness in a process with limits, for what may take any time or memory.

Parsers and pattern matchers of Python take exponential time, or a thousand times the memory of their text, on input
that is made for it, and hold the interpreter so that not even Ctrl-C is heard. They run here on what others have
written. This is no sandbox: the script is ours and only looks at the text.
"""

import os
import sys
from pathlib import Path

from harness.base.process import MIB, Ended, Limits, run

__all__ = ["confined", "failure_of"]


def confined(script: Path, content: bytes, limits: Limits, *arguments: str, packages: bool = False) -> Ended:
    """Run the script with ``content`` as its standard input, and wait for its end.

    ``packages``: whether it imports more than the standard library. Raises what ``harness.base.process.run`` raises.
    """
    source = os.memfd_create("input")
    try:
        with os.fdopen(source, "wb", closefd=False) as file:
            file.write(content)
        options = ("-s", "-P", "-B") if packages else ("-I", "-B", "-S")
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "OPENBLAS_NUM_THREADS": "1"}
        if packages:  # wherever this process has them from
            environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if Path(path).is_absolute())
        return run(
            [sys.executable, *options, script, *arguments],
            cwd=Path("/"),
            limits=limits,
            env=environment,
            stdin=Path(f"/proc/self/fd/{source}"),
        )
    finally:
        os.close(source)


def failure_of(ended: Ended, limits: Limits) -> str:
    """Why a script did not come to its end, for people: its limit of time, of memory, or its last words."""
    if ended.timed_out:
        return f"it takes more than {limits.wall:g} s"
    if b"MemoryError" in ended.stderr or ended.signal is not None:
        return f"it takes more than {(limits.memory or 0) // MIB:,} MiB of memory"
    if b"File too large" in ended.stderr:
        return f"it makes more than {limits.file_size // MIB:,} MiB"
    return ended.reason()
