"""From an entry of a suite to its instance: found on disk, fetched or made; checked; parsed once."""

import hashlib
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.base.digest import digest_of
from harness.base.errors import PrerequisiteError, UsageError
from harness.base.paths import at_home, checkout
from harness.base.reading import read_bytes
from harness.base.store import Store
from harness.problems.instances.apart import make_apart, parse_apart
from harness.problems.instances.compact import COMPACT, read_compact, write_compact
from harness.problems.instances.suite import SuiteInstance

__all__ = ["MissingFileError", "data_folders", "instance_content", "keep_file", "load_instance", "require_file"]

_HOST = "https://raw.githubusercontent.com"
_TIMEOUT = 60.0
_MOST_BYTES = 1 << 28
_DEPTH = 2
_FILES, _KEPT = "instance-files", "file"


class MissingFileError(PrerequisiteError):
    """An instance's file cannot be had."""

    def __init__(self, reason: str, details: str = "", *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(f"{reason}{details}", where=where, hint=hint)
        self.reason = reason
        """What is the same for every file; the details name it."""


def data_folders() -> tuple[Path, ...]:
    """``HARNESS_DATA``, folders with ``:`` between them; else ``shared`` beside the checkout, if there is one."""
    configured = os.environ.get("HARNESS_DATA")
    if configured is None:
        return tuple(root.parent / "shared" for root in (checkout(),) if root)
    return tuple(at_home(word) for word in configured.split(os.pathsep) if word)


def load_instance(instance: SuiteInstance, store: Store) -> Any:
    """The parsed instance, mapped from the cache; parsed and put there first if it is new.

    Raises PrerequisiteError where its file cannot be had, UsageError where it is another one or no instance.
    """

    domain = instance.domain

    def make(folder: Path) -> None:
        content = instance_content(instance, store)
        if instance.untrusted:
            parse_apart(domain, content, instance.id, folder)
        else:
            write_compact(domain.parse(content, instance.id), folder)

    entry = store.folder("instances", digest_of([COMPACT, domain.name, instance.digest]), make)
    return read_compact(domain.instance, entry)


def keep_file(instance: SuiteInstance, folder: Path, store: Store) -> bool:
    """Take the instance's file from a folder into the cache; False where it is not in there, or made by the harness.

    Raises UsageError where the file is another one.
    """
    path = folder / str(instance.entry.file)
    if instance.entry.made is not None or not path.is_file():
        return False
    content = read_bytes(path, _MOST_BYTES)
    if hashlib.sha256(content).hexdigest() != instance.entry.sha256:
        raise _another(path, instance)
    store.folder(_FILES, str(instance.entry.sha256), lambda entry: _write(entry, content))
    return True


def instance_content(instance: SuiteInstance, store: Store) -> bytes:
    """The instance's file as it is published, gzipped or not: made, found or fetched. Raises as ``load_instance``."""
    domain, entry = instance.domain, instance.entry
    if entry.made is not None:
        name = f"{instance.suite}-{entry.name}"
        return make_apart(domain, name, entry.made) if instance.untrusted else domain.make(name, entry.made)
    wrong: Path | None = None
    for path in _candidates(instance):
        content = read_bytes(path, _MOST_BYTES)
        if hashlib.sha256(content).hexdigest() == entry.sha256:
            return content
        wrong = path
    if wrong is not None:
        raise _another(wrong, instance)
    return _fetched(instance, store)


def require_file(instance: SuiteInstance, store: Store) -> None:
    """Raise PrerequisiteError unless the instance's file can be had too: the compact form does without it."""
    if instance.entry.made is None and next(_candidates(instance), None) is None:
        _fetched(instance, store)


def _another(path: Path, instance: SuiteInstance) -> UsageError:
    return UsageError(
        f"it is not the file that the suite pins (sha256 {str(instance.entry.sha256)[:12]}…)",
        where=str(path),
        hint="remove it, or put the right one in its place",
    )


def _write(entry: Path, content: bytes) -> None:
    (entry / _KEPT).write_bytes(content)


def _candidates(instance: SuiteInstance) -> Iterator[Path]:
    """The file beside the suite's definition, in the folders of data, or in folders in them."""
    file = str(instance.entry.file)
    if instance.folder is not None and (instance.folder / file).is_file():
        yield instance.folder / file
    for folder in data_folders():
        for depth in range(_DEPTH):
            yield from sorted(path for path in folder.glob("*/" * depth + file) if path.is_file())


def _fetched(instance: SuiteInstance, store: Store) -> bytes:
    """From the cache, or once from upstream."""
    entry, upstream = instance.entry, instance.upstream
    hint = f"put {entry.file} into a folder of HARNESS_DATA"
    if upstream is None and not store.has(_FILES, str(entry.sha256)):
        raise MissingFileError("its file is not here", where=instance.id, hint=hint)

    def make(folder: Path) -> None:
        assert upstream is not None
        address = f"{_HOST}/{upstream.repository}/{upstream.commit}/{upstream.folder}/{entry.file}"
        try:
            with urllib.request.urlopen(address, timeout=_TIMEOUT) as answer:  # noqa: S310 - https, as written above
                content = answer.read(_MOST_BYTES)
        except (urllib.error.URLError, OSError) as error:
            why = error.reason if isinstance(error, urllib.error.URLError) else error
            why_not = f", and {address} cannot be fetched: {why}"
            raise MissingFileError("its file is not here", why_not, where=instance.id, hint=hint) from None
        if hashlib.sha256(content).hexdigest() != entry.sha256:
            raise UsageError(f"{address} is not the file that the suite pins", where=instance.id, hint=hint)
        _write(folder, content)

    return (store.folder(_FILES, str(entry.sha256), make) / _KEPT).read_bytes()
