"""The cache: an entry is there whole or not at all, made once, whoever is killed on the way."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import PrerequisiteError, UsageError
from harness.base.store import Store, require_space

KEY, OTHER = "ab" + "0" * 62, "ab" + "1" * 62


@pytest.fixture
def cache(tmp_path: Path) -> Store:
    return Store(tmp_path / "deep" / "cache")


def contents(store: Store) -> list[str]:
    return sorted(p.relative_to(store.root).as_posix() for p in store.root.rglob("*"))


def test_an_entry_is_made_once(cache: Store) -> None:
    calls: list[Path] = []

    def make(entry: Path) -> None:
        calls.append(entry)
        assert list(entry.iterdir()) == []
        assert not cache.path("kind", KEY).exists()
        (entry / "file").write_text("content")

    first = cache.folder("kind", KEY, make)
    assert cache.folder("kind", KEY, make) == first == cache.path("kind", KEY)
    assert Store(cache.root).folder("kind", KEY, make) == first
    assert len(calls) == 1
    assert contents(cache) == [
        "kind",
        "kind/ab",
        f"kind/ab/{KEY}",
        f"kind/ab/{KEY}/.sums",
        f"kind/ab/{KEY}/file",
        "tmp",
    ]
    assert (first / "file").read_text() == "content"


def test_facts_are_kept_beside_what_was_made(cache: Store) -> None:
    def make(entry: Path) -> dict[str, float]:
        (entry / "made").write_text("once")
        return {"cpu": 0.25}

    entry, facts = cache.folder_with_facts("kind", KEY, make)
    assert ((entry / "made").read_text(), facts) == ("once", {"cpu": 0.25})
    assert Store(cache.root).folder_with_facts("kind", KEY, lambda _: {"cpu": 9.0}) == (entry, {"cpu": 0.25})
    (entry / "facts.json").write_text('{"cpu": 0.5}')
    with pytest.raises(UsageError):
        Store(cache.root).folder_with_facts("kind", KEY, make)


def test_a_failed_entry_leaves_nothing_and_is_tried_again(cache: Store) -> None:
    def fail(entry: Path) -> None:
        (entry / "half").write_text("half")
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        cache.folder("kind", KEY, fail)
    assert contents(cache) == ["tmp"]
    assert cache.folder("kind", KEY, lambda entry: (entry / "whole").touch()).is_dir()
    assert sorted(p.name for p in cache.path("kind", KEY).iterdir()) == [".sums", "whole"]


def test_threads_make_it_once_and_do_not_wait_for_other_keys(cache: Store) -> None:
    made: list[str] = []
    everyone = threading.Barrier(8, timeout=20)
    both = threading.Barrier(2, timeout=20)

    def make(entry: Path) -> None:
        made.append(entry.parent.name)
        both.wait()  # only passed when two keys are made at the same time
        time.sleep(0.1)

    def ask(key: str) -> None:
        everyone.wait()
        cache.folder("kind", key, make)

    threads = [threading.Thread(target=ask, args=(key,)) for key in (KEY, OTHER) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(made) == 2
    assert cache.path("kind", KEY).is_dir() and cache.path("kind", OTHER).is_dir()


MAKER = """
import os, sys, time
from pathlib import Path
from harness.base.store import Store

def make(entry):
    (entry / "who").write_text(str(os.getpid()))
    print("making", flush=True)
    sys.stdin.readline()
    (entry / "done").touch()

print(Store(Path(sys.argv[1])).folder("kind", sys.argv[2], make), flush=True)
"""


def maker(store: Store) -> "subprocess.Popen[str]":
    """Another process that makes the entry, and waits in the middle."""
    child = subprocess.Popen(
        [sys.executable, "-c", MAKER, str(store.root), KEY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout and child.stdout.readline() == "making\n"
    return child


def test_two_processes_get_one_entry(cache: Store) -> None:
    with maker(cache) as one, maker(cache) as two:
        for child in (one, two):
            out, _ = child.communicate("go\n", timeout=20)
            assert out == f"{cache.path('kind', KEY)}\n"
            assert child.returncode == 0
    entry = cache.path("kind", KEY)
    assert sorted(p.name for p in entry.iterdir()) == [".sums", "done", "who"]
    assert (entry / "who").read_text() == str(one.pid)  # the first; the second's was as good, and went
    assert list((cache.root / "tmp").iterdir()) == []


def test_a_killed_process_leaves_no_entry_and_no_rubbish(cache: Store) -> None:
    with maker(cache) as alive, maker(cache) as killed:
        killed.send_signal(signal.SIGKILL)
        killed.wait(timeout=20)
        assert not cache.path("kind", KEY).exists()
        assert len(list((cache.root / "tmp").iterdir())) == 2
        (leftover,) = [p.name for p in (Store(cache.root).root / "tmp").iterdir()]
        assert leftover.startswith(f"{alive.pid}-")  # what a living process is at work on stays
        alive.communicate("go\n", timeout=20)
    assert sorted(p.name for p in cache.path("kind", KEY).iterdir()) == [".sums", "done", "who"]


def test_records_of_a_killed_process_go_away_too(cache: Store) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait(timeout=10)
    (cache.root / "tmp" / f"{gone.pid}-record").write_text("{")
    (cache.root / "tmp" / "notes").write_text("a stranger's")
    Store(cache.root)
    assert [p.name for p in (cache.root / "tmp").iterdir()] == ["notes"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
).filter(lambda value: value is not None)


@given(value=JSON)
def test_a_record_is_read_back(value: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = Store(tmp_path_factory.getbasetemp() / "records")
    cache.put("kind", KEY, value)
    assert cache.get("kind", KEY) == value
    assert Store(cache.root).get("kind", KEY) == value


def test_a_record_that_is_not_there_or_damaged_is_none(cache: Store) -> None:
    assert cache.get("kind", KEY) is None
    cache.put("kind", KEY, {"a": [1, 2]})
    cache.put("kind", OTHER, {"b": 1})
    cache.put("kind", OTHER, {"b": 2})
    assert cache.get("kind", OTHER) == {"b": 2}
    assert contents(cache) == ["kind", "kind/ab", f"kind/ab/{KEY}.json", f"kind/ab/{OTHER}.json", "tmp"]
    file = cache.root / "kind" / "ab" / f"{KEY}.json"
    whole = file.read_bytes()
    for damaged in (b"", whole[:-1], b"\xff" + whole, b"\0" * len(whole)):
        file.write_bytes(damaged)
        assert cache.get("kind", KEY) is None
    cache.put("kind", KEY, 3)
    assert cache.get("kind", KEY) == 3


def test_records_and_entries_of_one_key_do_not_meet(cache: Store) -> None:
    cache.put("kind", KEY, 1)
    cache.folder("kind", KEY, lambda entry: (entry / "x").touch())
    assert cache.get("kind", KEY) == 1 and (cache.path("kind", KEY) / "x").exists()


def test_scratch_is_on_the_caches_disk_and_goes(cache: Store) -> None:
    with pytest.raises(RuntimeError), cache.scratch() as folder:
        assert folder.is_relative_to(cache.root) and list(folder.iterdir()) == []
        (folder / "sub").mkdir()
        (folder / "sub" / "file").write_text("x")
        raise RuntimeError("on the way")
    assert list((cache.root / "tmp").iterdir()) == []


def test_a_full_disk_is_named_with_the_way_out(cache: Store) -> None:
    def fill(entry: Path) -> None:
        with Path("/dev/full").open("wb") as file:  # the kernel's own answer of a full disk
            file.write(b"x")

    with pytest.raises(PrerequisiteError, match="no space left for the cache") as raised:
        cache.folder("kind", KEY, fill)
    assert raised.value.where == str(cache.root) and raised.value.exit_code == 3
    assert "HARNESS_CACHE" in (raised.value.hint or "")
    assert contents(cache) == ["tmp"]


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EPERM, errno.EDQUOT])
def test_a_cache_that_cannot_be_written_is_named(number: int, cache: Store) -> None:
    def fail(entry: Path) -> None:
        raise OSError(number, os.strerror(number), str(entry / "file"))

    with pytest.raises(PrerequisiteError) as raised:
        cache.folder("kind", KEY, fail)
    assert "HARNESS_CACHE" in (raised.value.hint or "")


def test_other_errors_of_the_system_are_not_dressed_up(cache: Store) -> None:
    def fail(entry: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with pytest.raises(OSError) as raised:
        cache.folder("kind", KEY, fail)
    assert raised.value.errno == errno.EIO


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_file_in_the_way_is_named(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PrerequisiteError) as raised:
        Store(tmp_path / place)
    assert str(tmp_path / "file") in (raised.value.where or "")
    assert "HARNESS_CACHE" in (raised.value.hint or "")


def test_little_space_is_no_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_space(tmp_path)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1 << 20))
    with pytest.raises(PrerequisiteError, match="no space left"):
        require_space(tmp_path)


WRITER = """
import sys
from pathlib import Path
from harness.base.store import Store
store = Store(Path(sys.argv[1]))
print("ready", flush=True)
for number in range(10**9):
    store.put("kind", sys.argv[2], {"number": number, "twice": 2 * number, "padding": "x" * 20000})
"""


def test_a_record_is_never_seen_half(cache: Store) -> None:
    """While another process overwrites it, and after that process is killed at any moment."""
    cache.put("kind", KEY, {"number": 0, "twice": 0})
    for _ in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(cache.root), KEY], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout and writer.stdout.readline() == "ready\n"
            end = time.monotonic() + 0.15
            while time.monotonic() < end:
                record = cache.get("kind", KEY)
                assert record is not None and record["twice"] == 2 * record["number"]
            writer.send_signal(signal.SIGKILL)
            writer.wait(timeout=20)
        record = json.loads((cache.root / "kind" / "ab" / f"{KEY}.json").read_bytes())["value"]
        assert record["twice"] == 2 * record["number"]
    Store(cache.root)
    assert list((cache.root / "tmp").iterdir()) == []


def made(entry: Path) -> None:
    (entry / "value").write_text("1")
    (entry / "part").mkdir()
    (entry / "part" / "link").symlink_to("../value")


ALTERATIONS = {
    "another value": lambda entry: (entry / "value").write_text("2"),
    "a file more": lambda entry: (entry / "part" / "more.h").write_text(""),
    "a file less": lambda entry: (entry / "value").unlink(),
    "a link elsewhere": lambda entry: (
        (entry / "part" / "link").unlink(),
        (entry / "part" / "link").symlink_to("/etc"),
    ),
    "a link for a file": lambda entry: ((entry / "value").unlink(), (entry / "value").symlink_to("/etc/hostname")),
    "a pipe": lambda entry: os.mkfifo(entry / "pipe"),
    "no digests in it": lambda entry: (entry / ".sums").write_text("{}"),
    "digests that are no JSON": lambda entry: (entry / ".sums").write_text("["),
    "deep digests": lambda entry: (entry / ".sums").write_text("[" * 100_000),
    "digests of another kind": lambda entry: (entry / ".sums").write_text("[1]"),
}


@pytest.mark.parametrize("how", ALTERATIONS)
def test_an_altered_entry_is_not_used(cache: Store, how: str) -> None:
    """Found when a run first reads it; what another run has made stays as it was for that one."""
    entry = cache.folder("kind", KEY, made)
    ALTERATIONS[how](entry)
    with pytest.raises(UsageError, match="altered") as refused:
        Store(cache.root).folder("kind", KEY, made)
    assert str(entry) in str(refused.value)
    cache.check_anew()
    with pytest.raises(UsageError, match="altered"):
        cache.folder("kind", KEY, made)
    shutil.rmtree(entry)
    assert (cache.folder("kind", KEY, made) / "value").read_text() == "1"


def test_an_entry_under_another_key_is_not_used(cache: Store) -> None:
    entry = cache.folder("kind", KEY, made)
    shutil.copytree(entry, cache.path("kind", OTHER), symlinks=True)
    with pytest.raises(UsageError, match="altered"):
        cache.folder("kind", OTHER, made)
    shutil.copytree(entry, cache.path("other", KEY), symlinks=True)
    with pytest.raises(UsageError, match="altered"):
        cache.folder("other", KEY, made)


def test_an_entry_of_a_harness_without_digests_is_made_again(cache: Store) -> None:
    entry = cache.folder("kind", KEY, made)
    (entry / ".sums").unlink()
    (entry / "value").write_text("old")
    assert (Store(cache.root).folder("kind", KEY, made) / "value").read_text() == "1"
    file = cache.path("kind", KEY).with_suffix(".json")
    file.write_text('{"outcome": "ok"}')
    assert cache.get("kind", KEY) is None


@given(value=st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
                          | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))  # fmt: skip
def test_records_come_back_as_they_went(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    store = Store(tmp_path_factory.getbasetemp() / "records")
    store.put("kind", KEY, value)
    assert store.get("kind", KEY) == value


@pytest.mark.parametrize("change", ["value", "digest", "key", "kind", "number for text"])
def test_an_altered_record_is_not_used(cache: Store, change: str) -> None:
    cache.put("kind", KEY, {"size.alloc": 43915})
    file = cache.path("kind", KEY).with_suffix(".json")
    text = file.read_text()
    if change == "value":
        file.write_text(text.replace("43915", "10979"))
    elif change == "number for text":
        file.write_text(text.replace("43915", '"43915"'))
    elif change == "digest":
        file.write_text(text.replace('"sha256":"', '"sha256":"0'))
    elif change == "key":
        file.rename(cache.path("kind", OTHER).with_suffix(".json"))
    else:
        cache.path("other", KEY).parent.mkdir(parents=True)
        file.rename(cache.path("other", KEY).with_suffix(".json"))
    with pytest.raises(UsageError, match="altered"):
        cache.get("other" if change == "kind" else "kind", OTHER if change == "key" else KEY)


def test_a_deep_record_is_no_traceback(cache: Store) -> None:
    cache.put("kind", KEY, 1)
    cache.path("kind", KEY).with_suffix(".json").write_text("[" * 100_000)
    with pytest.raises(UsageError, match="altered"):
        cache.get("kind", KEY)


def test_an_entry_without_digests_counts_as_missing(cache: Store) -> None:
    """Whoever asks first whether it is there, and then for it, gets one answer."""
    entry = cache.folder("kind", KEY, made)
    assert Store(cache.root).has("kind", KEY)
    (entry / ".sums").unlink()
    assert not Store(cache.root).has("kind", KEY)
    assert not cache.has("kind", OTHER)
