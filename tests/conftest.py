"""What all tests share: folders of their own for cache and results, the toolchain, one store a session."""

import re
import signal
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from harness.base.store import Store
from harness.sandbox import Sandbox
from harness.sandbox.bench import Bench
from harness.toolchain import Toolchain, find_toolchain
from tests.drive import BUILDS, TINY, User

# The same examples every time, so that a failure is one of the code; no clock decides.
settings.register_profile("tests", deadline=None, derandomize=True, database=None)
settings.load_profile("tests")

pytest_plugins = ["tests.resume"]

# A shell has what it starts in the background ignore interrupts, and all that this starts; some tests send them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

TIMING = {
    "tests/problems/programs/test_provoked.py",
    "tests/problems/programs/test_timing.py",
    "tests/sandbox/test_turns.py",
    "tests/checks/test_noise.py",
    "tests/timing/test_campaign.py",
}
"""Modules whose programs take turns on one core: one worker runs all of them, so that they do not meet there."""

PLUGINS = ("tests/problems/inlining/", "tests/problems/regalloc/")
"""Whose tests need a plugin each, and LLVM's headers precompiled: one worker runs all of one of them, so that these are
made once."""


@lru_cache
def _shares(module: str) -> bool:
    """Whether the module's tests share what one of them makes: another worker would make it again."""
    return re.search(r'scope="(module|class|package)"', Path(module).read_text()) is not None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep together what shares something. (xdist 3.8's own marks for this have no effect under pytest 9.)"""
    from xdist.scheduler.loadscope import LoadScopeScheduling

    class ByModule(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            module = nodeid.split("::")[0]
            if module in TIMING:
                return "timing"
            plugin = next((folder for folder in PLUGINS if module.startswith(folder)), None)
            if plugin is not None:
                return plugin
            return module if _shares(module) else nodeid

    return ByModule(config, log)


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test touches the user's cache or the repository's results; what is built of ``native/`` is kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARNESS_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("HARNESS_RESULTS", str(tmp_path_factory.mktemp("results")))
        patch.setenv("HARNESS_BUILDS", str(BUILDS))
        yield


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    """The LLVM 22 of this machine."""
    return find_toolchain()


@pytest.fixture(scope="session")
def store(own_folders: None, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A cache that the tests of one worker share. Never for tests of the cache itself."""
    return Store(Path(tmp_path_factory.mktemp("store")))


@pytest.fixture(scope="session")
def bench(toolchain: Toolchain, store: Store) -> Bench:
    """The workbench on that cache."""
    return Bench(toolchain, store.root)


@pytest.fixture(scope="session")
def sandbox(bench: Bench) -> Sandbox:
    """The sandbox of this machine."""
    return bench.sandbox


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> User:
    """Someone who has run three baselines on the tiny suite. Do not add runs: take ``visitor`` for that."""
    user = User.at(tmp_path_factory.mktemp("tiny"))
    user.harness("run", "--suite", TINY, "--policy", "O0,Os,Oz", "--jobs", "2", code=0)
    return user


@pytest.fixture
def visitor(tiny: User, tmp_path: Path) -> User:
    """Someone with the same cache and results of their own, still empty."""
    return User(tiny.cache, tmp_path / "results")
