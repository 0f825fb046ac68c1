"""Orig tarballs of Debian source packages, through apt, without touching the system's settings.

apt is given a private folder of source lists derived from the configured binary ones, so that a
machine without ``deb-src`` lines can still download source packages.
"""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import PrerequisiteError, UsageError
from harness.base.process import Ended, Limits, run

__all__ = ["Release", "download_orig", "find_release"]

_SYSTEM_LISTS = Path("/etc/apt/sources.list")
_SYSTEM_PARTS = Path("/etc/apt/sources.list.d")


@dataclass(frozen=True, slots=True)
class Release:
    """An upstream release as Debian has it."""

    package: str
    """The source package's name."""
    version: str
    """The upstream version, without the Debian revision."""
    tarball: str
    sha256: str


_PRINTED = re.compile(r"^'[^']+' (?P<name>\S+) \d+ SHA256:(?P<digest>[0-9a-f]{64})$", re.MULTILINE)
_ORIG = re.compile(r"(?P<package>[a-z0-9][a-z0-9+.-]+)_(?P<version>[^_]+?)(?:\.orig)?\.tar\.\w+\Z")
_COMPONENT = re.compile(r"\.orig-[\w-]+\.tar\.")
"""A further tarball of a package, as its documentation."""
_FAILED = re.compile(r"^E: (Failed to fetch .*)$", re.MULTILINE)


def find_release(package: str, version: str | None, state: Path) -> Release:
    """What apt knows of a source package: of this upstream version, or of the one that apt would take.

    ``state``: see ``download_orig``. Raises PrerequisiteError where apt is missing or cannot read its lists, and
    UsageError where it knows no such package or version.
    """
    apt, cache = shutil.which("apt-get"), shutil.which("apt-cache")
    if apt is None or cache is None:
        raise PrerequisiteError("apt-get is not here: it knows Debian's source packages")
    options = _private_options(state)
    _read_lists(apt, options, state)
    wanted = package
    if version is not None:
        known = _versions(cache, options, package, state)
        fitting = [full for full in known if _upstream_version(full) == version]
        if not fitting:
            there = ", ".join(sorted({_upstream_version(full) for full in known})) or "none"
            raise UsageError(f"apt offers no version {version} of {package}", hint=f"upstream versions there: {there}")
        wanted = f"{package}={fitting[-1]}"
    printed = _said([apt, *options, "source", "--print-uris", "--tar-only", wanted], state)
    for match in _PRINTED.finditer(printed):
        if not _COMPONENT.search(match["name"]) and (orig := _ORIG.match(match["name"])):
            return Release(orig["package"], orig["version"], match["name"], match["digest"])
    raise UsageError(
        f"apt knows no source package {package!r}", hint="`apt-cache showsrc NAME` on a machine with Debian"
    )


def _versions(cache: str, options: list[str], package: str, state: Path) -> list[str]:
    """Debian's versions of a source package that apt knows."""
    said = _said([cache, *options, "showsrc", "--only-source", package], state)
    return list(dict.fromkeys(re.findall(r"^Version: (\S+)$", said, re.MULTILINE)))


def _upstream_version(version: str) -> str:
    """Of a Debian version: without epoch and revision."""
    return version.partition(":")[2 if ":" in version else 0].rpartition("-")[0 if "-" in version else 2]


def _said(command: list[str], folder: Path) -> str:
    done = _apt(command, folder)
    return done.stdout.decode(errors="replace") if done.ok else ""


def _read_lists(apt: str, options: list[str], state: Path) -> None:
    """Read the private lists, unless they were read before. Raises PrerequisiteError."""
    lists_read = state / "lists-read"
    if lists_read.exists():
        return
    if not (updated := _apt([apt, *options, "update"], state)).ok:
        raise PrerequisiteError(f"apt cannot read its lists: {updated.reason()}", hint="check `apt-get update`")
    lists_read.touch()


def download_orig(package: str, version: str, folder: Path, state: Path) -> None:
    """Download the orig tarball of ``package`` (upstream ``version``) into ``folder``.

    ``state`` is a private folder for apt's lists, reused between calls. The caller checks the
    digest. Raises PrerequisiteError where apt is missing or does not offer the package.
    """
    apt = shutil.which("apt-get")
    if apt is None:
        raise PrerequisiteError(
            f"apt-get is not here, and the source package {package} {version} is not in the cache",
            hint="on a machine with Debian's apt run `harness fetch`, or give tarballs with `--from DIR`",
        )
    options = _private_options(state)
    lists_read = state / "lists-read"
    download = [apt, *options, "source", "--download-only", "--tar-only"]
    if lists_read.exists() and _apt([*download, package], folder).ok:
        return
    # The lists are missing, or older than the mirror.
    lists_read.unlink(missing_ok=True)
    _read_lists(apt, options, state)
    if (done := _apt([*download, package], folder)).ok:
        return
    # The version that apt would take may not be there, and an earlier one of the same release be.
    cache = shutil.which("apt-cache")
    for full in _versions(cache, options, package, state) if cache else ():
        if _upstream_version(full) == version and _apt([*download, f"{package}={full}"], folder).ok:
            return
    failed = _FAILED.search(done.stderr.decode(errors="replace"))
    raise PrerequisiteError(
        f"apt cannot download the source package {package}: {failed[1] if failed else done.reason()}",
        hint="check the network and `apt-get update`, or give the tarball: `harness fetch SUITE --from DIR`",
    )


def _apt(command: list[str], folder: Path) -> Ended:
    return run(command, cwd=folder, limits=Limits(wall=600, memory=None), env=_environment())


def _environment() -> dict[str, str]:
    # Proxy settings must reach apt; everything else is fixed.
    passed = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", **passed}


def _private_options(state: Path) -> list[str]:
    parts, lists, cache = state / "parts", state / "lists", state / "cache"
    for folder in (parts, lists / "partial", cache / "archives" / "partial"):
        folder.mkdir(parents=True, exist_ok=True)
    one_line = [_SYSTEM_LISTS, *sorted(_SYSTEM_PARTS.glob("*.list"))]
    text = "\n".join(path.read_text() for path in one_line if path.is_file())
    (parts / "derived.list").write_text(_source_lines(text))
    for path in sorted(_SYSTEM_PARTS.glob("*.sources")):
        (parts / path.name).write_text(_source_stanzas(path.read_text()))
    settings = {
        "Dir::Etc::SourceList": os.devnull,
        "Dir::Etc::SourceParts": f"{parts}/",
        "Dir::State::Lists": f"{lists}/",
        "Dir::Cache": f"{cache}/",
        "APT::Sandbox::User": "",
    }
    return [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]


def _source_lines(text: str) -> str:
    """``deb …`` lines as ``deb-src …``; everything else is left out."""
    lines = (line.split(maxsplit=1) for line in text.splitlines())
    return "".join(f"deb-src {words[1]}\n" for words in lines if words[:1] == ["deb"] and words[1:])


def _source_stanzas(text: str) -> str:
    """deb822 stanzas with their ``Types`` replaced by ``deb-src``."""
    lines = ("Types: deb-src" if line.lower().startswith("types:") else line for line in text.splitlines())
    return "\n".join(lines) + "\n"
