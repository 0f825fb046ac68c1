"""What the tests of inlining policies share: programs whose calls are of every sort."""

import pytest

from harness.sandbox.bench import Bench
from tests.problems.inlining.made import Modules


@pytest.fixture(scope="session")
def modules(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Modules:
    """The made programs."""
    return Modules(tmp_path_factory.mktemp("modules"), bench)
