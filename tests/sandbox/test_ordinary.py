"""The same tests as an ordinary user: most people are not root, and the sandbox must not need it."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.ordinary import HERE, as_ordinary_user, is_root

OPTIONS = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-x", "-k", "not namespaces_are_forbidden")
"""Without the tests that become another user's root anyway."""


@pytest.mark.slow
@pytest.mark.skipif(not is_root(), reason="only root can become somebody else")
def test_all_of_this_holds_for_an_ordinary_user(elsewhere: Path) -> None:
    """Its home is not below pytest's folder: every start of pytest closes that to other users again."""
    command = as_ordinary_user(elsewhere / "home", "-m", "pytest", HERE / "tests" / "sandbox", *OPTIONS)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) > 250, done.stdout[-2000:]
