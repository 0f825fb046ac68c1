"""What attacks share: their programs, and roots on the host that none of them may change."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from harness.base.vocabulary import Target
from harness.sandbox import slots
from harness.toolchain import Toolchain
from tests.attacks.host import Roots, Secrets, plant
from tests.drive import ROOT

PROGRAMS = Path(__file__).with_name("programs")


@pytest.fixture(scope="session")
def program(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A program of ``programs/``, by name: built when first asked for."""
    folder = tmp_path_factory.mktemp("attacks")

    def build(name: str) -> Path:
        built = folder / name
        if not built.exists():
            command = [toolchain.tool("clang"), "-static", "-O1", "-w", "-o", str(built), str(PROGRAMS / f"{name}.c")]
            subprocess.run(command, check=True, timeout=120)
            built.chmod(0o755)
        return built

    return build


@pytest.fixture(scope="session")
def secrets() -> Iterator[Secrets]:
    """A home, a cache and results, with things in them that nobody inside may see or change."""
    with TemporaryDirectory() as folder:
        yield plant(Path(folder))


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """The repository's files."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=60).stdout
    return [ROOT / os.fsdecode(name) for name in listed.split(b"\0") if name]


@pytest.fixture(autouse=True)
def unchanged(
    secrets: Secrets, tracked: list[Path], toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The roots are after each attack what they were before it."""
    for target in Target:  # digests of the toolchain's files are kept in a cache: not in the one that is watched
        toolchain.runtime_fingerprint(target, "c++")
    monkeypatch.setenv("HOME", str(secrets.home))
    monkeypatch.setenv("HARNESS_CACHE", str(secrets.cache))
    monkeypatch.setenv("HARNESS_RESULTS", str(secrets.results))
    monkeypatch.setenv("PLANTED_SECRET", secrets.word)
    roots = Roots(tracked, secrets)
    before = roots.state()
    yield
    after = roots.state()
    assert {path: state for path, state in before.items() if after.get(path) != state} == {}
    assert sorted(after.keys() - before.keys()) == []


@pytest.fixture
def without_groups(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As on a machine where no control group can be made: the guard's watch holds alone."""
    fresh: dict[bool, list[slots.Slot]] = {False: [], True: []}
    monkeypatch.setattr(slots, "find_controller", lambda: None)
    monkeypatch.setattr(slots, "_idle", fresh)
    yield
    slots.close_slots()


@pytest.fixture(params=["groups", "watch"])
def held(request: pytest.FixtureRequest) -> str:
    """By what limits hold: by control groups where there are some, and by the guard's watch."""
    if request.param == "watch":
        request.getfixturevalue("without_groups")
    return str(request.param)
