"""What the tests of register allocation share: programs whose functions need more registers than there are."""

import pytest

from harness.sandbox.bench import Bench
from tests.problems.regalloc.made import Modules


@pytest.fixture(scope="session")
def modules(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Modules:
    """The made programs."""
    return Modules(tmp_path_factory.mktemp("modules"), bench)
