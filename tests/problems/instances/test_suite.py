"""The suite of instances: what it says, and how its files are found, fetched and kept."""

import csv
import gzip
import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from harness.base.errors import PrerequisiteError, UsageError
from harness.base.paths import SUITES
from harness.base.process import Limits
from harness.base.store import Store
from harness.base.vocabulary import Split
from harness.problems.instances import apart
from harness.problems.instances.files import data_folders, instance_content, load_instance
from harness.problems.instances.suite import InstanceEntry, SuiteInstance, Upstream, load_instances
from harness.problems.sharding.domain import Made, Sharding
from harness.problems.sharding.evaluate import evaluate, verify
from harness.problems.sharding.generate import generate, least_usage
from harness.suite.load import load_suite
from tests.problems.sharding.made import as_json
from tests.problems.sharding.test_evaluate import DATA, EXAMPLE

DOMAIN = Sharding()

CONTENT = gzip.compress(as_json(EXAMPLE), mtime=0)
UPSTREAM = Upstream(repository="some/where", commit="0" * 40, folder="benchmarks", licence="MIT")


def listed(upstream: Upstream | None, content: bytes = CONTENT) -> SuiteInstance:
    """Of a suite whose instance has this file."""
    digest = hashlib.sha256(content).hexdigest()
    entry = InstanceEntry[Made](name="X", seconds=1, split=Split.TEST, file="x.json.gz", sha256=digest)
    return SuiteInstance(DOMAIN, "made", entry, upstream)


@pytest.fixture
def own_store(tmp_path: Path) -> Store:
    """A cache with nothing in it."""
    return Store(tmp_path / "cache")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of data, the only one."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("HARNESS_DATA", str(folder))
    return folder


@pytest.fixture
def upstream(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A server that has the file; the paths that it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(CONTENT)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setattr("harness.problems.instances.files._HOST", f"http://127.0.0.1:{server.server_port}")
    yield asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_file_is_found_in_a_folder_of_data_and_parsed_once(data: Path, own_store: Store) -> None:
    (data / "deeper").mkdir()
    file = data / "deeper" / "x.json.gz"
    file.write_bytes(CONTENT)
    instance = load_instance(listed(None), own_store)
    assert instance.nodes == 3 and evaluate(instance, [0, 0, 0]) == 15 + 55 + 25 + 30 + 1 + 10
    file.unlink()  # the compact form is enough from now on
    assert load_instance(listed(None), own_store).name == "example"


def test_another_file_of_the_name_is_refused(data: Path, own_store: Store) -> None:
    (data / "x.json.gz").write_bytes(CONTENT[:-1])
    with pytest.raises(UsageError, match="not the file that the suite pins") as error:
        load_instance(listed(UPSTREAM), own_store)
    assert error.value.where == str(data / "x.json.gz")


def test_a_suite_from_elsewhere_is_read_and_made_within_limits(
    data: Path, own_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a suite that comes with the harness the same takes as long as it takes."""
    monkeypatch.setattr(apart, "_LIMITS", Limits(wall=0.001))
    (data / "x.json.gz").write_bytes(CONTENT)
    found = listed(UPSTREAM)
    recipe = Made(seed=1, layers=2, mesh=(2, 2))
    made = replace(found, entry=InstanceEntry[Made](name="X", seconds=1, split=Split.TEST, made=recipe))
    for work, one in ((load_instance, found), (instance_content, made)):
        with pytest.raises(UsageError, match=r"cannot be read or made: it takes more than 0\.001 s"):
            work(one, own_store)
        assert load_instance(replace(one, folder=SUITES), own_store).nodes > 0


def test_what_is_not_here_is_fetched_once(data: Path, own_store: Store, upstream: list[str]) -> None:
    assert load_instance(listed(UPSTREAM), own_store).nodes == 3
    assert load_instance(listed(UPSTREAM), own_store).nodes == 3
    assert upstream == [f"/some/where/{'0' * 40}/benchmarks/x.json.gz"]
    with pytest.raises(UsageError, match="is not the file that the suite pins"):
        load_instance(listed(UPSTREAM, b"other"), own_store)


def test_what_cannot_be_had_says_what_to_do(data: Path, own_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.problems.instances.files._HOST", "http://127.0.0.1:1")
    with pytest.raises(PrerequisiteError, match=r"is not here, and http\S*/x.json.gz cannot be fetched") as error:
        load_instance(listed(UPSTREAM), own_store)
    assert error.value.hint == "put x.json.gz into a folder of HARNESS_DATA"
    with pytest.raises(PrerequisiteError, match="its file is not here"):
        load_instance(listed(None), own_store)


def test_folders_of_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_DATA", "/a:/b")
    assert data_folders() == (Path("/a"), Path("/b"))
    monkeypatch.delenv("HARNESS_DATA")
    assert [folder.name for folder in data_folders()] == ["shared"]


@pytest.mark.parametrize("most", [16, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_suites_made_instances_are_feasible(most: int, own_store: Store) -> None:
    suite = load_instances(DOMAIN, "iopddl")
    made = [one for one in suite.instances if one.entry.made and one.entry.made.layers <= most]
    assert len(made) == {16: 2, 1000: 6}[most]
    for one in made:
        instance = load_instance(one, own_store)
        assert verify(instance, least_usage(instance)) is None
        assert instance.name == f"iopddl-{one.entry.name}"
    (tight,) = (one.entry.made for one in suite.choose(["tight-64"]))
    assert tight is not None and generate("x", tight.seed, 2, tight.slack) != generate("x", tight.seed, 2)


def test_the_suite_says_what_is_published() -> None:
    suite = load_instances(DOMAIN, "iopddl")
    contest = {entry.name: entry for entry in suite.definition.instances if entry.file}
    assert "".join(contest) == "ABCDGKLMNPQRSTUV" and "".join(suite.definition.absent) == "EFHIJOWXY"
    assert "".join(name for name, entry in contest.items() if entry.optimal) == "BGV"
    with (SUITES / "iopddl" / "contest.csv").open() as file:
        table = {
            row[0]: dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXY", row[1:], strict=True)) for row in csv.reader(file) if row
        }
    scores = {}
    for team, costs in table.items():
        if team not in ("TEAM #", "XLA"):
            reached = [(entry.best or 0, int(costs[name])) for name, entry in contest.items() if costs[name]]
            scores[team] = sum(best / cost for best, cost in reached)
    first, second, third, *_ = sorted(scores.values(), reverse=True)
    assert (round(first, 2), round(second, 2), round(third, 2)) == (15.58, 10.89, 9.72)


@pytest.mark.skipif(not DATA.is_dir(), reason="the contest's instances are not beside the project")
def test_a_contest_instance_through_the_suite(own_store: Store) -> None:
    suite = load_instances(DOMAIN, "iopddl")
    (found,) = suite.choose(["iopddl/G"])
    instance, entry = load_instance(found, own_store), found.entry
    assert (instance.nodes, instance.edges) == (816, 1023)
    cost = evaluate(instance, np.asarray(least_usage(instance)))
    assert entry.bound is not None and cost > entry.bound


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "A"', 'name = "B"', "two instances are called 'B'"),
        ('name = "A"', 'name = "E"', "two instances are called 'E'"),
        ("best = 6548641531", "best = 7", "instance 'A': its best cost, 7, is below its lower bound"),
        ("seconds = 60", "seconds = -1", "instances.1.seconds: must be greater than 0, not -1"),
        ('split = "train"', 'split = "all"', "instances.1.split"),
        ("best = 6548641531", "bets = 6548641531", "instances.1.bets: there is no such field"),
        ('file = "asplos-2025-iopddl-A.json.gz"', "", "instance 'A' needs a file with its sha256, or how it is made"),
        ('file = "asplos-2025-iopddl-A.json.gz"', 'file = "../A"', "must be a relative path that stays inside"),
        ('commit = "8a61', 'commit = "zz', "upstream.commit"),
        ("[upstream]", "[upstream", "not TOML"),
    ],
)
def test_a_wrong_definition_names_the_field(old: str, new: str, message: str, tmp_path: Path) -> None:
    text = (SUITES / "iopddl" / "sharding.toml").read_text()
    assert old in text
    file = tmp_path / "sharding.toml"
    file.write_text(text.replace('name = "iopddl"', 'name = "mine"').replace(old, new, 1))
    with pytest.raises(UsageError, match=re.escape(message)) as error:
        load_instances(DOMAIN, str(file))
    assert error.value.where == str(file)


def test_it_is_no_suite_of_programs() -> None:
    with pytest.raises(UsageError, match=r"'iopddl' is no suite of programs: it is defined by sharding\.toml"):
        load_suite("iopddl")


def test_a_suite_of_ones_own_has_a_name_of_its_own_and_its_files_beside_it(tmp_path: Path, own_store: Store) -> None:
    digest = hashlib.sha256(CONTENT).hexdigest()
    text = f'''name = "mine"
version = "1"
description = "One instance."
instances = [{{ name = "X", seconds = 1, split = "test", file = "x.json.gz", sha256 = "{digest}" }}]
'''
    (tmp_path / "sharding.toml").write_text(text)
    (tmp_path / "x.json.gz").write_bytes(CONTENT)
    suite = load_instances(DOMAIN, str(tmp_path))
    assert load_instance(suite.instances[0], own_store).nodes == 3
    (tmp_path / "sharding.toml").write_text(text.replace('"mine"', '"iopddl"'))
    with pytest.raises(UsageError, match="a suite called 'iopddl' comes with the harness"):
        load_instances(DOMAIN, str(tmp_path / "sharding.toml"))


@pytest.mark.parametrize(
    ("name", "message"),
    [("E", "'E' is absent from iopddl: its file was not to be had"), ("Z", "suite 'iopddl' has no instance 'Z'")],
)
def test_instances_that_are_not_there(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_instances(DOMAIN, "iopddl").choose(["A", name])


def test_no_such_suite() -> None:
    with pytest.raises(UsageError, match="no such suite of sharding instances"):
        load_instances(DOMAIN, "nothing")
