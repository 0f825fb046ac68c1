"""Decisions files beside the run files: ``decisions/DIGEST.zst``, named by what they hold."""

import os
from pathlib import Path

from harness.apply.decisions import Decisions
from harness.base.digest import digest_bytes
from harness.base.errors import UsageError
from harness.base.reading import MIB, read_bytes, shown_size
from harness.base.writing import written
from harness.record.runfile import results_errors

__all__ = ["DECISIONS", "LARGEST", "has_decisions", "holds_decisions", "load_decisions", "store_decisions"]

DECISIONS = "decisions"
"""The folder, in one of results."""
LARGEST = 64 * MIB
"""Of a decisions file, compressed or not: parsing takes up to about twenty times as much memory."""


def store_decisions(results: Path, content: bytes) -> str:
    """Keep a decisions file; returns its digest. What is there under its name and is another is replaced."""
    import zstandard

    digest = digest_bytes(content)
    path = results / DECISIONS / f"{digest}.zst"
    if len(content) > LARGEST:
        raise UsageError(f"decisions of more than {shown_size(LARGEST)}, which could not be read", where=str(path))
    if path.parent.is_symlink():
        raise UsageError("a link, not a folder of results", where=str(path.parent), hint="put the folder itself there")
    if os.path.lexists(path) and _holds(path, content):
        return digest
    with results_errors(results):
        path.parent.mkdir(parents=True, exist_ok=True)
        with written(path) as file:
            file.write(zstandard.ZstdCompressor(level=19).compress(content))
    return digest


def has_decisions(results: Path, digest: str) -> bool:
    """Whether there is a file of this digest: what it holds is seen when it is loaded."""
    return (results / DECISIONS / f"{digest}.zst").is_file()


def holds_decisions(results: Path, digest: str) -> bool:
    """Whether there is a file of this digest, no link, that holds what it is called. It is not parsed."""
    path = results / DECISIONS / f"{digest}.zst"
    try:
        return not path.is_symlink() and not path.parent.is_symlink() and digest_bytes(_decompress(path)) == digest
    except UsageError:
        return False


def load_decisions(results: Path, digest: str) -> Decisions:
    """The decisions of this digest. Raises UsageError when they are missing or altered."""
    path = results / DECISIONS / f"{digest}.zst"
    if path.is_symlink() or path.parent.is_symlink():
        raise UsageError("a link, not a decisions file", where=str(path), hint="put the file itself there")
    if not path.exists():
        raise UsageError(
            "the decisions of this row are not here", where=str(path), hint="restore them, or record the run again"
        )
    content = _decompress(path)
    if digest_bytes(content) != digest:
        raise UsageError("altered: its content contradicts its name", where=str(path), hint="restore it from git")
    return Decisions.parse(content, str(path))


def _decompress(path: Path) -> bytes:
    """At most as much as a decisions file may have, whatever the compressed file says that it holds."""
    import zstandard

    reader = zstandard.ZstdDecompressor(max_window_size=LARGEST).stream_reader(
        read_bytes(path, LARGEST),
        read_across_frames=True,  # what stands behind the first frame is a part of the file
    )
    try:
        content: bytes = reader.read(LARGEST + 1)
    except (zstandard.ZstdError, MemoryError):
        raise UsageError("not a decisions file", where=str(path)) from None
    if len(content) > LARGEST:
        raise UsageError(f"it holds more than {shown_size(LARGEST)}", where=str(path))
    return content


def _holds(path: Path, content: bytes) -> bool:
    """Whether the file there is what is to be kept."""
    try:
        return not path.is_symlink() and _decompress(path) == content
    except UsageError:
        return False
