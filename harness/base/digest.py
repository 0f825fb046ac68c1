"""Digests: how content, and the work done on it, is named. Always SHA-256, in hexadecimal."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["canonical_json", "digest_bytes", "digest_file", "digest_of", "digest_tree"]


def canonical_json(value: Any) -> bytes:
    """The one JSON text of ``value``: sorted keys, no blanks, ASCII. Equal values, equal bytes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


def digest_bytes(data: bytes) -> str:
    """SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def digest_of(value: Any) -> str:
    """SHA-256 of a JSON-like value's canonical text: the key of a piece of work."""
    return digest_bytes(canonical_json(value))


def digest_file(path: Path) -> str:
    """SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_tree(root: Path, files: Iterable[Path] | None = None) -> str:
    """SHA-256 over the relative names and contents of a folder's files, whatever the folder is called."""
    chosen = sorted(files if files is not None else (p for p in root.rglob("*") if p.is_file()))
    return digest_of([[path.relative_to(root).as_posix(), digest_file(path)] for path in chosen])
