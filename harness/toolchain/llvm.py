"""Finding stock LLVM 22, and taking the fingerprint of everything that shapes a measurement.

Versions are asked of the tools and digests taken of the files; nothing is written down here.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from harness.base.digest import digest_file, digest_of
from harness.base.errors import PrerequisiteError
from harness.base.paths import at_home, cache_root
from harness.base.vocabulary import Target
from harness.base.writing import written
from harness.toolchain.targets import TARGETS

__all__ = ["INSTALL", "MAJOR", "Fingerprint", "Toolchain", "find_toolchain"]

MAJOR = 22
"""The reference toolchain. LLVM 23 removes ``default<Oz>``; 21 has other plugin headers."""

INSTALL = "apt-get install clang-22 libclang-rt-22-dev llvm-22 llvm-22-dev llvm-22-tools lld-22"
_TOOLS = (
    *("clang", "clang++", "opt", "llvm-link", "llvm-dis", "ld.lld"),
    *("llvm-ar", "llvm-ranlib", "llvm-nm", "llvm-as"),
    *("llvm-mca", "llvm-objdump", "llvm-readobj"),
)
_USUAL_FOLDERS = (
    f"/usr/lib/llvm-{MAJOR}",
    f"/usr/local/llvm-{MAJOR}",
    f"/opt/llvm-{MAJOR}",
    f"/usr/local/opt/llvm@{MAJOR}",
)

_OF_LIBC = frozenset({"c", "dl", "m", "pthread", "rt", "util"})
"""Libraries of the C library's own package: they change with libc.a, whose digest is in the fingerprint."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Digests of the tools, one a family of metrics. Rows of different ones are never ranked together."""

    llvm: str
    """Sizes: clang, opt, llvm-link and LLVM's shared libraries."""
    runtime: dict[str, str]
    """Per target, for outputs and counts: the static C library, the linker, the emulators."""


@dataclass(frozen=True)
class Toolchain:
    """One LLVM installation: ``bin`` is the folder that holds its tools."""

    bin: Path
    version: str

    def tool(self, name: str) -> str:
        """Absolute path of a tool (``clang``, ``opt``, …)."""
        return str(self.bin / name)

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where the installation lies, if that is no place that a sandbox shows anyway."""
        prefix = self.bin.resolve().parent
        return () if prefix.is_relative_to("/usr") else (prefix,)

    @property
    def include(self) -> Path:
        """LLVM's headers, which plugins are built with."""
        return self.bin.resolve().parent / "include"

    @property
    def library(self) -> Path:
        """LLVM as a shared library, for programs that are linked with it. Raises PrerequisiteError where it lacks."""
        folder = self.bin.resolve().parent / "lib"
        for name in (f"libLLVM-{MAJOR}.so", "libLLVM.so"):
            if (folder / name).exists():
                return folder / name
        hint = f"apt-get install llvm-{MAJOR}-dev"
        raise PrerequisiteError("LLVM's shared library is missing", where=str(folder), hint=hint)

    @cached_property
    def host_cpu(self) -> str | None:
        """What LLVM calls the CPU of this machine (``znver4``); None where it does not say."""
        said = subprocess.run([self.tool("opt"), "--version"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"^\s*Host CPU: (\S+)$", said, re.MULTILINE)
        return found[1] if found and found[1] != "(unknown)" else None

    def emulator(self, target: Target) -> str | None:
        """Absolute path of the target's emulator, None for the native target."""
        command = TARGETS[target].emulator
        return None if command is None else self._installed(command, target, "run")

    def counter(self, target: Target) -> str:
        """Absolute path of the emulator that counts what the target's programs execute."""
        return self._installed(TARGETS[target].counter, target, "be counted")

    def _installed(self, command: str, target: Target, purpose: str) -> str:
        if found := shutil.which(command):
            return found
        raise PrerequisiteError(
            f"{command} is not installed: {target.value} programs cannot {purpose}",
            hint=f"apt-get install {TARGETS[target].packages}",
        )

    def libc(self, target: Target) -> Path:
        """The target's static C library."""
        for candidate in TARGETS[target].libc:
            if Path(candidate).is_file():
                return Path(candidate)
        raise PrerequisiteError(
            f"no static C library for {target.value} (looked for {', '.join(TARGETS[target].libc)})",
            hint=f"apt-get install {TARGETS[target].packages}",
        )

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """Digest of the installed files. The digest of an unchanged file is remembered in the cache."""
        remembered = _FileDigests(cache_root() / "file-digests.json")
        llvm = digest_of(
            {"version": self.version}
            | {path.name: remembered.of(path) for path in (*self._executables(), *self._libraries())}
        )
        runtime = {target.value: self._runtime(target, remembered) for target in TARGETS if self._has(target)}
        remembered.save()
        return Fingerprint(llvm=llvm, runtime=runtime)

    def runtime_fingerprint(self, target: Target, language: str = "c", link: Sequence[str] = ()) -> str:
        """The part of the fingerprint that verification on ``target`` depends on; of C++, with its library.

        ``link``: what a program is linked with (``-lz``). Libraries that come with the C library are in the
        fingerprint already; any other is added as the file that the linker takes, or as missing.
        """
        asked = target, language, tuple(link)
        if asked not in self._runtimes:
            self.libc(target), self.emulator(target)  # raises with the remedy where one is missing
            runtime = self.fingerprint.runtime[target.value]
            if language == "c++":
                runtime = digest_of([runtime, _cxx_library(self.tool("clang++"), target)])
            others = [name for name in (word.removeprefix("-l") for word in link) if name not in _OF_LIBC]
            if others:
                runtime = digest_of([runtime, {name: _library(self.tool("clang"), target, name) for name in others}])
            self._runtimes[asked] = runtime
        return self._runtimes[asked]

    @cached_property
    def _runtimes(self) -> dict[tuple[Target, str, tuple[str, ...]], str]:
        """What ``runtime_fingerprint`` has said: every cell's key asks."""
        return {}

    def _executables(self) -> list[Path]:
        return [Path(os.path.realpath(self.tool(name))) for name in ("clang", "opt", "llvm-link")]

    def _libraries(self) -> list[Path]:
        folder = self.bin.parent / "lib"
        found = [*folder.glob("libLLVM*.so*"), *folder.glob("libclang-cpp.so*")]
        return sorted({Path(os.path.realpath(path)) for path in found})

    def _has(self, target: Target) -> bool:
        try:
            self.libc(target), self.emulator(target)
        except PrerequisiteError:
            return False
        return True

    def _runtime(self, target: Target, remembered: "_FileDigests") -> str:
        emulators = filter(None, {self.emulator(target), shutil.which(TARGETS[target].counter)})
        files = [self.libc(target), Path(os.path.realpath(self.tool("ld.lld")))]
        files += [Path(os.path.realpath(emulator)) for emulator in emulators]
        return digest_of({path.name: remembered.of(path) for path in files})


def find_toolchain(environment: dict[str, str] | None = None) -> Toolchain:
    """The LLVM 22 of ``HARNESS_LLVM`` (a prefix or its bin folder), of PATH, or of the usual folders.

    Raises PrerequisiteError, with the command that installs it, when there is none or another version.
    """
    env = os.environ if environment is None else environment
    if configured := env.get("HARNESS_LLVM"):
        prefix = at_home(configured).absolute()  # tools run in other folders than this one
        for folder in (prefix / "bin", prefix):
            if (folder / "clang").exists():
                return _checked(folder, _version(folder / "clang"), where=f"HARNESS_LLVM={configured}")
        raise PrerequisiteError(
            "there is no clang here",
            where=f"HARNESS_LLVM={configured}",
            hint=f"point HARNESS_LLVM at the prefix of an LLVM {MAJOR} installation, or unset it and: {INSTALL}",
        )
    seen: list[str] = []
    for folder in _candidates(env.get("PATH", os.defpath)):
        version = _version(folder / "clang")
        if version and version.split(".")[0] == str(MAJOR):
            return _checked(folder, version, where=str(folder))
        if version:
            seen.append(f"{folder / 'clang'} is {version}")
    found = f" ({'; '.join(seen)})" if seen else ""
    raise PrerequisiteError(f"LLVM {MAJOR} is not installed{found}", hint=INSTALL)


def _candidates(path: str) -> list[Path]:
    folders: list[Path] = []
    for name in (f"clang-{MAJOR}", "clang"):
        if found := shutil.which(name, path=path):
            folders.append(Path(os.path.realpath(found)).parent)
    folders += [Path(prefix) / "bin" for prefix in _USUAL_FOLDERS]
    return [folder for folder in dict.fromkeys(folders) if (folder / "clang").exists()]


def _version(clang: Path) -> str | None:
    try:
        done = subprocess.run([clang, "--version"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(rb"clang version (\d+\.\d+\.\d+)", done.stdout)
    return match.group(1).decode() if match else None


def _checked(folder: Path, version: str | None, *, where: str) -> Toolchain:
    if version is None:
        raise PrerequisiteError("clang does not run", where=where, hint=INSTALL)
    if version.split(".")[0] != str(MAJOR):
        raise PrerequisiteError(
            f"this is LLVM {version}; results are only comparable with LLVM {MAJOR}", where=where, hint=INSTALL
        )
    missing = [tool for tool in _TOOLS if not (folder / tool).exists()]
    if missing:
        raise PrerequisiteError(f"LLVM {version} lacks {', '.join(missing)}", where=str(folder), hint=INSTALL)
    return Toolchain(bin=folder, version=version)


@lru_cache(maxsize=8)
def _cxx_library(compiler: str, target: Target) -> str:
    digest = _library(compiler, target, "stdc++")
    if digest is None:
        raise PrerequisiteError(
            f"no static C++ library for {target.value}", hint=f"apt-get install {TARGETS[target].packages}"
        )
    return digest


def _library(compiler: str, target: Target, name: str) -> str | None:
    """Digest of the static library that the linker takes for ``-lNAME``; None where there is none."""
    command = [compiler, f"--target={TARGETS[target].triple}", f"-print-file-name=lib{name}.a"]
    found = Path(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip())
    if not found.is_absolute() or not found.is_file():  # the compiler repeats a name that it does not find
        return None
    remembered = _FileDigests(cache_root() / "file-digests.json")
    digest = remembered.of(found)
    remembered.save()
    return digest


class _FileDigests:
    """Digests of large files, remembered by path, size and modification time.

    What is remembered carries a digest of its own: where that does not fit, nothing is remembered.
    """

    def __init__(self, memory: Path) -> None:
        self._memory = memory
        try:
            kept = json.loads(memory.read_bytes())
            whole = kept["sha256"] == digest_of(kept["files"])
            self._known: dict[str, str] = dict(kept["files"]) if whole else {}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            self._known = {}
        self._changed = False

    def of(self, path: Path) -> str:
        status = path.stat()
        name = f"{path}:{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
        if name not in self._known:
            self._known[name] = digest_file(path)
            self._changed = True
        return self._known[name]

    def save(self) -> None:
        if not self._changed:
            return
        try:
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            with written(self._memory, 0o600) as file:
                file.write(json.dumps({"sha256": digest_of(self._known), "files": self._known}).encode())
        except OSError:  # a full or read-only cache: the digests are simply taken again next time
            return
