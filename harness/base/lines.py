"""Files of our own that grow a line at a time, and that a kill may have torn."""

import os
from pathlib import Path

__all__ = ["whole_lines"]


def whole_lines(path: Path) -> list[str]:
    """Its lines, without their ends; none of no file. A last line that is not whole is taken out of the file."""
    content = path.read_bytes() if path.is_file() else b""
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)
    return content[:whole].decode().split("\n")[:-1]
