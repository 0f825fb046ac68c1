"""From an entry of a suite to its instance: found on disk, fetched or made; checked; parsed once."""

import hashlib
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from harness.digest import digest_of
from harness.errors import PrerequisiteError, UsageError
from harness.paths import ROOT
from harness.sharding.generate import generate
from harness.sharding.instance import Instance, read_compact, write_compact
from harness.sharding.parse import parse_instance
from harness.sharding.suite import InstanceEntry, Upstream
from harness.store import Store

__all__ = ["data_folders", "instance_content", "load_instance"]

_COMPACT = 1
"""Version of the compact form."""
_GENERATOR = 1
"""Version of the generator: another one makes other instances of the same arguments."""
_HOST = "https://raw.githubusercontent.com"
_TIMEOUT = 60.0
_MOST_BYTES = 1 << 28
_DEPTH = 2


def data_folders() -> tuple[Path, ...]:
    """``HARNESS_DATA``, folders with ``:`` between them; else ``shared`` beside the checkout."""
    configured = os.environ.get("HARNESS_DATA")
    if configured is None:
        return (ROOT.parent / "shared",)
    return tuple(Path(word).expanduser() for word in configured.split(os.pathsep) if word)


def load_instance(suite: str, entry: InstanceEntry, upstream: Upstream | None, store: Store) -> Instance:
    """The instance, mapped from the cache; parsed and put there first if it is new.

    Raises PrerequisiteError where its file cannot be had, UsageError where it is another one or no instance.
    """
    where = f"{suite}/{entry.name}"
    key = digest_of(["instance", _COMPACT, entry.sha256, _made_fields(entry)])

    def make(folder: Path) -> None:
        write_compact(parse_instance(instance_content(suite, entry, upstream, store), where), folder)

    return read_compact(store.folder("instances", key, make))


def instance_content(suite: str, entry: InstanceEntry, upstream: Upstream | None, store: Store) -> bytes:
    """The instance's file as it is published, gzipped or not: made, found or fetched. Raises as ``load_instance``."""
    if entry.made is not None:
        made = entry.made
        return generate(f"{suite}-{entry.name}", made.seed, made.layers, made.slack, made.mesh)
    assert entry.file is not None and entry.sha256 is not None
    wrong: Path | None = None
    for path in _candidates(entry.file):
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() == entry.sha256:
            return content
        wrong = path
    if wrong is not None:
        raise UsageError(
            f"it is not the file that the suite pins (sha256 {entry.sha256[:12]}…)",
            where=str(wrong),
            hint="remove it, or put the right one in its place",
        )
    return _fetched(suite, entry, upstream, store)


def _made_fields(entry: InstanceEntry) -> object:
    return None if entry.made is None else [_GENERATOR, entry.made.model_dump(mode="json")]


def _candidates(file: str) -> Iterator[Path]:
    """The file in the folders of data, or in folders in them."""
    for folder in data_folders():
        for depth in range(_DEPTH):
            yield from sorted(path for path in folder.glob("*/" * depth + file) if path.is_file())


def _fetched(suite: str, entry: InstanceEntry, upstream: Upstream | None, store: Store) -> bytes:
    """From upstream, once."""
    hint = f"put {entry.file} into a folder of HARNESS_DATA"
    if upstream is None:
        raise PrerequisiteError("its file is not here", where=f"{suite}/{entry.name}", hint=hint)

    def make(folder: Path) -> None:
        address = f"{_HOST}/{upstream.repository}/{upstream.commit}/{upstream.folder}/{entry.file}"
        try:
            with urllib.request.urlopen(address, timeout=_TIMEOUT) as answer:  # noqa: S310 - https, as written above
                content = answer.read(_MOST_BYTES)
        except (urllib.error.URLError, OSError) as error:
            why = error.reason if isinstance(error, urllib.error.URLError) else error
            raise PrerequisiteError(
                f"its file is not here, and {address} cannot be fetched: {why}",
                where=f"{suite}/{entry.name}",
                hint=hint,
            ) from None
        if hashlib.sha256(content).hexdigest() != entry.sha256:
            raise UsageError(f"{address} is not the file that the suite pins", where=f"{suite}/{entry.name}", hint=hint)
        (folder / "file").write_bytes(content)

    return (store.folder("instance-files", str(entry.sha256), make) / "file").read_bytes()
