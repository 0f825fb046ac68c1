"""A git repository, read by object: nothing of it is checked out, and no hook, filter or attribute of it runs."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from harness.base.errors import PrerequisiteError, UsageError
from harness.base.process import Ended, Limits, find_tool, run
from harness.base.reading import MIB, shown_size
from harness.base.text import printable

__all__ = ["DIRECTORY", "LINK", "SUBMODULE", "Entry", "Repository", "TooMuchError"]

LINK = 0o120000
SUBMODULE = 0o160000
DIRECTORY = 0o040000
"""Modes of entries that are no regular file."""
_LISTING = Limits(wall=8.0, memory=256 * MIB, file_size=16 * MIB)
"""Of a list of files or changes: a few small trees, each in the next many times, are more files than memory holds."""
_OTHERS = Limits(wall=120.0, file_size=16 * MIB)


class TooMuchError(UsageError):
    """A commit has more than git can list within ``_LISTING``."""


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

    def commits_of(self, folder: str, commit: str, most: int) -> list[str]:
        """Those that changed a folder, of this commit and its first parents: the newest ``most``, newest first.

        So they are what a branch has had, without what branches had that were merged into it. Raises UsageError.
        """
        words = ("rev-list", "--first-parent", f"--max-count={most}", "--end-of-options", commit, "--", folder)
        done = self._run(*words)
        if not done.ok:
            raise UsageError(f"git rev-list failed: {done.reason()}", where=str(self._folder))
        return done.stdout.decode().split()

    def changes(self, before: str, after: str, *, below: bool = True) -> list[str]:
        """Every path that differs; a renamed file is one that is gone and one that came.

        ``below``: also in folders. Otherwise a folder of the root that differs is a path that ends in ``/``. Raises
        TooMuchError.
        """
        how = ["-z", "--raw", "--no-renames", "--ignore-submodules=none", "--no-commit-id", *(["-r"] if below else [])]
        words = self._listed("diff-tree", *how, before, after)
        changes = []
        for facts, path in zip(words[::2], words[1::2], strict=False):
            modes = {int(mode, 8) for mode in facts.lstrip(b":").split()[:2]}
            changes.append(os.fsdecode(path) + ("/" if modes <= {0, DIRECTORY} else ""))
        return changes

    def entries(self, commit: str, folder: str, *, below: bool = True) -> Iterator[Entry]:
        """What the commit has in a folder; nothing where there is none. ``below``: also in the folders within it.

        Raises TooMuchError.
        """
        how = ("-r", "-t") if below else ()
        for line in self._listed("ls-tree", "-z", "-l", "--full-tree", *how, commit, "--", f"{folder}/"):
            facts, _, path = line.partition(b"\t")
            mode, _, object_, size = facts.split()
            entry = Entry(os.fsdecode(path), int(mode, 8), object_.decode(), int(size) if size.isdigit() else 0)
            if entry.path.startswith(f"{folder}/"):
                yield entry

    def content(self, entry: Entry) -> bytes:
        """Of a file, as it was committed."""
        limits = replace(_OTHERS, file_size=max(entry.size, 1))
        done = self._run("cat-file", "blob", entry.id, limits=limits)
        if not done.ok or len(done.stdout) != entry.size:
            raise UsageError(f"cannot be read: {done.reason()}", where=printable(entry.path, lines=False))
        return done.stdout

    def _listed(self, *words: str) -> list[bytes]:
        done = self._run(*words, limits=_LISTING)
        if not done.ok and (done.timed_out or done.signal is not None or b"memory" in done.stderr):
            most = f"more than git lists in {_LISTING.wall:g} s, {shown_size(_LISTING.memory or 0)} of memory"
            raise TooMuchError(f"{most} and {shown_size(_LISTING.file_size)} of output: {done.reason()}")
        if not done.ok:
            raise UsageError(f"git {words[0]} failed: {done.reason()}", where=str(self._folder))
        return [word for word in done.stdout.split(b"\0") if word]

    def _run(self, *words: str, limits: Limits = _OTHERS) -> Ended:
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
            *("-c", "advice.graftFileDeprecated=false"),  # it would be the last line of what git says
            *("-c", "core.commitGraph=false"),  # parents are what commits say, not what a file says of them
            *("-c", "core.packedGitWindowSize=16m", "-c", "core.packedGitLimit=64m"),  # a large pack is no large list
            *("-c", "core.deltaBaseCacheLimit=32m"),
        ]
        return run([self._git, *settings, *words], cwd=self._folder, limits=limits, env=environment)
