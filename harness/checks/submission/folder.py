"""A submission's folder, looked at without following or reading anything in it."""

import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from harness.base.reading import MIB, shown_size
from harness.base.text import printable
from harness.checks.submission.findings import Code, Finding
from harness.policy import Policy
from harness.policy.load import MANIFEST
from harness.policy.templates import template_words

__all__ = [
    "ALWAYS",
    "CLAIMS",
    "DEEPEST",
    "LONGEST",
    "MOST_BYTES",
    "MOST_FILES",
    "faults_of_folder",
    "faults_of_manifest",
]

CLAIMS = "claims"
"""The folder of run files that a submission claims: ``claims.read_claims`` says of each file in it what it is."""
MOST_FILES = 256
MOST_BYTES = 128 * MIB
DEEPEST = 4
"""Folders within it, one in the other."""
LONGEST = 100
"""Characters of a name."""
ALWAYS = (
    "readme",
    "readme.md",
    "readme.txt",
    "make_model.py",
    "notice",
    "licence",
    "license",
    "license.md",
    "license.txt",
    "copying",
)
"""Files that a submission may have without naming them, in any case of their letters: text, that people read."""
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True, slots=True)
class _Entry:
    relative: str
    mode: int
    size: int


def faults_of_folder(folder: Path) -> list[Finding]:
    """What no submission may have, whatever its manifest says: links, devices, names that mislead, too much."""
    shown = printable(str(folder), lines=False)
    try:
        if folder.is_symlink():
            return [Finding(Code.LINK, shown, "a link, not a folder", "name the folder itself")]
        if not (folder / MANIFEST).is_file():
            what = f"there is no {MANIFEST}" if folder.is_dir() else "there is no such folder"
            do = "harness new NAME writes a complete submission to start from"
            return [Finding(Code.NO_SUBMISSION, shown, what, do)]
        return _faults_of(_entries(folder))
    except OSError as error:
        where = os.path.relpath(error.filename or folder, folder)
        shown = shown if where == "." else printable(where, lines=False)
        do = "let everybody read it: chmod -R a+rX"
        return [Finding(Code.UNREADABLE, shown, f"cannot be read: {error.strerror}", do)]


def _faults_of(entries: Iterable[_Entry]) -> list[Finding]:
    findings: list[Finding] = []
    folded: dict[str, str] = {}
    files = size = 0
    for entry in entries:
        shown = printable(entry.relative, lines=False)
        files, size = files + 1, size + entry.size
        if files > MOST_FILES or size > MOST_BYTES:
            most = f"more than {MOST_FILES} files and folders, or {shown_size(MOST_BYTES)}"
            return [*findings, Finding(Code.TOO_MUCH, shown, most, "leave out what the policy does not need")]
        if fault := _fault_of_name(entry.relative):
            findings.append(Finding(Code.FILE_NAME, shown, fault, "use letters, digits, '.', '_' and '-'"))
        other = folded.setdefault(entry.relative.casefold(), entry.relative)
        if other != entry.relative:
            what = f"another name for {printable(other, lines=False)} where case makes no difference"
            findings.append(Finding(Code.FILE_NAME, shown, what, "call one of them otherwise"))
        kind = stat.S_IFMT(entry.mode)
        if kind == stat.S_IFLNK:
            findings.append(Finding(Code.LINK, shown, "a symbolic link", "put the file itself in its place"))
        elif kind in _KINDS:
            findings.append(Finding(Code.SPECIAL_FILE, shown, _KINDS[kind], "only regular files belong here"))
    return findings


def _entries(folder: Path) -> Iterator[_Entry]:
    """Everything below it, by name, without following a link. Raises OSError for a folder that cannot be read."""
    waiting = [("", 0)]
    while waiting:
        inside, depth = waiting.pop(0)
        with os.scandir(folder / inside) as found:
            entries = []
            for one in found:
                entries.append(one)
                if len(entries) > MOST_FILES:
                    break
        for one in sorted(entries, key=lambda entry: entry.name):
            relative = f"{inside}/{one.name}" if inside else one.name
            facts = one.stat(follow_symlinks=False)
            yield _Entry(relative, facts.st_mode, facts.st_size if stat.S_ISREG(facts.st_mode) else 0)
            if stat.S_ISDIR(facts.st_mode) and depth < DEEPEST:
                waiting.append((relative, depth + 1))


def _fault_of_name(relative: str) -> str | None:
    name = relative.rpartition("/")[2]
    if relative.count("/") >= DEEPEST:
        return "deeper than four folders"
    if name.startswith((".", "-")):
        return f"begins with {name[0]!r}"
    if name.endswith((".", " ")) or len(name) > LONGEST:
        return "ends with a dot or a blank" if len(name) <= LONGEST else f"longer than {LONGEST} characters"
    if (
        not name.isascii()
        or any(unicodedata.category(letter)[0] in "CZ" for letter in name)
        or set(name) & set('\\:*?"<>|')
    ):
        return "a name that not every system and reader shows alike"
    return None


def faults_of_manifest(policy: Policy) -> list[Finding]:
    """What its manifest says that it should not, or does not say."""
    manifest = policy.manifest
    findings = []
    try:
        canonicalize_license_expression(manifest.licence)
    except InvalidLicenseExpression:
        do = 'write an SPDX expression, such as "Apache-2.0"'
        findings.append(Finding(Code.LICENCE, "licence", f"{manifest.licence!r} is no SPDX expression", do))
    else:
        if "licenseref" in manifest.licence.lower():
            do = "choose a licence that SPDX lists: readers must be able to know what they may do"
            findings.append(Finding(Code.LICENCE, "licence", f"{manifest.licence!r} is a licence of one's own", do))
    said = {"authors": manifest.authors, "description": (manifest.description,)}
    findings += [
        Finding(Code.TEMPLATE_WORDS, field, f"{words!r} are the template's words", "write your own")
        for field, each in said.items()
        for words in each
        if words in template_words()
    ]
    return findings + _unnamed(policy)


def _unnamed(policy: Policy) -> list[Finding]:
    manifest = policy.manifest
    curve = manifest.training.curve if manifest.training is not None else None
    named = {MANIFEST, *manifest.files.values(), *([curve] if curve else [])}
    folders = {str(parent) for name in named for parent in Path(name).parents}
    found: Mapping[str, int] = {entry.relative: entry.mode for entry in _entries(policy.folder)}
    return [
        Finding(
            Code.UNNAMED_FILE, name, "the manifest does not name it", "leave it out, or say in README.md what it is for"
        )
        for name, mode in found.items()
        if name not in named | folders
        and name.lower() not in ALWAYS
        and not name.startswith(f"{CLAIMS}/")
        and not stat.S_ISDIR(mode)
    ]
