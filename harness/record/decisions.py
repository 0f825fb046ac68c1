"""Decisions files beside the run files: ``decisions/DIGEST.zst``, named by what they hold."""

import os
import tempfile
from pathlib import Path

from harness.decide import Decisions
from harness.digest import digest_bytes
from harness.errors import UsageError
from harness.record.runfile import results_errors

__all__ = ["load_decisions", "store_decisions"]

_LARGEST = 1 << 30


def store_decisions(results: Path, content: bytes) -> str:
    """Keep a decisions file; returns its digest."""
    import zstandard

    digest = digest_bytes(content)
    path = results / "decisions" / f"{digest}.zst"
    if path.exists():
        return digest
    with results_errors(results):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=".", delete=False) as file:
            file.write(zstandard.ZstdCompressor(level=19).compress(content))
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), 0o644)
        os.replace(file.name, path)
    return digest


def load_decisions(results: Path, digest: str) -> Decisions:
    """The decisions of this digest. Raises UsageError when they are missing or altered."""
    import zstandard

    path = results / "decisions" / f"{digest}.zst"
    try:
        content = zstandard.ZstdDecompressor().decompress(path.read_bytes(), max_output_size=_LARGEST)
    except FileNotFoundError:
        raise UsageError("the decisions of this row are not here", where=str(path)) from None
    except zstandard.ZstdError:
        raise UsageError("not a decisions file", where=str(path)) from None
    if digest_bytes(content) != digest:
        raise UsageError("altered: its content contradicts its name", where=str(path), hint="restore it from git")
    return Decisions.parse(content, str(path))
