"""Our own native programs and plugins, built from ``native/`` by the reference clang and kept in the cache.

They are built when first needed and whenever their source or the compiler changes.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from harness.base.digest import digest_of, digest_tree
from harness.base.discovery import PROBLEMS, brought
from harness.base.errors import PrerequisiteError
from harness.base.paths import NATIVE_SOURCES, at_home
from harness.base.process import WAITING, Limits, run
from harness.base.store import Store
from harness.toolchain import Toolchain

__all__ = [
    "builds",
    "llvm_plugin",
    "llvm_program",
    "native_digest",
    "native_folder",
    "native_folders",
    "native_plugin",
    "native_program",
]

_USES = "uses.txt"
"""In a folder of sources: names of others whose sources are built into the same product, or of one source in them."""

_SECONDS = 300.0
"""CPU seconds for each file."""
_TOO_SLOW = "this takes seconds where nothing is wrong: try again when the machine is less busy, or has memory to spare"


def builds(store: Store) -> Store:
    """Where what is built of the harness's own sources is kept: the folder ``HARNESS_BUILDS``, or the cache, or another
    one that this names.

    Every entry is named by its sources and the compiler, so that caches of any age can share one such folder.
    """
    configured = os.environ.get("HARNESS_BUILDS")
    if configured:
        return _shared(at_home(configured).resolve())
    return _shared(store.builds) if store.builds else store


@lru_cache(maxsize=8)
def _shared(root: Path) -> Store:
    try:
        return Store(root)
    except PrerequisiteError as error:
        hint = "HARNESS_BUILDS names it: set it to a folder that you may write to, or unset it"
        raise PrerequisiteError(error.message, where=error.where, hint=hint) from None


def native_program(name: str, toolchain: Toolchain, store: Store) -> Path:
    """All of ``native/NAME/*.c`` as a static program, with the flags of its ``compile_flags.txt``.

    Raises PrerequisiteError when it cannot be built.
    """
    return _built(name, name, "-static", "apt-get install libc6-dev", toolchain, store)


def native_plugin(name: str, toolchain: Toolchain, store: Store) -> Path:
    """The same as a shared library."""
    return _built(name, f"{name}.so", "-shared", "apt-get install libc6-dev", toolchain, store)


def llvm_plugin(name: str, toolchain: Toolchain, store: Store) -> Path:
    """The same of C++, as a plugin for the toolchain's compilers. A problem of another package has its own folder."""
    return _built(name, f"{name}.so", "-shared", "apt-get install llvm-22-dev g++ libc6-dev", toolchain, store)


def llvm_program(name: str, toolchain: Toolchain, store: Store) -> Path:
    """The same of C++, as a program that runs with the toolchain's own library of LLVM."""
    hint = "apt-get install llvm-22-dev g++ libc6-dev"
    library = toolchain.library
    return _built(name, name, "-pie", hint, toolchain, store, (str(library), f"-Wl,-rpath,{library.parent}"))


def native_folder(name: str) -> Path:
    """Where the sources lie: ``native/NAME``, or ``native`` in the package that brings a problem of this name."""
    own = NATIVE_SOURCES / name
    if own.is_dir():
        return own
    return next((found.folder / "native" for found in brought(PROBLEMS) if found.name == name), own)


def native_folders(name: str) -> list[Path]:
    """That folder, and those that its ``uses.txt`` names, or of which it names a source: what it is built from."""
    folders = {used.partition("/")[0]: None for used in _uses(name)}
    return [native_folder(name), *(NATIVE_SOURCES / used for used in folders)]


def _uses(name: str) -> list[str]:
    uses = native_folder(name) / _USES
    return uses.read_text().split() if uses.is_file() else []


def _sources(name: str) -> list[Path]:
    used = [NATIVE_SOURCES / one for one in _uses(name)]
    places = [native_folder(name), *used]
    return [
        source
        for place in places
        for source in ([place] if place.suffix else sorted((*place.glob("*.c"), *place.glob("*.cpp"))))
    ]


def _built(
    name: str, product: str, form: str, hint: str, toolchain: Toolchain, store: Store, libraries: tuple[str, ...] = ()
) -> Path:
    folder, sources = native_folder(name), _sources(name)
    is_cpp = any(source.suffix == ".cpp" for source in sources)
    compiler = toolchain.tool("clang++" if is_cpp else "clang")
    flags = (folder / "compile_flags.txt").read_text().split()
    flags += ["-isystem", str(toolchain.include)] if is_cpp else []
    key = digest_of(["native", native_digest(name), form, toolchain.fingerprint.llvm])

    def command(entry: Path, words: list[str], where: Path) -> None:
        done = run([compiler, *words], cwd=entry, limits=Limits(wall=WAITING * _SECONDS, cpu=_SECONDS))
        if not done.ok:
            store.require_space(done.stderr)
            remedy = _TOO_SLOW if done.timed_out else hint
            raise PrerequisiteError(f"cannot be built: {done.reason()}", where=str(where), hint=remedy)

    def make(entry: Path) -> None:
        def compile_one(source: Path) -> str:
            command(entry, [*flags, "-c", str(source), "-o", f"{source.stem}.o"], source)
            return f"{source.stem}.o"

        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            objects = list(pool.map(compile_one, sources))
        command(entry, [form, *objects, *libraries, "-o", product], folder)
        for made in objects:
            (entry / made).unlink()
        (entry / product).chmod(0o755)  # whatever the umask: the sandbox's user starts it

    return builds(store).folder("native", key, make) / product


def native_digest(name: str) -> str:
    """Of all sources of ``native/NAME``, and of what it uses."""
    folder, *used = map(_digest_of_folder, native_folders(name))
    return digest_of([folder, *used]) if used else folder


def _digest_of_folder(folder: Path) -> str:
    found = sorted((path, path.stat()) for path in folder.rglob("*"))
    return _digest_of_sources(folder, tuple((str(path), facts.st_size, facts.st_mtime_ns) for path, facts in found))


@lru_cache(maxsize=32)
def _digest_of_sources(folder: Path, _facts: tuple[tuple[str, int, int], ...]) -> str:
    """Taken again when a file has changed: every cell's key has it."""
    return digest_tree(folder)
