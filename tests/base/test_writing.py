"""Files that appear whole or not at all, and what killed processes leave of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.base.writing import remove_partial, written

KILLED = """
import os, sys
from pathlib import Path
from harness.base.writing import written
with written(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    os._exit(9)
"""


def test_it_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (b"one", b"two"):
        with written(path, 0o640) as file:
            file.write(content)
            assert not path.exists() or path.read_bytes() != content
        assert path.read_bytes() == content and path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_nothing_stays_of_what_was_broken_off(error: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"as it was")
    with pytest.raises(error), written(path) as file:
        file.write(b"half")
        raise error
    assert list(tmp_path.iterdir()) == [path] and path.read_bytes() == b"as it was"


def test_what_killed_processes_leave_is_removed_and_nothing_else(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, tmp_path / "file"], check=False)
    (left,) = tmp_path.iterdir()
    others = [tmp_path / name for name in (".partial", "1-a.partial", ".mine.partial", f".{os.getpid()}-abc.partial")]
    for path in others:
        path.write_bytes(b"")
        os.utime(path, (0, 0))
    remove_partial(tmp_path)
    assert left.exists(), "on another machine that shares the folder the process may live"
    os.utime(left, (0, 0))
    remove_partial(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted(others)
    remove_partial(tmp_path / "nowhere")
