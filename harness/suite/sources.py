"""Source trees: fetched, checked against their sha256, unpacked once into the cache.

A tree's digest names its content: two programs of one tree share what was compiled from it. Trees come from elsewhere:
``tree.py`` says what they may hold, and nothing else is unpacked, laid over, read or shown to a compiler.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

from harness.base.digest import digest_file, digest_of, digest_tree
from harness.base.errors import PrerequisiteError, UsageError
from harness.base.paths import at_home
from harness.base.store import Store
from harness.base.vocabulary import Origin
from harness.sandbox.bench import Bench
from harness.suite.debian import download_orig
from harness.suite.load import Program
from harness.suite.model import Part, Source
from harness.suite.tree import check_tree, laid_over, pack, read_folder, write_tree

__all__ = [
    *("SourceTree", "fetched_tarball", "fetched_tree", "forget_digests", "is_fetched", "is_unpacked", "overlay_folder"),
    *("own_folder", "packed_tree", "source_tree", "tree_digest"),
]

_TREES = "trees"
_LOCAL_SOURCES = "HARNESS_SOURCES"
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
        overlay = digest_tree(overlay_folder(folder, source.overlay)) if source.overlay else None
        parts = [[part.folder, part.sha256] for part in source.parts]
        return digest_of(["tarball", source.sha256, "overlay", overlay, *(["parts", parts] if parts else [])])
    return digest_tree(own_folder(folder, source))


def is_fetched(program: Program, store: Store) -> bool:
    """Whether ``source_tree`` would need no download."""
    return is_unpacked(program, store) or all(_tarball(one, store).is_file() for one in _releases(program.source))


def is_unpacked(program: Program, store: Store) -> bool:
    """Whether ``source_tree`` would have nothing to do."""
    return program.source.origin is not Origin.DEBIAN or store.has(_TREES, tree_digest(program))


def source_tree(program: Program, bench: Bench, offered: Path | None = None) -> SourceTree:
    """The program's source tree, fetched and unpacked if need be.

    ``offered`` is a folder to take tarballs from instead of apt. Raises UsageError, naming the file, for a tarball
    whose sha256 differs and for what no source tree may hold, and PrerequisiteError where nothing can be fetched.
    """
    digest = tree_digest(program)
    if program.source.origin is not Origin.DEBIAN:
        return SourceTree(_own_folder(program.folder, program.source), digest)
    if offered is not None:
        for release in _releases(program.source):
            _check(offered, release, offered)
    return SourceTree(bench.store.folder(_TREES, digest, _unpacker(program, bench, offered)) / "tree", digest)


def fetched_tree(program: Program, store: Store) -> SourceTree:
    """The program's source tree, which ``source_tree`` has fetched. Raises PrerequisiteError where it has not."""
    digest = tree_digest(program)
    if program.source.origin is not Origin.DEBIAN:
        return SourceTree(_own_folder(program.folder, program.source), digest)
    entry = store.path(_TREES, digest)
    if not entry.is_dir():
        raise PrerequisiteError("its sources are not unpacked", where=program.id, hint=f"harness fetch {program.suite}")
    return SourceTree(entry / "tree", digest)


def packed_tree(tree: SourceTree, store: Store) -> Path:
    """The tree as an archive, which sandboxes are given: a checked one has no way out of it."""

    def make(entry: Path) -> None:
        pack(read_folder(tree.path), entry / "tree.tar")

    return store.folder("packed", digest_of(["packed", 1, tree.digest]), make) / "tree.tar"


def own_folder(folder: Path, source: Source) -> Path:
    """The folder of a source of the suite in ``folder``, checked. Raises UsageError for what no tree may hold."""
    own = _own_folder(folder, source)
    read_folder(own)
    return own


def _own_folder(folder: Path, source: Source) -> Path:
    """A source's own folder. Raises UsageError for one outside the suite's folder and of what the user names."""
    own = (folder / (source.path or ".")).resolve()
    allowed = [folder, *_local_sources()] if source.origin is Origin.LOCAL else [folder]
    if not any(own.is_relative_to(place.resolve()) for place in allowed):
        hint = f"name a folder around it in {_LOCAL_SOURCES}" if source.origin is Origin.LOCAL else None
        raise UsageError("refused: the source folder is not in the suite's folder", where=str(own), hint=hint)
    return _folder(own)


def _local_sources() -> list[Path]:
    """Where else suites may take ``local`` sources from: folders with ``:`` between them."""
    return [at_home(word) for word in os.environ.get(_LOCAL_SOURCES, "").split(os.pathsep) if word]


def overlay_folder(folder: Path, overlay: str) -> Path:
    """The folder of an overlay: regular files and folders in the suite's own folder. Raises UsageError."""
    path = _folder(folder / overlay)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UsageError("refused: the overlay is not in the suite's folder", where=str(path))
    read_folder(path, links=False)
    return path


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise UsageError("there is no such source folder", where=str(path))
    return path


def _unpacker(program: Program, bench: Bench, offered: Path | None) -> Callable[[Path], None]:
    """Puts the whole tree together and checks it before anything of it is written."""

    def unpack(entry: Path) -> None:
        from harness.suite.unpack import read_tarball  # hardly ever needed again

        source = program.source
        tarball = fetched_tarball(source, bench.store, offered)
        tree = read_tarball(tarball, bench)
        for part in source.parts:
            fetched = fetched_tarball(part, bench.store, offered)
            tree = laid_over(tree, read_tarball(fetched, bench), part.folder.rstrip("/"), str(fetched))
        if source.overlay:
            overlay = overlay_folder(program.folder, source.overlay)
            tree = laid_over(tree, read_folder(overlay, links=False), "", str(overlay))
        check_tree(tree, str(tarball))
        (entry / "tree").mkdir()
        (entry / "tree").chmod(0o755)
        write_tree(tree, entry / "tree", str(tarball))

    return unpack


def _releases(source: Source) -> tuple[Source | Part, ...]:
    """What is fetched: the package itself first."""
    return (source, *source.parts)


def _tarball(source: Source | Part, store: Store) -> Path:
    return store.path("tarballs", source.sha256 or "") / (source.tarball or "")


def fetched_tarball(source: Source | Part, store: Store, offered: Path | None) -> Path:
    """The tarball in the cache; its digest is checked before it gets there.

    ``offered`` and errors: as of ``source_tree``.
    """

    def fetch(entry: Path) -> None:
        assert source.tarball and source.package and source.version
        kept = _tarball(source, store)
        if kept.is_file() and digest_file(kept) == source.sha256:  # of a harness that kept no digests beside it
            shutil.copyfile(kept, entry / source.tarball)
            return
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
            hint=f"give the tarball of version {source.version}: `harness fetch SUITE --from DIR`",
        )
    actual = digest_file(file)
    if actual != source.sha256:
        raise UsageError(
            f"refused: its sha256 is {actual}, but the suite pins {source.sha256} ({file.stat().st_size} bytes)",
            where=where,
            hint=f"the file is changed or truncated; or, if the pin of {source.package} in the suite is wrong and you "
            "trust this file, pin what it has",
        )
