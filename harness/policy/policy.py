"""A policy as a value: its manifest, and the contents of its files."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from harness.base.digest import digest_bytes, digest_of
from harness.policy.manifest import Manifest

__all__ = ["Policy"]


@dataclass(frozen=True)
class Policy:
    """A manifest with the contents of its files."""

    manifest: Manifest
    folder: Path
    contents: dict[str, bytes]
    """Role → the file's bytes."""
    baseline: bool

    @property
    def name(self) -> str:
        """The policy's name."""
        return self.manifest.name

    @cached_property
    def digest(self) -> str:
        """Of everything that can change what it decides."""
        files = {role: digest_bytes(content) for role, content in self.contents.items()}
        return digest_of([self.manifest.digest_fields(), files])

    @property
    def size(self) -> int:
        """Bytes of its files, together: a network, a tree, code."""
        return sum(map(len, self.contents.values()))

    def file(self, role: str) -> tuple[str, bytes]:
        """Name and content of the file with this role."""
        return str(self.folder / self.manifest.files[role]), self.contents[role]
