"""``--resume``: leave out what has passed before on these very files, so that hours of tests survive being cut off.

Every test that ends well is written down at once, in ``build/tests/DIGEST.jsonl``; the digest is of all files of the
tree. Another tree, were it by a letter, has another journal and begins anew.
"""

import hashlib
import json
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import pytest

__all__ = ["Journal", "tree_digest"]

_NAME = "resume"


def tree_digest(root: Path) -> str:
    """SHA-256 of the names and contents of all files that git tracks or would track."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=root, capture_output=True, check=True).stdout.split(b"\0")
    digest = hashlib.sha256()
    for name in sorted({name for name in names if name}):
        file = root / name.decode()
        content = hashlib.sha256(file.read_bytes()).digest() if file.is_file() else b""
        digest.update(name + b"\0" + content)
    return digest.hexdigest()


class Journal:
    """The tests that have ended well, each with its seconds: a plugin of the process that starts the workers."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.before = dict(_entries(file))
        """What had passed when this session began."""
        self.passed = dict(self.before)
        self._stages: dict[str, list[pytest.TestReport]] = defaultdict(list)
        self._open: TextIO | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One stage of a test has ended; with its last stage the test has."""
        self._stages[report.nodeid].append(report)
        if report.when != "teardown":
            return
        stages = self._stages.pop(report.nodeid)
        if any(stage.failed for stage in stages):
            return
        self.passed[report.nodeid] = seconds = round(sum(stage.duration for stage in stages), 3)
        if self._open is None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self._open = self.file.open("a")
        print(json.dumps({"test": report.nodeid, "seconds": seconds}), file=self._open, flush=True)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Each worker is told, since all have to collect the same."""
        node.workerinput["passed"] = sorted(self.before)

    def pytest_report_header(self) -> str | None:
        """What is left out."""
        return f"passed before, and left out: {_told(self.before)}" if self.before else None

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """That nothing is left to do is no fault."""
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.before:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """What has passed in all."""
        terminalreporter.write_line(f"passed on these files, in all sessions: {_told(self.passed)}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option."""
    parser.addoption("--resume", action="store_true", help="leave out what has passed before on these very files")


def pytest_configure(config: pytest.Config) -> None:
    """One journal, whatever the number of workers."""
    if config.getoption("--resume") and not hasattr(config, "workerinput"):
        journal = Journal(config.rootpath / "build/tests" / f"{tree_digest(config.rootpath)}.jsonl")
        config.pluginmanager.register(journal, _NAME)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out."""
    journal = config.pluginmanager.get_plugin(_NAME)
    passed = set(getattr(config, "workerinput", {}).get("passed", ()) if journal is None else journal.before)
    if out := [item for item in items if item.nodeid in passed]:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item.nodeid not in passed]


def _entries(file: Path) -> Iterator[tuple[str, float]]:
    for line in file.read_text().splitlines() if file.is_file() else ():
        try:
            entry = json.loads(line)
        except ValueError:  # the line that a kill cut off
            continue
        yield entry["test"], entry["seconds"]


def _told(passed: Mapping[str, float]) -> str:
    minutes, seconds = divmod(round(sum(passed.values())), 60)
    return f"{len(passed)} tests, {minutes}:{seconds:02} of one worker"
