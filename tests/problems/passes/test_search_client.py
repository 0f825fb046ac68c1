"""What a search is told of its budget, and what its cells are known by."""

import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import harness
from harness.problems.passes.search.client import BudgetSpent, Line, Session
from harness.problems.passes.session import wire


class Answering(Session):
    """A session of which every request but the last is answered."""

    left = 2

    def ask(self, request: bytes) -> bytes:
        if self.left == 0:
            raise BudgetSpent
        self.left -= 1
        kind = wire.Kind(request[4])
        return bytes([1]) + struct.pack("<Q", 5) if kind is wire.Kind.APPLY else struct.pack("<56q", *range(56))


@pytest.mark.parametrize("look", [Line.autophase, lambda line: line.apply(0)])
def test_a_search_has_time_as_long_as_it_may_look(look: object) -> None:
    """Looks at features are trials of the budget, too: who asks first is never told BudgetSpent."""
    session = Answering(0, 0, ("dce",), 0.0, 2)
    line = Line(session, 0, ())
    looks = 0
    while session.has_time():
        look(line)  # type: ignore[operator]
        looks += 1
    assert looks == 2


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("passes/search/relay.py", "_LAST = 1.0", "_LAST = 2.0"),
        ("programs/session/submission.py", "_PATIENCE = 60.0", "_PATIENCE = 61.0"),
        ("programs/session/client.py", "self.looks = 0", "self.looks = 1"),
        ("programs/session/relay.py", "_GRACE = 5.0", "_GRACE = 6.0"),
        ("programs/session/worker.py", "self.cpu = 0.0", "self.cpu = 1.0"),
    ],
)
def test_a_search_that_is_accounted_for_otherwise_is_another_cell(
    file: str, before: str, after: str, tmp_path: Path
) -> None:
    """Of a copy of the package."""
    copied = shutil.copytree(Path(harness.__file__).parent, tmp_path / "harness")

    def digest() -> str:
        words = "from harness.problems.passes.search.job import host_digest; print(host_digest())"
        command = [sys.executable, "-c", words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    found = digest()
    changed = copied / "problems" / file
    text = changed.read_text()
    assert before in text
    changed.write_text(text.replace(before, after))
    assert digest() != found
