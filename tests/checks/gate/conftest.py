"""Real git repositories, as contributors make them."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.drive import write_policy

SOUND: dict[str, Any] = {
    "base": "a" * 40,
    "head": "b" * 40,
    "name": "mine",
    "new": True,
    "about": "mine 1",
    "findings": [{"code": "V107", "where": "x", "what": "y", "do": ""}],
    "plan": ["2 cells"],
    "suite": "cbench",
    "reference": "Oz",
    "ratios": [{"metric": "size.alloc", "target": "x86-64", "programs": 2, "ratio": 1.01}],
    "before": [],
    "failed": [],
    "runs": 3,
    "seconds": 12.0,
}
"""A report as the gate writes it."""


@dataclass(frozen=True)
class Clone:
    """A repository with one submission on its branch ``main``, and a branch ``request`` that begins there."""

    folder: Path

    def git(self, *words: str, stdin: bytes = b"") -> str:
        who = {
            f"GIT_{role}_{field}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")
        }
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *words],
            cwd=self.folder, env=quiet | who, input=stdin, capture_output=True, check=True, timeout=60,
        )  # fmt: skip
        return done.stdout.decode().strip()

    def write(self, path: str, content: str | bytes = "x\n") -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)

    def submit(self, name: str, passes: str = "default<Oz>\n", **fields: str) -> None:
        """A submission in the working tree."""
        write_policy(self.folder / "submissions" / name, passes, **fields)

    def commit(self, message: str = "Change") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def bomb(self, place: str) -> str:
        """A commit behind HEAD with a new folder of 10,000,000,000 files: ten folders, ten times in each other."""
        entry = f"100644 blob {self.git('hash-object', '-w', '--stdin', stdin=b'x')}\tx"
        for _ in range(10):
            tree = self.git("mktree", stdin=f"{entry}\n".encode())
            entry = "\n".join(f"040000 tree {tree}\td{number}" for number in range(10))
        tree = self.git("mktree", stdin=f"{entry}\n".encode())
        while place:
            place, _, name = place.rpartition("/")
            listed = self.git("ls-tree", f"HEAD:{place}").splitlines()
            others = [line for line in listed if line.partition("\t")[2] != name]
            tree = self.git("mktree", stdin="\n".join([*others, f"040000 tree {tree}\t{name}", ""]).encode())
        return self.git("commit-tree", tree, "-p", "HEAD", "-m", "Add a folder")

    def on(self, branch: str) -> None:
        self.git("checkout", "--quiet", branch)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    (tmp_path / "clone").mkdir()
    made = Clone(tmp_path / "clone")
    made.git("init", "--quiet", "--initial-branch", "main")
    made.write("README.md", "The project.\n")
    made.write("harness/rules.py", "STRICT = True\n")
    made.submit("old")
    made.commit("Begin")
    made.git("checkout", "--quiet", "-b", "request")
    return made
