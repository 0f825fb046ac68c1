"""A git repository, read by object: nothing of it is checked out, and no hook, filter or attribute of it runs."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import PrerequisiteError, UsageError
from harness.base.process import Ended, Limits, find_tool, run
from harness.base.reading import MIB, shown_size
from harness.base.text import printable

__all__ = ["DIRECTORY", "LINK", "SUBMODULE", "Change", "Entry", "Repository"]

LINK = 0o120000
SUBMODULE = 0o160000
DIRECTORY = 0o040000
"""Modes of entries that are no regular file."""
_LISTING = 64 * MIB
"""Bytes that a list of files or changes may have."""
_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Change:
    """A path that two commits have different entries of."""

    path: str
    before: int
    """Mode; 0 where there was nothing."""
    after: int
    """Mode; 0 where nothing is left."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a commit's tree."""

    path: str
    mode: int
    id: str
    size: int
    """Bytes of a file; 0 of everything else."""


class Repository:
    """Raises PrerequisiteError where git is missing, and UsageError where the folder is in no repository."""

    def __init__(self, folder: Path) -> None:
        git = find_tool("git")
        if git is None:
            raise PrerequisiteError("git is not installed", hint="apt-get install git")
        self._git, self._folder = git, folder
        if not folder.is_dir():
            raise UsageError("there is no such folder", where=str(folder))
        if not self._run("rev-parse", "--git-dir").ok:
            raise UsageError("this is no git repository", where=str(folder), hint="name a clone with --repo")

    def commit(self, name: str) -> str:
        """The commit that a name means now. Whatever else the name means later is not looked at."""
        done = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if not done.ok:
            raise UsageError(f"there is no commit {name!r}", where=str(self._folder), hint="fetch it first")
        return done.stdout.decode().strip()

    def fork_points(self, one: str, other: str) -> list[str]:
        """The commits that both have and that no other such commit follows: several where histories cross, none where
        they share none."""
        done = self._run("merge-base", "--all", one, other)
        return done.stdout.decode().split() if done.ok else []

    def changes(self, before: str, after: str) -> list[Change]:
        """Every path that differs; a renamed file is one that is gone and one that came."""
        words = self._listed("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", before, after)
        changes = []
        for facts, path in zip(words[::2], words[1::2], strict=False):
            old, new, *_ = facts.lstrip(b":").split()
            changes.append(Change(os.fsdecode(path), int(old, 8), int(new, 8)))
        return changes

    def entries(self, commit: str, folder: str, *, below: bool = True) -> Iterator[Entry]:
        """What the commit has in a folder; nothing where there is none. ``below``: also in the folders within it."""
        how = ("-r", "-t") if below else ()
        for line in self._listed("ls-tree", "-z", "-l", "--full-tree", *how, commit, "--", f"{folder}/"):
            facts, _, path = line.partition(b"\t")
            mode, _, object_, size = facts.split()
            entry = Entry(os.fsdecode(path), int(mode, 8), object_.decode(), int(size) if size.isdigit() else 0)
            if entry.path.startswith(f"{folder}/"):
                yield entry

    def content(self, entry: Entry) -> bytes:
        """Of a file, as it was committed."""
        done = self._run("cat-file", "blob", entry.id, size=max(entry.size, 1))
        if not done.ok or len(done.stdout) != entry.size:
            raise UsageError(f"cannot be read: {done.reason()}", where=printable(entry.path, lines=False))
        return done.stdout

    def _listed(self, *words: str) -> list[bytes]:
        done = self._run(*words)
        if not done.ok:
            most = f"git {words[0]} failed, or lists more than {shown_size(_LISTING)}: {done.reason()}"
            raise UsageError(most, where=str(self._folder))
        return [word for word in done.stdout.split(b"\0") if word]

    def _run(self, *words: str, size: int = _LISTING) -> Ended:
        environment = {
            "PATH": "/usr/bin:/bin",
            "LC_ALL": "C",
            "HOME": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_GRAFT_FILE": os.devnull,
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }
        settings = [
            *("-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
            *("-c", "core.commitGraph=false"),  # parents are what commits say, not what a file says of them
        ]
        limits = Limits(wall=_SECONDS, file_size=size)
        return run([self._git, *settings, *words], cwd=self._folder, limits=limits, env=environment)
