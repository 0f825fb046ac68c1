"""What the sandbox's tests share: a program of many modes, and the trusted isolation."""

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.base.store import Store
from harness.base.vocabulary import Isolation
from harness.sandbox import Sandbox
from harness.sandbox.slots import close_slots
from harness.toolchain import Toolchain


@pytest.fixture(scope="session")
def helper(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``helper.c``, built."""
    program = tmp_path_factory.mktemp("helper") / "helper"
    source = Path(__file__).with_name("helper.c")
    subprocess.run([toolchain.tool("clang"), "-D_GNU_SOURCE", "-O1", "-static", source, "-o", program], check=True)
    return program


@pytest.fixture(scope="session")
def trusted(toolchain: Toolchain, store: Store) -> Sandbox:
    """No sandbox."""
    return Sandbox(toolchain, store, Isolation.TRUSTED)


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """A temporary folder that is not below ``/tmp``, where a sandbox has its own, and that everyone can reach."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def fresh_slots() -> None:
    """No slot is there yet."""
    close_slots()
