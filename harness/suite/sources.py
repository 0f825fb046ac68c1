"""Source trees: fetched, checked against their sha256, unpacked once into the cache.

A tree's digest names its content: two programs of one tree share what was compiled from it.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

from harness.digest import digest_file, digest_of, digest_tree
from harness.errors import UsageError
from harness.process import Limits, run
from harness.store import Store, no_space
from harness.suite.debian import download_orig
from harness.suite.load import Program
from harness.suite.model import Part, Source
from harness.vocabulary import Origin

__all__ = ["SourceTree", "forget_digests", "is_fetched", "source_tree", "tree_digest"]

_apt_lock = Lock()  # apt's private lists have one writer


@dataclass(frozen=True, slots=True)
class SourceTree:
    """A folder of sources, not to be written to, and the digest of what it holds."""

    path: Path
    digest: str


def tree_digest(program: Program) -> str:
    """The digest of the program's source tree, known before anything is fetched."""
    return _tree_digest(program.folder, program.source)


def forget_digests() -> None:
    """Look at the sources anew: they may have been edited since the last request of this process."""
    _tree_digest.cache_clear()


@lru_cache(maxsize=256)
def _tree_digest(folder: Path, source: Source) -> str:
    if source.origin is Origin.DEBIAN:
        overlay = digest_tree(_folder(folder / source.overlay)) if source.overlay else None
        parts = [[part.folder, part.sha256] for part in source.parts]
        return digest_of(["tarball", source.sha256, "overlay", overlay, *(["parts", parts] if parts else [])])
    return digest_tree(_own_folder(folder, source))


def is_fetched(program: Program, store: Store) -> bool:
    """Whether ``source_tree`` would need no download."""
    if program.source.origin is not Origin.DEBIAN:
        return True
    if store.path("sources", tree_digest(program)).is_dir():
        return True
    return all(_tarball(release, store).is_file() for release in _releases(program.source))


def source_tree(program: Program, store: Store, offered: Path | None = None) -> SourceTree:
    """The program's source tree, fetched and unpacked if need be.

    ``offered`` is a folder to take tarballs from instead of apt. Raises UsageError, naming the
    file, for a tarball whose sha256 differs, and PrerequisiteError where nothing can be fetched.
    """
    digest = tree_digest(program)
    if program.source.origin is not Origin.DEBIAN:
        return SourceTree(_own_folder(program.folder, program.source), digest)
    if offered is not None:
        for release in _releases(program.source):
            _check(offered, release, offered)
    return SourceTree(store.folder("sources", digest, _unpacker(program, store, offered)) / "tree", digest)


def _own_folder(folder: Path, source: Source) -> Path:
    return _folder((folder / (source.path or ".")).resolve())


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise UsageError("there is no such source folder", where=str(path))
    return path


def _unpacker(program: Program, store: Store, offered: Path | None) -> Callable[[Path], None]:
    def unpack(entry: Path) -> None:
        tree = entry / "tree"
        for release in _releases(program.source):
            _unpack(_fetched_tarball(release, store, offered), tree / getattr(release, "folder", "."), store)
        if program.source.overlay:
            shutil.copytree(program.folder / program.source.overlay, tree, dirs_exist_ok=True)

    return unpack


def _releases(source: Source) -> tuple[Source | Part, ...]:
    """What is fetched: the package itself first."""
    return (source, *source.parts)


def _unpack(tarball: Path, folder: Path, store: Store) -> None:
    """GNU tar keeps modification times and refuses names that leave the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["tar", "--extract", "--no-same-owner", "--strip-components=1", "--file", str(tarball)]
    done = run(command, cwd=folder, limits=Limits(wall=300, memory=None))
    if b"No space left on device" in done.stderr:
        raise no_space(store.root)
    if not done.ok:
        raise UsageError(f"cannot be unpacked: {done.reason()}", where=str(tarball))


def _tarball(source: Source | Part, store: Store) -> Path:
    return store.path("tarballs", source.sha256 or "") / (source.tarball or "")


def _fetched_tarball(source: Source | Part, store: Store, offered: Path | None) -> Path:
    """The tarball in the cache; its digest is checked before it gets there."""

    def fetch(entry: Path) -> None:
        assert source.tarball and source.package and source.version
        if offered is not None:
            shutil.copyfile(offered / source.tarball, entry / source.tarball)
        else:
            state = store.root / "apt"
            state.mkdir(parents=True, exist_ok=True)
            with _apt_lock:
                download_orig(source.package, source.version, entry, state)
        _check(entry, source, offered)

    name = source.tarball or ""
    return store.folder("tarballs", source.sha256 or "", fetch) / name


def _check(entry: Path, source: Source | Part, offered: Path | None) -> None:
    assert source.tarball
    where = str(offered / source.tarball) if offered else source.tarball
    file = entry / source.tarball
    if not file.is_file() and offered is not None:
        raise UsageError(
            f"{source.tarball} is not in this folder",
            where=str(offered),
            hint=f"it is the orig tarball of Debian's source package {source.package} {source.version}",
        )
    if not file.is_file():
        got = ", ".join(sorted(path.name for path in entry.iterdir())) or "nothing"
        raise UsageError(
            f"apt offers another version of {source.package} (got {got})",
            where=where,
            hint=f"give the tarball of version {source.version} with `--from DIR`",
        )
    actual = digest_file(file)
    if actual != source.sha256:
        raise UsageError(
            f"refused: its sha256 is {actual}, but the suite pins {source.sha256} ({file.stat().st_size} bytes)",
            where=where,
            hint="the file is changed or truncated; remove it and fetch again",
        )
