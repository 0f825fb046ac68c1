"""A problem, a metric and a suite that another package brings: installed by pip, used by the real command."""

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.record import run_files
from harness.sandbox.bench import Bench
from tests.drive import User, write_policy
from tests.outside import BRINGS, install
from tests.problems.instances.user import write_solver

RING = b'{"vertices": 4, "edges": [[0, 1], [1, 2], [2, 3], [3, 0]]}'
SOLVERS = {"two": "print([0, 1, 0, 1])", "four": "print([0, 1, 2, 3])", "same": "print([0, 0, 0, 0])"}
PACKAGE = "made_up 1.0"


def found_in(place: Path) -> dict[str, str]:
    """What a command's environment needs for packages in this folder."""
    return {"PYTHONPATH": os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite of one graph and three solvers."""
    folder = tmp_path_factory.mktemp("outside")
    for name, body in SOLVERS.items():
        write_solver(folder / name, body, problem='"colouring"', track='"colouring"')
    (folder / "graphs").mkdir()
    (folder / "graphs" / "ring.json").write_bytes(RING)
    (folder / "graphs" / "colouring.toml").write_text(f"""name = "graphs"
version = "1"
description = "A ring."
[[instances]]
name = "ring"
file = "ring.json"
sha256 = "{hashlib.sha256(RING).hexdigest()}"
split = "test"
seconds = 5
best = 2
bound = 2
""")
    return folder


@pytest.fixture(scope="module")
def package(place: Path) -> dict[str, str]:
    """The environment in which the package is installed."""
    return found_in(install(place))


@pytest.fixture(scope="module")
def user(place: Path, package: dict[str, str]) -> User:
    """Someone who has run the solvers and the suite of the package. Do not add runs."""
    someone = User.at(place / "user")
    policies = ",".join(str(place / name) for name in SOLVERS)
    someone.harness("run", "--suite", place / "graphs", "--policy", policies, **package, code=1)
    words = ("--suite", "ladders", "--policy", "Os", "--metric", "ir.doubled,ir.instructions", "--target", "x86-64")
    someone.harness("run", *words, **package, code=0)
    return someone


def recorded(user: User) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Header and rows of each run, the oldest first: this process has no such package, and does not read them."""
    files = sorted(run_files(user.results)[0], key=lambda path: path.stem.rsplit("-", 2)[1])
    lines = [[json.loads(line) for line in path.read_text().splitlines()] for path in files]
    return [(first["header"], [line for line in rest if "cell" in line]) for first, *rest in lines]


def test_a_problem_of_one_folder_is_run_ranked_and_judged_again(
    user: User, place: Path, package: dict[str, str]
) -> None:
    (header, rows), _ = recorded(user)
    outcomes = {
        row["policy"]: (row["outcome"], row.get("value")) for row in rows if row.get("metric") in (None, "cost")
    }
    assert outcomes == {"two": ("ok", 2), "four": ("ok", 4), "same": ("infeasible", None)}
    words = {(row["problem"], row["form"], row["track"]) for row in rows}
    assert words == {("colouring", "python", "colouring")}
    ranked = user.harness("leaderboard", "--suite", "graphs", "--instances", **package, code=0)
    assert "100.00 %" in ranked.out and "both ends of edge 0" in ranked.out
    again = user.harness("replay", header["run"], "--suite", place / "graphs", **package, code=0)
    assert "2 of 2 assignments are worth what was recorded" in again.err
    row = f"{header['run']}/ring/x86-64/two"
    script = user.harness("repro", row, "--suite", place / "graphs", **package, code=0).out
    judged = subprocess.run(["sh", "-s", place / "graphs" / "ring.json"], input=script, capture_output=True, text=True)
    assert (judged.returncode, judged.stdout) == (0, "colours 2\nequal\n"), judged.stderr
    assert "1 of 1 instances of graphs are sound" in user.harness("suites", "check", place / "graphs", **package).err


def test_its_suite_and_its_metric_are_used_like_those_of_the_repository(user: User, package: dict[str, str]) -> None:
    _, (_, rows) = recorded(user)
    values = {row["metric"]: row["value"] for row in rows if row["policy"] == "Os"}
    assert values["ir.instructions"] and values["ir.doubled"] == 2 * int(values["ir.instructions"])
    assert "ladders" in user.harness("suites", **package, code=0).out
    assert "climb" in user.harness("suites", "ladders", **package, code=0).out


def test_what_a_package_had_a_hand_in_is_marked(user: User, package: dict[str, str], place: Path) -> None:
    assert [header["packages"] for header, _ in recorded(user)] == [[PACKAGE], [PACKAGE]]
    mark = f"with code of other packages in the harness, which no sandbox holds: {PACKAGE}"
    assert mark in user.harness("leaderboard", "--suite", "graphs", **package, code=0).err


@pytest.mark.slow
def test_a_problem_with_a_plugin_is_one_folder_too(package: dict[str, str], tmp_path: Path, bench: Bench) -> None:
    someone, fields = User.at(tmp_path), {"problem": '"shrinking"', "files": '{ names = "names.txt" }'}
    for name, functions in (("everything", "main\nsteps_from\n"), ("nothing", "nobody\n")):
        write_policy(tmp_path / name, "", track='"speed"', targets='["x86-64"]', **fields)
        (tmp_path / name / "names.txt").write_text(functions)
    policies = f"greedy,{tmp_path / 'everything'},{tmp_path / 'nothing'}"
    words = ("--target", "x86-64", "--track", "speed", "--metric", "size.alloc")
    someone.harness("run", "--suite", "ladders", "--policy", policies, *words, **package, code=0)
    ((header, rows),) = recorded(someone)
    objects = {row["policy"]: row["object_digest"] for row in rows}
    sizes = {row["policy"]: row["value"] for row in rows}
    assert objects["nothing"] == objects["greedy"] and sizes["everything"] < sizes["greedy"]
    replayed = someone.harness("replay", header["run"], **package, code=0)
    assert "3 of 3 objects rebuilt from their decisions are equal" in replayed.err
    script = someone.harness("repro", f"{header['run']}/climb/x86-64/everything", **package, code=0).out
    (tmp_path / "again.sh").write_text(script)
    environment = {**os.environ, "LLVM": str(bench.toolchain.bin)}
    done = subprocess.run(["sh", "again.sh", "again"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_it_brings_a_verb(place: Path, package: dict[str, str], tmp_path: Path) -> None:
    user, graph = User.at(tmp_path), place / "graphs" / "ring.json"
    assert "degrees" in user.harness("--help", **package, code=0).out
    assert "how many neighbours" in user.harness("degrees", "--help", **package, code=0).out
    found = user.harness("degrees", graph, "--least", "2", "--json", **package, code=0)
    assert json.loads(found.out) == [{"vertex": vertex, "degree": 2} for vertex in range(4)]
    assert "4 of 4 vertices" in found.err
    user.harness("degrees", tmp_path / "none.json", **package).refused(2, "none.json")
    assert "no such command 'degrees'" in user.harness("degrees", graph, code=2).err


def test_options_that_it_does_not_have_are_refused(user: User, package: dict[str, str], place: Path) -> None:
    refused = user.harness("run", "--suite", place / "graphs", "--metric", "ir.doubled", **package)
    refused.refused(2, "--metric says nothing here", "a suite of colouring instances")
    user.harness("run", "--suite", "ladders", "--cores", "1", **package).refused(2, "--cores says nothing here")


def test_without_the_package_its_runs_say_which_is_missing(user: User) -> None:
    user.harness("leaderboard").refused(2, "no problem that is installed here declares 'colouring'", PACKAGE)


@pytest.mark.parametrize(
    ("brings", "why"),
    [
        (
            "[harness.problems]\nbroken = broken\n",
            "made_up 1.0, which brings 'broken', cannot be imported: Runtime",
        ),
        ("[harness.problems]\nabsent = absent\n", "made_up 1.0, which brings 'absent', cannot be imported: ModuleNot"),
        ("[harness.problems]\nprograms = colouring\n", "made_up 1.0 brings 'programs' as 'colouring'"),
        ("[harness.problems]\npainting = colouring\n", "made_up 1.0 brings 'painting' as 'colouring'"),
    ],
)
def test_a_broken_package_is_named_by_one_error(brings: str, why: str, tmp_path: Path) -> None:
    extra = {"broken/__init__.py": "raise RuntimeError('broken')"}
    broken = found_in(install(tmp_path, brings, extra))
    User.at(tmp_path).harness("leaderboard", **broken).refused(3, why)


def test_a_suite_cannot_take_the_name_of_another(tmp_path: Path) -> None:
    brings = BRINGS.replace("ladders = ladders", "cbench = ladders")
    User.at(tmp_path).harness("suites", **found_in(install(tmp_path, brings))).refused(
        3, "there is a suite called 'cbench' already"
    )


def test_a_metric_whose_version_rises_is_taken_again_and_no_other(place: Path, tmp_path: Path) -> None:
    """The objects are gone from the cache: whatever is taken again would have other seconds."""
    there = install(tmp_path)
    package = found_in(there)
    someone = User.at(tmp_path / "user")
    words = ("run", "--suite", "ladders", "--metric", "ir.doubled,ir.instructions,compile.cpu", "--target", "x86-64")
    someone.harness(*words, "--policy", "Os,Oz", **package, code=0)
    (module,) = there.rglob("doubled.py")
    text = module.read_text()
    changed = text.replace("deterministic=True", "deterministic=True, version=2").replace("2 * subject", "3 * subject")
    module.write_text(changed)
    for area in ("objects", "optimised"):
        (found,) = someone.cache.rglob(area)
        found.rename(found.with_name(f"{area}.gone"))
    again = someone.harness(*words, "--policy", "Os", **package, code=0)
    assert again.computed == 1
    (_, first), (_, second) = recorded(someone)
    then, now = ({row["metric"]: row for row in rows if row["policy"] == "Os"} for rows in (first, second))
    assert [rows["ir.doubled"].get("metric_version") for rows in (then, now)] == [None, 2]
    assert 3 * then["ir.doubled"]["value"] == 2 * now["ir.doubled"]["value"]
    assert then["compile.cpu"] == now["compile.cpu"] and then["ir.instructions"] == now["ir.instructions"]
    assert someone.harness(*words, "--policy", "Os", **package, code=0).computed == 0
    asked = ("leaderboard", "--metric", "ir.doubled", "--json")
    of = {row["policy"]: row for row in json.loads(someone.harness(*asked, **package, code=0).out)}
    assert of["Oz"]["rank"] == 1 and of["Os"]["rank"] is None
    assert of["Os"]["reasons"][0].startswith("measured by another version of ir.doubled than the reference")
    module.write_text(text)
    assert someone.harness(*words, "--policy", "Os", **package, code=0).computed == 1


def test_an_answer_is_judged_again_when_a_metric_of_it_changes(place: Path, tmp_path: Path) -> None:
    """The solver answers otherwise each time it runs: what is judged again must be what it answered before."""
    there = install(tmp_path)
    package = found_in(there)
    someone = User.at(tmp_path / "user")
    by_chance = "import os, random; print(random.Random(os.urandom(9)).sample(range(10**6), 4))"
    write_solver(tmp_path / "chance", by_chance, problem='"colouring"', track='"colouring"')
    words = ("run", "--suite", place / "graphs", "--policy", tmp_path / "chance")
    someone.harness(*words, **package, code=0)
    (module,) = there.rglob("colouring/metrics.py")
    text = module.read_text()
    module.write_text(text.replace('unit="vertices"', 'unit="vertices", version=2').replace(".max()", ".max() + 6"))
    assert someone.harness(*words, **package, code=0).computed == 1
    (_, then), (_, now) = recorded(someone)
    assert then[0]["decisions_digest"] == now[0]["decisions_digest"]
    values = [{row["metric"]: (row.get("metric_version"), row["value"]) for row in rows} for rows in (then, now)]
    assert [found.pop("colour.largest") for found in values] == [(None, 1), (2, 7)]
    assert values[0] == values[1]
    assert someone.harness(*words, **package, code=0).computed == 0
