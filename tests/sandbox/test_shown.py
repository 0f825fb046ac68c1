"""The harness's own Python inside the sandbox, also where the sandbox's user has no way to it."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest

from harness.base.errors import PrerequisiteError
from harness.sandbox import SCRATCH, Finished, Job, Sandbox, shown
from harness.sandbox.bubblewrap import bubblewrap_command
from harness.sandbox.shown import carried_folders, python_folders
from harness.sandbox.slots import close_slots, is_root
from tests.sandbox.jobs import shell

ROOT_ONLY = pytest.mark.skipif(not is_root(), reason="a spawner can bind folders only where the harness is root")
WITH_PACKAGES = pytest.mark.skipif(
    not Path(numpy.__file__).is_relative_to(sys.prefix), reason="this Python has its packages from PYTHONPATH"
)


def python(sandbox: Sandbox, script: str) -> Finished:
    """The harness's Python runs this in the sandbox."""
    job = Job(sys.executable, ("-I", "-B", "-c", script), system=True, folders=python_folders())
    return sandbox.run(job)


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What was found of folders, and slots that are set up for them, hold neither before the test nor behind it."""

    def forget() -> None:
        close_slots()
        carried_folders.cache_clear()

    forget()
    yield
    forget()


@pytest.fixture
def hidden(tmp_path: Path, forgotten: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is taken for Python's, behind one that is its owner's alone, with something beside it."""
    folder = tmp_path / "closed" / "python"
    folder.mkdir(parents=True)
    (folder / "file").write_text("content\n")
    (folder.parent / "secret").write_text("secret\n")
    folder.parent.chmod(0o700)
    monkeypatch.setattr(shown, "python_folders", lambda: (folder,))
    return folder


def mounts() -> list[str]:
    """The host's, as this process and process 1 have them."""
    tables = [Path(f"/proc/{pid}/mountinfo") for pid in ("self", "1")]
    return [table.read_text() for table in tables if os.access(table, os.R_OK)]


@WITH_PACKAGES
def test_it_runs_with_its_packages(sandbox: Sandbox) -> None:
    done = python(sandbox, "import sys, numpy; print(numpy.arange(4).sum(), sys.version_info[:2], sys.prefix)")
    assert done.ok, done.reason_line()
    assert done.stdout.decode().split(maxsplit=1) == ["6", f"{sys.version_info[:2]} {sys.prefix}\n"]


@WITH_PACKAGES
def test_it_cannot_be_changed(sandbox: Sandbox) -> None:
    done = python(
        sandbox,
        "import os, sys, numpy, pathlib\n"
        "for folder in {sys.prefix, sys.base_prefix, os.path.dirname(numpy.__file__)}:\n"
        "    try: pathlib.Path(folder, 'made-by-a-test').write_text('x')\n"
        "    except OSError as error: print(error.errno)\n",
    )
    assert done.ok and set(done.stdout.split()) <= {b"30", b"13"} and len(done.stdout.split()) >= 2


def test_of_the_folders_above_there_is_only_the_way(sandbox: Sandbox) -> None:
    """No file beside them is seen: not the repository, not the home folder."""
    script = (
        "import os, sys\n"
        "for prefix in {sys.prefix, sys.base_prefix}:\n"
        "    parts = prefix.split('/')\n"
        "    for end in range(2, len(parts)):\n"
        "        above = '/'.join(parts[:end])\n"
        "        if not above.startswith('/usr'): print(above, *os.listdir(above))\n"
    )
    done = python(sandbox, script)
    assert done.ok, done.reason_line()
    ours = python_folders()
    for line in done.stdout.decode().splitlines():
        above, *names = line.split(" ")
        ways = {folder.relative_to(above).parts[0] for folder in ours if folder.is_relative_to(above)}
        assert set(names) == ways - ({"."} if above != SCRATCH else set()), line
    if not sys.prefix.startswith("/usr"):
        assert str(Path(sys.prefix).parent) in done.stdout.decode()


def test_which_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a sandbox shows anyway is none of them."""
    for prefix, base, folders in (
        ("/usr", "/usr", []),
        ("/home/me/venv", "/usr", ["/home/me/venv"]),
        ("/home/me/venv", "/opt/python", ["/home/me/venv", "/opt/python"]),
        ("/opt/python", "/opt/python", ["/opt/python"]),
        ("/usr2", "/usr/local", ["/usr2"]),
    ):
        monkeypatch.setattr(sys, "prefix", prefix)
        monkeypatch.setattr(sys, "base_prefix", base)
        assert [str(folder) for folder in python_folders()] == folders


def test_who_is_not_root_carries_nothing(hidden: Path) -> None:
    assert carried_folders(False) == {}


def test_what_everybody_reaches_is_not_carried(hidden: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (elsewhere / "open").mkdir(mode=0o755)
    (elsewhere / "shut").mkdir(mode=0o700)
    (elsewhere / "link").symlink_to(elsewhere / "shut")
    for name, carried in (("open", False), ("shut", True), ("link", True)):
        monkeypatch.setattr(shown, "python_folders", lambda name=name: (elsewhere / name,))
        carried_folders.cache_clear()
        assert (elsewhere / name in carried_folders(True)) == carried


def test_the_place_is_one_where_none_of_the_folders_is(
    forgotten: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first / "python", second):
        folder.mkdir(parents=True)
    tmp_path.chmod(0o700)
    monkeypatch.setattr(shown, "_PLACES", (str(tmp_path / "missing"), str(first), str(second)))
    for folders, places in (((first / "python",), (second / "0",)), ((first / "python", second), ())):
        monkeypatch.setattr(shown, "python_folders", lambda folders=folders: folders)
        carried_folders.cache_clear()
        assert tuple(carried_folders(True).values()) == places


def test_a_carried_folder_is_bound_to_its_own_path(tmp_path: Path) -> None:
    job = Job("/x", folders=(Path("/opt/given"), Path("/root/python")))
    command, _ = bubblewrap_command("bwrap", tmp_path, job, {Path("/root/python"): Path("/mnt/0")})
    words = " ".join(command)
    assert "--ro-bind /opt/given /opt/given --ro-bind /mnt/0 /root/python" in words


@ROOT_ONLY
def test_a_folder_that_only_root_reaches_is_seen(sandbox: Sandbox, hidden: Path) -> None:
    above = hidden.parent
    script = f"cat {hidden}/file; id -u; ls -A {hidden}; ls -A {above}; touch {hidden}/new; cat {above}/secret"
    finished = sandbox.run(shell(script, folders=(hidden,)))
    lines = finished.stdout.decode().splitlines()
    assert lines == ["content", "65534", "file", "python"]
    assert finished.exit == 1 and b"Read-only file system" in finished.stderr
    assert os.listdir(hidden) == ["file"]


@ROOT_ONLY
def test_of_the_place_nothing_is_left(sandbox: Sandbox, hidden: Path) -> None:
    """Not in the sandbox, and not on the host: the mounts are the spawner's alone."""
    before, there = mounts(), {place: os.listdir(place) for place in ("/mnt", "/media", "/srv") if Path(place).is_dir()}
    (place,) = carried_folders(True).values()
    finished = sandbox.run(shell(f"ls -Ad {place.parent} {place}; cat /proc/mounts", folders=(hidden,)))
    assert finished.exit == 0 and str(place).encode() not in finished.stdout
    assert mounts() == before
    assert {name: os.listdir(name) for name in there} == there
    close_slots()
    assert mounts() == before


@ROOT_ONLY
def test_a_folder_that_is_not_carried_is_not_to_be_had(sandbox: Sandbox, hidden: Path) -> None:
    """Without what the tests above show, the sandbox's user has no way there."""
    (hidden.parent / "other").mkdir()
    with pytest.raises(PrerequisiteError, match="the sandbox cannot be set up"):
        sandbox.run(Job("/usr/bin/true", system=True, folders=(hidden.parent / "other",)))


@ROOT_ONLY
def test_the_spawner_is_no_root_and_cannot_undo_it(sandbox: Sandbox, hidden: Path) -> None:
    """It keeps no right over its mounts."""
    assert sandbox.run(shell("true", folders=(hidden,))).ok
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    spawners = [pid for pid in children if b"spawner.py" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert spawners
    for pid in spawners:
        facts = dict(
            line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line
        )
        assert "0" not in facts["Uid"].split()
        assert int(facts["CapEff"], 16) == 0
        ours, theirs = (os.readlink(f"/proc/{who}/ns/mnt") for who in ("self", pid))
        assert ours != theirs


def test_a_python_that_is_the_systems_own(sandbox: Sandbox) -> None:
    """Nothing has to be shown for it."""
    if not Path("/usr/bin/python3").exists():
        pytest.skip("this system has none")
    finished = sandbox.run(Job("/usr/bin/python3", ("-I", "-c", "print(6 * 7)"), system=True))
    assert finished.stdout == b"42\n", finished.reason_line()
