"""Writing files that appear whole or not at all."""

import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

__all__ = ["remove_partial", "written"]

_PARTIAL = re.compile(r"\.([0-9]{1,10})-[a-z0-9_]+\.partial", re.ASCII)
"""A file that is being written, with the number of the process that does."""
_SURELY_LEFT = 60
"""Seconds. Where several machines, or containers, share a folder, the process may be another's."""


@contextmanager
def written(path: Path, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """A file that takes the place of ``path``, synced, when the block ends. Nothing stays of it where that raises."""
    with tempfile.NamedTemporaryFile(
        "wb", dir=path.parent, prefix=f".{os.getpid()}-", suffix=".partial", delete=False
    ) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), mode)
            os.replace(file.name, path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def remove_partial(folder: Path) -> None:
    """Remove what killed processes were writing there."""
    with suppress(OSError), os.scandir(folder) as found:
        for one in found:
            name = _PARTIAL.fullmatch(one.name)
            if name is None or Path("/proc", name[1]).exists():
                continue
            with suppress(OSError):
                if time.time() - one.stat(follow_symlinks=False).st_mtime > _SURELY_LEFT:
                    Path(one.path).unlink()
