"""Orig tarballs of Debian source packages, through apt, without touching the system's settings.

apt is given a private folder of source lists derived from the configured binary ones, so that a
machine without ``deb-src`` lines can still download source packages.
"""

import os
import shutil
from pathlib import Path

from harness.base.errors import PrerequisiteError
from harness.base.process import Ended, Limits, run

__all__ = ["download_orig"]

_SYSTEM_LISTS = Path("/etc/apt/sources.list")
_SYSTEM_PARTS = Path("/etc/apt/sources.list.d")


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
    download = [apt, *options, "source", "--download-only", "--tar-only", package]
    if lists_read.exists() and _apt(download, folder).ok:
        return
    # The lists are missing, or older than the mirror.
    lists_read.unlink(missing_ok=True)
    if not (updated := _apt([apt, *options, "update"], state)).ok:
        raise PrerequisiteError(f"apt cannot read its lists: {updated.reason()}", hint="check `apt-get update`")
    lists_read.touch()
    if not (done := _apt(download, folder)).ok:
        raise PrerequisiteError(
            f"apt cannot download the source package {package}: {done.reason()}",
            hint="check the network and `apt-get update`, or give the tarball with `--from DIR`",
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
