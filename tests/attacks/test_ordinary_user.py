"""The same attacks on a harness that is no root: no control groups, and one user id for all sandboxes."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.ordinary import HERE, as_ordinary_user, is_root


@pytest.mark.slow
@pytest.mark.skipif(not is_root(), reason="only root can become another user")
def test_all_attacks_as_an_ordinary_user() -> None:
    with TemporaryDirectory() as home:  # pytest's own folders are closed again by whoever starts pytest next
        _run_all(Path(home))


def _run_all(home: Path) -> None:
    attacks = HERE / "tests" / "attacks"
    words = ("-m", "pytest", attacks, "-q", "-rs", "-p", "no:cacheprovider", "-p", "no:xdist")
    without = [f"--ignore={attacks / name}" for name in (Path(__file__).name, "test_fuzz.py")]  # readers have no user
    more = (*without, f"--rootdir={HERE}", "-c", HERE / "pyproject.toml")
    done = subprocess.run(
        as_ordinary_user(home, *words, *more),
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    shown = done.stdout + done.stderr
    assert done.returncode == 0, shown
    last = done.stdout.strip().splitlines()[-1]
    assert " passed" in last, shown
    reasons = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    assert all("no control group counts CPU time here" in line for line in reasons), shown
