"""A user at a shell: the real command in a process of its own, with folders of its own.

Also the suites and policies that such a user writes by hand.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.base.vocabulary import SIZE
from harness.cli import main
from harness.measure import Need, choose_metrics
from harness.record import Row, RunFile, read_run, run_files
from harness.record.runfile import write_run
from tests.warm import fits, warm

__all__ = [
    *("BUILDS", "ROOT", "SIZE_METRICS", "TINY"),
    *("Answer", "Command", "Sketch", "User", "forge", "in_process", "result_of", "write_policy", "write_suite"),
]

ROOT = Path(__file__).resolve().parent.parent
SIZE_METRICS = tuple(metric.name for metric in choose_metrics((), SIZE) if Need.STEPS not in metric.needs)
"""Of policies that do not decide in steps."""
"""What a run of track size measures when no metric is named."""
BUILDS = Path(os.environ.get("HARNESS_BUILDS") or ROOT / "build" / "tests" / "builds")
"""The harness's own plugins: built once for all caches of all sessions."""
TINY = ROOT / "tests" / "data" / "tiny" / "suite.toml"
"""Three programs; a cell takes a fraction of a second."""


@dataclass(frozen=True)
class Answer:
    """How a command ended."""

    code: int
    out: str
    err: str

    def refused(self, code: int, *fragments: str) -> None:
        """It ended with this code and one clear message: what, where, what to do; nothing else."""
        shown = f"exit code {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"
        assert self.code == code, shown
        assert self.out == "", shown
        assert "Traceback" not in self.err, shown
        errors = [line for line in self.err.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1, shown
        message = self.err[self.err.index("error: ") :]
        assert len(message.splitlines()) <= 4, shown
        for fragment in fragments:
            assert fragment in message, f"{fragment!r} is missing:\n{shown}"

    @property
    def computed(self) -> int:
        """How many cells a run says that it computed."""
        match = re.search(r"^\d+ cells?, (\d+) computed now", self.err, re.MULTILINE)
        assert match, self.err
        return int(match[1])


Command = Callable[..., Answer]
"""Words to how it ended."""


@dataclass(frozen=True)
class User:
    """Someone with a cache and a results folder."""

    cache: Path
    results: Path

    @classmethod
    def at(cls, folder: Path) -> "User":
        """Someone whose two folders do not exist yet."""
        return cls(folder / "cache", folder / "results")

    def environment(self, **changes: str) -> dict[str, str]:
        """What the user's commands see."""
        mine = {"HARNESS_CACHE": str(self.cache), "HARNESS_RESULTS": str(self.results), "COLUMNS": "200"}
        mine["HARNESS_ASK_AGAIN_AFTER"] = "0"  # a minute each would take days
        mine["HARNESS_BUILDS"] = str(BUILDS)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HARNESS_")}
        return {**kept, **mine, **changes}

    def start(self, *words: str | Path, cwd: Path = ROOT, **changes: str) -> "subprocess.Popen[str]":
        """The command, started in a process group of its own."""
        return subprocess.Popen(
            command(*words),
            cwd=cwd,
            env=self.environment(**changes),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def harness(
        self, *words: str | Path, code: int | None = None, timeout: float = 120, cwd: Path = ROOT, **changes: str
    ) -> Answer:
        """The command, to its end; ``code`` is the exit code that it must have.

        Where its environment is as usual, it is spared reading the harness's modules again (``tests.warm``).
        """
        environment = self.environment(**changes)
        if fits(environment):
            answer = Answer(*warm(os.getpid()).run(["harness", *map(str, words)], cwd, environment, timeout))
        else:
            with self.start(*words, cwd=cwd, **changes) as process:
                out, err = process.communicate(timeout=timeout)
            answer = Answer(process.returncode, out, err)
        assert code is None or answer.code == code, f"exit code {answer.code}\n{answer.out}\n{answer.err}"
        return answer

    def json(self, *words: str | Path) -> Any:
        """What the command prints with ``--json``."""
        return json.loads(self.harness(*words, "--json", code=0).out)

    def runs(self) -> list[RunFile]:
        """The finished runs, the oldest first."""
        return sorted((read_run(path) for path in run_files(self.results)[0]), key=lambda run: run.header.finished)

    def rows(self) -> list[Row]:
        """All rows of all finished runs."""
        return [row for run in self.runs() for row in run.rows]


def command(*words: str | Path) -> list[str]:
    """The installed command with its arguments; where an ordinary user has the interpreter alone, the same by that."""
    installed = Path(sys.executable).with_name("harness")
    by_hand = [sys.executable, "-c", "import sys; from harness.cli import main; sys.argv[0] = 'harness'; main()"]
    return [*([str(installed)] if installed.exists() else by_hand), *map(str, words)]


@dataclass(frozen=True)
class Sketch:
    """A program of one file, run on one workload."""

    name: str
    source: str
    args: tuple[str, ...] = ()
    expected: str | None = None
    """Pinned standard output."""
    language: str = "c"
    timeout: float = 10.0
    more: str = ""
    """Further lines of its table in suite.toml."""
    workload: str = ""
    """Further lines of its workload's table."""


def result_of(output: str) -> str:
    """The digest that a suite pins for a workload that prints this."""
    return hashlib.sha256(output.encode()).hexdigest()


def write_suite(folder: Path, *sketches: Sketch) -> Path:
    """A suite of these programs in ``folder``, which gives it its name; returns its suite.toml."""
    lines = [f'name = "{folder.name}"', 'version = "1"', 'description = "Made by a test."']
    for sketch in sketches:
        ending = "cc" if sketch.language == "c++" else "c"
        source = folder / "src" / sketch.name / f"main.{ending}"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(sketch.source)
        lines += [f"[sources.{sketch.name}]", 'origin = "own"', f'path = "src/{sketch.name}"', 'licence = "MIT"']
    for sketch in sketches:
        ending = "cc" if sketch.language == "c++" else "c"
        lines += ["[[benchmarks]]", f'name = "{sketch.name}"', f'source = "{sketch.name}"', 'description = "Made."']
        lines += [f'language = "{sketch.language}"', f'files = ["main.{ending}"]', 'split = "train"', sketch.more]
        lines += ["[[benchmarks.workloads]]", 'name = "only"', f"args = {json.dumps(sketch.args)}"]
        lines += [f"timeout = {sketch.timeout}", sketch.workload]
    file = folder / "suite.toml"
    file.write_text("\n".join(lines) + "\n")
    pinned = {s.name: {"only": result_of(s.expected)} for s in sketches if s.expected is not None}
    (folder / "expected.json").write_text(json.dumps(pinned))
    return file


def write_policy(folder: Path, passes: str | bytes, **changes: str | None) -> Path:
    """A submission of a list of passes in ``folder``; ``changes`` are fields as TOML, or None to leave one out."""
    fields: dict[str, str | None] = {
        "name": f'"{folder.name}"',
        "version": '"1"',
        "problem": '"passes"',
        "form": '"list"',
        "class": '"fixed"',
        "track": '"size"',
        "targets": '["x86-64", "aarch64"]',
        "authors": '["A. Tester"]',
        "licence": '"MIT"',
        "description": '"Made by a test."',
        "files": '{ passes = "passes.txt" }',
        **changes,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "passes.txt").write_bytes(passes if isinstance(passes, bytes) else passes.encode())
    text = "".join(f"{name} = {value}\n" for name, value in fields.items() if value is not None)
    (folder / "submission.toml").write_text(text)
    return folder


def forge(run: RunFile, *, keep: bool = False, **changes: Any) -> RunFile:
    """The run again, as someone would who wants to pass it off: all rows changed, and its name made to fit."""
    rows = [row.model_copy(update=changes) for row in run.rows]
    fields = {name: getattr(run.header, name) for name in type(run.header).model_fields if name != "run"}
    if not keep:
        run.path.unlink()
    return read_run(write_run(run.path.parent, fields, rows))


def in_process(cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command in this process, on a cache that has the plugin: quicker than one that starts anew."""
    monkeypatch.setenv("HARNESS_CACHE", str(cache))

    def run(*words: str | Path) -> Answer:
        monkeypatch.setattr(sys, "argv", ["harness", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return Answer(ended.value.code, *capsys.readouterr())

    return run
