"""A pull request as a value: two commits, the one submission that it is about, and what stands in its way."""

import os
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.text import printable
from harness.checks.gate.repository import DIRECTORY, LINK, SUBMODULE, Entry, Repository, TooMuchError
from harness.checks.submission.findings import Code, Finding, bounded, errors_of
from harness.checks.submission.folder import DEEPEST, LONGEST, MOST_BYTES, MOST_FILES
from harness.policy.manifest import policy_name

__all__ = ["Request", "export", "read_request"]

_PLACE = "submissions"
_SHOWN = 20
"""Paths that a finding lists."""


@dataclass(frozen=True)
class Request:
    """What is asked to be merged."""

    base: str
    """Commit id."""
    head: str
    fork: str | None
    """The newest commit that both have."""
    name: str | None
    """The submission; None where it is not about one."""
    new: bool
    """Whether the base has no submission of this name."""
    changed: tuple[str, ...]
    """Paths, as they can be shown: of files; of more than can be listed, of folders, ending in ``/``."""
    findings: tuple[Finding, ...]


def read_request(repository: Repository, base: str, head: str) -> Request:
    """What lies between two commits, by the names that they have now. Raises UsageError for a name of no commit."""
    one, other = repository.commit(base), repository.commit(head)
    forks = repository.fork_points(one, other)
    if not forks:
        what = "the two commits have no history in common"
        return Request(one, other, None, None, False, (), (Finding(Code.UNRELATED, head, what, "begin from main"),))
    if len(forks) > 1:  # against one of them the request may look like less than a merge would change
        what = f"the two commits have {len(forks)} newest commits in common: their histories cross"
        crossed = (Finding(Code.CONFLICT, head, what, "merge the base into it"),)
        return Request(one, other, None, None, False, (), crossed)
    (fork,) = forks
    try:
        changes = _changes(repository, fork, other)
    except TooMuchError as error:
        return Request(one, other, fork, None, False, (), (Finding(Code.TOO_MUCH, "", error.message),))
    names = sorted({name for path in changes if (name := _submission_of(path))})
    findings = list(_faults(changes, names))
    name = names[0] if len(names) == 1 else None
    new = True
    if name is not None and not errors_of(findings):
        there = list(repository.entries(one, _PLACE, below=False))
        new = f"{_PLACE}/{name}" not in {entry.path for entry in there}
        findings += _faults_of_name(name, there)
        findings += _faults_of_tree(repository, other, name)
        if _differs(repository, fork, one, name):
            what = "the base has changed this submission since this request began"
            findings.append(Finding(Code.CONFLICT, f"{_PLACE}/{name}", what, "merge the base into it"))
    shown = tuple(printable(path, lines=False) for path in changes)
    return Request(one, other, fork, name, new, shown, tuple(bounded(findings)))


def _changes(repository: Repository, fork: str, head: str) -> list[str]:
    """Paths of files; where these are too many, of what differs in the root and in ``submissions``. Raises TooMuchError
    where these are too many as well."""
    try:
        return repository.changes(fork, head)
    except TooMuchError:
        top = repository.changes(fork, head, below=False)
    before, after = (Counter(repository.entries(commit, _PLACE, below=False)) for commit in (fork, head))
    inside = {entry.path + "/" * (entry.mode == DIRECTORY) for entry in (before - after) + (after - before)}
    return [*(path for path in top if path != f"{_PLACE}/"), *sorted(inside)]


def _submission_of(path: str) -> str | None:
    """The name of the submission that a file is in, or whose folder it is, ending in ``/``."""
    place, _, inside = path.partition("/")
    name, within, _ = inside.partition("/")
    return name if place == _PLACE and name and within else None


def _faults(changes: Sequence[str], names: Sequence[str]) -> Iterator[Finding]:
    if not changes:
        yield Finding(Code.NOTHING_CHANGED, "", "the request changes nothing")
    if outside := [path for path in changes if _submission_of(path) is None]:
        shown = [printable(path, lines=False) for path in outside[:_SHOWN]]
        more = f", and {len(outside) - _SHOWN} more" if len(outside) > _SHOWN else ""
        what = f"{len(outside)} path{'s' * (len(outside) != 1)} outside submissions/NAME/: {', '.join(shown)}{more}"
        do = "a submission is one folder of submissions/; ask for other changes in a request of their own"
        yield Finding(Code.OUTSIDE, "", what, do)
    if len(names) > 1:
        shown = [printable(name, lines=False) for name in names[:_SHOWN]]
        yield Finding(Code.SEVERAL, "", f"several submissions: {', '.join(shown)}", "one request for each")


def _faults_of_name(name: str, there: Sequence[Entry]) -> Iterator[Finding]:
    """Against what the base has: two names that differ in case alone are one folder on some systems."""
    try:
        policy_name(name)
    except ValueError as error:
        yield Finding(Code.FILE_NAME, printable(name, lines=False), str(error), "give it another name")
    others = [Path(entry.path).name for entry in there]
    same = [other for other in others if other != name and _folded(other) == _folded(name)]
    if same:
        what = f"another spelling of the submission {printable(same[0], lines=False)}"
        yield Finding(Code.FILE_NAME, printable(name, lines=False), what, "give it another name")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _faults_of_tree(repository: Repository, commit: str, name: str) -> Iterator[Finding]:
    """What must not even be written to this machine's disk. The rest is said of the folder that is written."""
    try:
        entries = list(repository.entries(commit, f"{_PLACE}/{name}"))
    except TooMuchError as error:
        yield Finding(Code.TOO_MUCH, f"{_PLACE}/{name}", error.message, "leave out what the policy does not need")
        return
    files = [entry for entry in entries if entry.mode != DIRECTORY]
    if not files:
        yield Finding(Code.REMOVED, f"{_PLACE}/{name}", "the submission is removed", "maintainers remove submissions")
    if len(entries) > MOST_FILES or sum(entry.size for entry in files) > MOST_BYTES:
        yield Finding(Code.TOO_MUCH, f"{_PLACE}/{name}", f"{len(entries)} files, or too many bytes")
    folded: dict[str, str] = {}
    seen: set[str] = set()
    for entry in entries:
        inside = entry.path.removeprefix(f"{_PLACE}/{name}/")
        shown = printable(inside, lines=False)
        parts = inside.split("/")
        if entry.mode == LINK:
            yield Finding(Code.LINK, shown, "a symbolic link", "put the file itself in its place")
        elif entry.mode == SUBMODULE:
            yield Finding(Code.SPECIAL_FILE, shown, "a submodule", "put the files themselves in its place")
        if any(part in ("", ".", "..") or _folded(part) == ".git" for part in parts) or not inside.isprintable():
            yield Finding(Code.FILE_NAME, shown, "a name that leads elsewhere", "give it another name")
        if len(parts) > DEEPEST + 1 or any(len(os.fsencode(part)) > LONGEST for part in parts):
            what = f"a name of more than {LONGEST} bytes, or deeper than {DEEPEST} folders"
            yield Finding(Code.FILE_NAME, shown, what, "give it another name")
        if inside in seen:
            yield Finding(Code.FILE_NAME, shown, "the tree has this name twice", "commit the folder again")
        seen.add(inside)
        other = folded.setdefault(_folded(inside), inside)
        if other != inside:
            what = f"another spelling of {printable(other, lines=False)}"
            yield Finding(Code.FILE_NAME, shown, what, "call one of them otherwise")


def _differs(repository: Repository, fork: str, base: str, name: str) -> bool:
    folder = f"{_PLACE}/{name}"
    return list(repository.entries(fork, folder)) != list(repository.entries(base, folder))


def export(repository: Repository, commit: str, name: str, folder: Path) -> Path | None:
    """Write a submission's regular files, as the commit has them, below ``folder``; None where it has none.

    ``commit``: one whose tree ``read_request`` found no fault in, or the base.
    """
    own = folder / name
    prefix = f"{_PLACE}/{name}/"
    for entry in repository.entries(commit, f"{_PLACE}/{name}"):
        place = own / entry.path.removeprefix(prefix)
        if entry.mode in (DIRECTORY, LINK, SUBMODULE) or not place.resolve().is_relative_to(own.resolve()):
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(repository.content(entry))
    return own if own.is_dir() else None
