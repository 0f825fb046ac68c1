"""Every sort of benchmarks behind one door, and options that are refused wherever they mean nothing."""

from pathlib import Path

import pytest

from harness import evaluate
from harness.base.errors import UsageError
from harness.problems.registry import all_benchmarks, benchmarks_of, benchmarks_of_track, declared_options, require_own
from harness.timing.request import TimingRequest
from tests.drive import User

VERBS = ("run", "fetch", "suites check", "suites table", "suites profile", "suites coverage", "suites write")
RULE = "programs"


def test_each_suite_and_each_track_has_one_owner() -> None:
    sorts = all_benchmarks()
    assert len(sorts) >= 2 and RULE in sorts
    for folder, sort in sorts.items():
        assert sort.names()
        for name in sort.names():
            assert benchmarks_of(name) == (folder, sort)
            assert [other for other, one in sorts.items() if one.owns(name)] == [folder]
        for track in sort.tracks:
            assert benchmarks_of_track(track) == (folder, sort)
    tracks = [track for sort in sorts.values() for track in sort.tracks]
    assert len(set(tracks)) == len(tracks)


@pytest.mark.parametrize("verb", VERBS)
def test_no_option_is_ignored_in_silence(verb: str) -> None:
    """Each is taken by the sort that declares it (or that the folder which declares it is about), and by no other."""
    sorts = all_benchmarks()
    for owner, options in declared_options(verb).items():
        for name, option in options.items():
            about = owner if owner in sorts else RULE
            require_own(verb, {name: True}, about, "its suite")
            for other in set(sorts) - {about}:
                if name in declared_options(verb).get(other, {}):
                    continue
                with pytest.raises(UsageError, match=f"{option.spelt[0]} says nothing here"):
                    require_own(verb, {name: True}, other, "another suite")


def test_refused_by_the_command_line(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    for words, option in (
        (("run", "--suite", "iopddl", "--target", "x86-64"), "--target"),
        (("run", "--suite", "iopddl", "-j", "2"), "--jobs"),
        (("run", "--suite", "iopddl", "--log-features"), "--log-features"),
        (("run", "--suite", "cbench", "--time-scale", "1"), "--time-scale"),
        (("suites", "check", "iopddl", "--write", "--jobs", "3"), "--write"),
        (("fetch", "iopddl", "--jobs", "2"), "--jobs"),
    ):
        answer = user.harness(*words, code=2)
        assert f"{option} says nothing here" in answer.err
        assert len(answer.err.splitlines()) == 1
    for words, option in (
        (("suites", "show", "cbench", "--markdown"), "--markdown"),
        (("suites", "table", "cbench", "--output", "file"), "--output"),
    ):
        user.harness(*words).refused(2, f"no such option: {option}", f"harness suites {words[1]} --help")
    assert "`suites write` does not apply to cbench" in user.harness("suites", "write", "cbench", "x", code=2).err


def test_refused_by_the_python_door(tmp_path: Path) -> None:
    for options, message in (
        ({"cores": 2}, "--cores says nothing here: cbench is a suite of programs"),
        ({"time_scale": 0.5}, "--time-scale says nothing here"),
        ({"jbos": 2}, "unknown option 'jbos'"),
    ):
        with pytest.raises(UsageError, match=message):
            evaluate("Oz", "cbench", results=tmp_path, **options)
    with pytest.raises(UsageError, match="--budget says nothing here: iopddl"):
        evaluate("least-usage", "iopddl", timing=TimingRequest(budget=1))
    with pytest.raises(UsageError, match="--target says nothing here: iopddl is a suite of sharding instances"):
        evaluate("least-usage", "iopddl", "x86-64")
