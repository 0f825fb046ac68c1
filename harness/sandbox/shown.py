"""The harness's own Python inside sandboxes: which folders that takes, and how a user who is nobody reaches them.

Where the harness is root, sandboxes belong to another user, and that one has no way into ``/root``. Their spawner
then binds the folders to a place of its own that everybody may enter, in a mount namespace of its own.
"""

import importlib.util
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from harness.base.errors import UsageError
from harness.toolchain.dynamic import read_dynamic

__all__ = ["PythonAlone", "carried_folders", "python_alone", "python_folders"]

_PLACES = ("/mnt", "/media", "/srv")
"""Folders that every system has; what is there is hidden from spawners only."""


_LIBRARIES = (
    *("ld-linux", "libc.", "libm.", "libpthread.", "libdl.", "librt.", "libutil.", "libmvec."),
    *("libgcc_s.", "libstdc++.", "libgfortran.", "libquadmath.", "libblas.", "liblapack.", "libopenblas"),
    *("libpython", "libz.", "libbz2.", "liblzma.", "libffi.", "libcrypto.", "libssl.", "libexpat.", "libuuid."),
)
"""Beginnings of the names of the shared libraries that an interpreter alone is shown, of those that it asks for. None
of them can compile anything, and none can be made to: LLVM, for one, is a shared library too."""


@dataclass(frozen=True, slots=True)
class PythonAlone:
    """The harness's interpreter without the system around it: no other program, and only some packages."""

    program: Path
    packages: tuple[Path, ...]
    """Where the packages lie: for ``sys.path``, since it is started without ``site``."""
    shown: tuple[Path, ...]
    """Folders and files to show."""
    hidden: tuple[Path, ...]
    """Folders within those to show empty."""


@lru_cache(maxsize=8)
def python_alone(packages: tuple[str, ...]) -> PythonAlone:
    """The interpreter with its standard library, these packages, and the shared libraries that they need."""
    program = Path(sys.executable).resolve()
    standard = Path(sysconfig.get_path("stdlib"))
    folders = [folder for name in packages for folder in _package_folders(name)]
    extensions = [path for folder in (standard / "lib-dynload", *folders) for path in sorted(folder.rglob("*.so*"))]
    return PythonAlone(
        program,
        tuple(dict.fromkeys(folder.parent for folder in folders)),
        (program, standard, *folders, *_libraries_of([program, *extensions])),
        tuple(folder for name in ("site-packages", "dist-packages") if (folder := standard / name).is_dir()),
    )


def _package_folders(name: str) -> Iterator[Path]:
    """A package's folder, and the one beside it with the libraries that its wheel brought; found without importing."""
    found = importlib.util.find_spec(name)
    if found is not None and found.origin is not None:
        folder = Path(found.origin).parent
        yield folder
        if (libraries := folder.with_name(f"{name}.libs")).is_dir():
            yield libraries


def _libraries_of(files: list[Path]) -> tuple[Path, ...]:
    """The shared libraries that the loader finds for these files outside their own folders, theirs in turn, and it."""
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    places = [Path(sys.base_prefix) / "lib", *(Path(top, multiarch) for top in ("/lib", "/usr/lib"))]
    places += map(Path, ("/lib64", "/usr/lib64", "/lib", "/usr/lib"))
    found: dict[str, Path] = {}
    waiting = list(files)
    while waiting:
        with suppress(UsageError):
            file = read_dynamic(waiting.pop(), symbols=False)
            if file.interpreter:
                found[Path(file.interpreter).name] = Path(file.interpreter)
            for name in file.needed:
                if name not in found and name.startswith(_LIBRARIES):
                    here = next((place / name for place in places if (place / name).is_file()), None)
                    if here is not None:
                        found[name] = here
                        waiting.append(here)
    return tuple(found.values())


def python_folders() -> tuple[Path, ...]:
    """The interpreter and its packages, where they are no place that a sandbox shows anyway."""
    prefixes = dict.fromkeys((Path(sys.prefix), Path(sys.base_prefix)))
    return tuple(prefix for prefix in prefixes if not prefix.is_relative_to("/usr"))


@lru_cache(maxsize=2)
def carried_folders(root: bool) -> dict[Path, Path]:
    """Folder → where the spawner binds it; empty unless the harness is ``root`` and others cannot reach one."""
    folders = [folder for folder in python_folders() if not _reachable(folder)] if root else []
    free = [place for place in map(Path, _PLACES) if place.is_dir() and not _holds(place, folders)]
    return {folder: free[0] / str(number) for number, folder in enumerate(folders)} if free else {}


def _reachable(folder: Path) -> bool:
    real = folder.resolve()
    return all(path.stat().st_mode & 0o005 == 0o005 for path in (real, *real.parents))


def _holds(place: Path, folders: list[Path]) -> bool:
    return any(folder.resolve().is_relative_to(place) for folder in folders)
