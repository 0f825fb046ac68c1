"""Names of run files, and what they promise: ``SUITE-TRACK-TIME-DIGEST.jsonl``.

DIGEST is the beginning of the SHA-256 of header and rows. Since schema 6 it has 128 bits. Before, it had 48, and two
files of one such name took minutes to make: who passes a file on can have made another of its name. A file
``SHA256SUMS`` beside them (``sha256sum *.jsonl > SHA256SUMS``) pins the whole of such files.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from harness.base.errors import UsageError
from harness.base.reading import MIB, read_text

__all__ = ["REMEDY", "SUMS", "RunName", "digits_of", "pinned", "stamp_of"]

SUMS = "SHA256SUMS"
"""Name of the file with whole digests, in the format of sha256sum."""
REMEDY = "restore it, or move it out of the results folder"
_NAME = re.compile(
    r"(?P<suite>[a-z0-9][a-z0-9._-]*)-(?P<track>[a-z]+)-(?P<time>\d{8}T\d{6}Z)"
    r"-(?P<digest>[0-9a-f]{12}(?:[0-9a-f]{20})?)\.jsonl",
    re.ASCII,
)
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64}) [ *](?P<name>[^/]+)")
_DIGITS, _DIGITS_BEFORE_6 = 32, 12


@dataclass(frozen=True, slots=True)
class RunName:
    """The parts of a name."""

    suite: str
    track: str
    time: str
    digest: str

    @classmethod
    def parse(cls, name: str) -> "RunName | None":
        """None for the name of something else."""
        match = _NAME.fullmatch(name)
        return None if match is None else cls(**match.groupdict())

    @property
    def short(self) -> bool:
        """Whether two files of this name can be made on purpose."""
        return len(self.digest) < _DIGITS


def digits_of(schema: int) -> int:
    """Hexadecimal digits of the digest in names of this schema."""
    return _DIGITS if schema >= 6 else _DIGITS_BEFORE_6


def stamp_of(finished: str) -> str:
    """How a name says when the run ended: ``20260304T050607Z``."""
    return f"{datetime.fromisoformat(finished):%Y%m%dT%H%M%SZ}"


def pinned(folder: Path) -> dict[str, str]:
    """Whole digests by file name, as ``SHA256SUMS`` in this folder says. Raises UsageError for another format."""
    file = folder / SUMS
    if not file.exists() and not file.is_symlink():
        return {}
    found: dict[str, str] = {}
    for number, line in enumerate(read_text(file, MIB).splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None or match["name"] in found:
            raise UsageError(
                "not a line of sha256sum, or a file that was named before",
                where=f"{file}, line {number}",
                hint="make it again, once you have checked the files: sha256sum *.jsonl > SHA256SUMS",
            )
        found[match["name"]] = match["digest"]
    return found
