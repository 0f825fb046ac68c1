"""Making room in the cache removes entries, whole, the longest unused first, and nothing else."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.base.inventory import Entry, entries_of, oldest_of, remove, undisturbed
from harness.base.store import Store
from tests.drive import User

DAY = 86400.0
KEYS = [f"{number:02x}{'c' * 62}" for number in range(20)]


def put_all(root: Path) -> Store:
    """Twenty folders and twenty records, number 0 unused for longest."""
    store = Store(root)
    for number, key in enumerate(KEYS):
        folder = store.folder("objects", key, lambda entry: (entry / "object").write_bytes(b"x" * 50_000) and None)
        store.put("cells", key, {"value": number})
        used = time.time() - (40 - number) * DAY
        for path in (folder, store.path("cells", key).with_suffix(".json")):
            os.utime(path, (used, used))
    return store


def found(root: Path) -> list[Entry]:
    """What is there."""
    return list(entries_of(root, lambda _: None))


def test_entries_are_counted_with_all_that_they_hold(tmp_path: Path) -> None:
    put_all(tmp_path)
    entries = found(tmp_path)
    assert {kind: sum(entry.kind == kind for entry in entries) for kind in ("objects", "cells")} == {
        "objects": 20,
        "cells": 20,
    }
    assert all(entry.bytes >= 50_000 for entry in entries if entry.kind == "objects")


def test_what_nobody_used_goes_and_the_rest_is_whole(tmp_path: Path) -> None:
    store = put_all(tmp_path)
    gone = oldest_of(found(tmp_path), 30.5 * DAY, None)
    remove(tmp_path, gone, lambda _: None)
    assert len(gone) == 20
    again = Store(tmp_path)
    assert [again.has("objects", key) for key in KEYS] == [False] * 10 + [True] * 10
    assert [again.get("cells", key) for key in KEYS[10:]] == [{"value": number} for number in range(10, 20)]
    assert list((tmp_path / "tmp").iterdir()) == []
    assert store.get("cells", KEYS[0]) is None


def test_who_uses_an_entry_keeps_it(tmp_path: Path) -> None:
    put_all(tmp_path)
    store = Store(tmp_path)
    assert store.has("objects", KEYS[0])
    assert store.get("cells", KEYS[1]) == {"value": 1}
    kept = {entry.path.name for entry in found(tmp_path)} - {
        entry.path.name for entry in oldest_of(found(tmp_path), DAY, None)
    }
    assert kept == {KEYS[0], f"{KEYS[1]}.json"}


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.floats(0, 10**9)), max_size=30),
    st.none() | st.integers(0, 10**7),
    st.none() | st.floats(0, 10**10),
)
def test_as_little_goes_as_must(sizes: list[tuple[int, float]], most: int | None, seconds: float | None) -> None:
    entries = [Entry("cells", Path(str(number)), size, used) for number, (size, used) in enumerate(sizes)]
    gone = oldest_of(entries, seconds, most)
    left = [entry for entry in entries if entry not in gone]
    assert all(one.used <= other.used for one in gone for other in left)
    if most is not None:
        assert sum(entry.bytes for entry in left) <= most
    if gone and (seconds is None or gone[-1].used >= time.time() - seconds):
        assert most is not None
        assert sum(entry.bytes for entry in left) + gone[-1].bytes > most


def test_what_failed_on_a_fresh_input_is_never_forgotten(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("refuted", KEYS[0], {"outcome": "wrong-output"})
    assert oldest_of(found(tmp_path), None, 0) == []


def test_nothing_is_removed_that_is_no_entry(tmp_path: Path) -> None:
    """Another folder that the cache was set to by mistake; links out of the cache."""
    precious = tmp_path / "precious"
    (precious / "ab").mkdir(parents=True)
    (precious / "ab" / "abcd").mkdir()
    (precious / "ab" / "abcd" / "letter").write_text("dear")
    root = tmp_path / "cache"
    Store(root)
    (root / "linked").symlink_to(precious)
    (root / "objects" / "ab").mkdir(parents=True)
    (root / "objects" / "ab" / "abcd").symlink_to(precious / "ab" / "abcd")
    (root / "objects" / "cd").symlink_to(precious / "ab")
    inside = root / "objects" / "ab" / f"ab{'0' * 62}"
    inside.mkdir()
    (inside / "out").symlink_to(precious)
    others = [root / "notes.txt", root / "Photos" / "ab" / "abcd.json", root / "objects" / "ab" / "readme.json"]
    for path in others:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    gone = oldest_of(found(root), None, 0)
    assert [entry.path for entry in gone] == [inside]
    remove(root, gone, lambda _: None)
    assert not inside.exists()
    assert (precious / "ab" / "abcd" / "letter").read_text() == "dear"
    assert all(path.read_text() == "mine" for path in others)
    assert (root / "linked").is_symlink()


def test_a_database_goes_with_what_stands_beside_it(tmp_path: Path) -> None:
    Store(tmp_path)
    with sqlite3.connect(tmp_path / "costs.sqlite") as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE cost (block TEXT)")
        database.commit()
        (entry,) = found(tmp_path)
        assert entry.kind == "costs"
        remove(tmp_path, [entry], lambda _: None)
    assert list(tmp_path.glob("costs*")) == []


def test_folders_that_cannot_be_written_go_too(tmp_path: Path) -> None:
    def make(entry: Path) -> None:
        (entry / "tree" / "part").mkdir(parents=True)
        (entry / "tree" / "part" / "file").write_text("x")
        (entry / "tree" / "part").chmod(0o500)
        (entry / "tree").chmod(0o500)

    Store(tmp_path).folder("trees", KEYS[0], make)
    remove(tmp_path, oldest_of(found(tmp_path), None, 0), lambda _: None)
    assert found(tmp_path) == []
    assert list((tmp_path / "tmp").iterdir()) == []


HOLDER = """
import sys
from pathlib import Path
from harness.base.inventory import hold
hold(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.read()
"""


def test_nobody_prunes_while_another_works_and_a_killed_one_does_not_count(tmp_path: Path) -> None:
    put_all(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == "ready\n"
        with pytest.raises(UsageError, match="another harness"), undisturbed(tmp_path):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait(timeout=20)
    with undisturbed(tmp_path):
        pass


REMOVER = """
import sys
from pathlib import Path
from harness.base.inventory import entries_of, oldest_of, remove
root = Path(sys.argv[1])
print("ready", flush=True)
remove(root, oldest_of(entries_of(root, lambda _: None), None, 0), lambda _: None)
"""


def test_a_killed_prune_leaves_no_half_of_an_entry(tmp_path: Path) -> None:
    put_all(tmp_path)
    with subprocess.Popen([sys.executable, "-c", REMOVER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as remover:
        assert remover.stdout and remover.stdout.readline() == "ready\n"
        time.sleep(0.003)
        remover.send_signal(signal.SIGKILL)
        remover.wait(timeout=20)
    store = Store(tmp_path)
    for key in KEYS:
        store.has("objects", key)  # raises for one that is not whole
    assert list((tmp_path / "tmp").iterdir()) == []


def test_by_hand(tmp_path: Path) -> None:
    """The command shows, refuses what it does not understand, says what would go, and makes room."""
    user = User(tmp_path / "cache", tmp_path / "results")
    put_all(user.cache)
    kinds = {record["kind"]: record for record in user.json("cache")}
    assert kinds["objects"]["entries"] == 20
    assert kinds["objects"]["bytes"] >= 20 * 50_000
    assert kinds["cells"]["oldest"] > 39 * DAY
    assert "objects" in user.harness("cache").out
    for words, said in (
        (("cache", "prune"), "what may go?"),
        (("cache", "prune", "--to", "much"), "'much' is no size"),
        (("cache", "prune", "--older-than", "long"), "'long' is no age"),
        (("cache", "empty"), "no such command 'empty'"),
        (("cache", "--to", "0"), "no such option: --to"),
    ):
        assert said in user.harness(*words, code=2).err
    dry = user.harness("cache", "prune", "--older-than", "732h", "--dry-run").err
    assert "20 of 40 entries would be removed" in dry
    assert len(found(user.cache)) == 40
    user.harness("cache", "prune", "--older-than", "4w", "--to", "500K")
    assert 0 < sum(entry.bytes for entry in found(user.cache)) <= 500 << 10
    user.harness("cache", "prune", "--to", "0")
    assert found(user.cache) == []
