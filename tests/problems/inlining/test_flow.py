"""Inlining policies as a user runs them: rows and outcomes, replay without the policy, a script without the harness."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.base.digest import digest_file, digest_of
from harness.base.store import Store
from harness.base.vocabulary import SIZE, Outcome, Target
from harness.policy import Policy
from harness.problems.inlining import problem
from harness.problems.programs.cell import Cell, cell_key, frozen_of
from harness.record import Row
from harness.record.decisions import load_decisions
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite
from harness.toolchain import Toolchain
from harness.toolchain.native import llvm_plugin
from tests.drive import ROOT, SIZE_METRICS, TINY, Answer, User, write_policy
from tests.problems.inlining.made import CHEAP_PYTHON, CHEAP_TREE, heuristic_policy, inliner_policy, policy_of
from tests.programs import write_files

RULE = """
// [hyperparam]: limit, int, -1000, 1000, 5
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  return Context.feature(FeatureIndex::cost_estimate) <= limit;
}
"""
TOSSES = "import random\ndef decide(features): return random.random() < 0.5\n"
LOOPS = "bool getEvolvableAdvice(CallBase &, PolicyContext &) { for (volatile int x = 0;; x = x + 1); }\n"
CELLS = [("calc", "x86-64"), ("calc", "aarch64")]


def submission(folder: Path, form: str, role: str, file: str, content: str, **changes: str) -> Path:
    """A folder with one file that decides."""
    write_policy(folder, "", problem='"inlining"', form=f'"{form}"', files=f'{{ {role} = "{file}" }}', **changes)
    (folder / "passes.txt").unlink()
    return write_files(folder, {file: content})


@pytest.fixture(scope="module")
def submitted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One rule in three forms, and the first with another constant."""
    folder = tmp_path_factory.mktemp("submitted")
    return {
        "cpp": submission(folder / "cpp", "cpp", "heuristic", "heuristic.cpp", RULE),
        "cpp-all": submission(folder / "cpp-all", "cpp", "heuristic", "heuristic.cpp", RULE, values="{ limit = 1000 }"),
        "python": submission(folder / "python", "python", "policy", "policy.py", CHEAP_PYTHON),
        "tree": submission(folder / "tree", "tree", "tree", "tree.json", CHEAP_TREE),
    }


@pytest.fixture(scope="module")
def ran(submitted: dict[str, Path], store: Store, tmp_path_factory: pytest.TempPathFactory) -> tuple[User, Answer]:
    """Someone who ran them on a program, and threw them away. The cache is that of the other tests."""
    user = User(store.root, tmp_path_factory.mktemp("ran") / "results")
    policies = ",".join(["Oz", *map(str, submitted.values())])
    words = ("run", "--suite", TINY, "--benchmark", "calc", "--policy", policies)
    answer = user.harness(*words, "--jobs", "2", code=0)
    again = user.harness(*words, code=0)
    assert answer.computed >= 8 and again.computed == 0  # other tests may have asked for Oz before
    for folder in submitted.values():
        shutil.rmtree(folder)
    return user, answer


def cells_of(user: User) -> dict[tuple[str, str, str], list[Row]]:
    """Benchmark, target and policy → rows."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in user.rows():
        found.setdefault((row.benchmark, row.target.value, row.policy), []).append(row)
    return found


def test_rows(ran: tuple[User, Answer]) -> None:
    user, _ = ran
    cells = cells_of(user)
    assert len(cells) == 5 * len(CELLS)
    for (_, _, policy), rows in cells.items():
        assert {row.outcome for row in rows} == {Outcome.OK}
        assert {row.metric for row in rows} == set(SIZE_METRICS)
        assert all(row.value is not None for row in rows)
        asked = {"Oz": ("levels", "level"), "cpp-all": ("inlining", "cpp")}.get(policy, ("inlining", policy))
        assert {(row.problem, row.form) for row in rows} == {asked}
        decisions = load_decisions(user.results, rows[0].decisions_digest or "")
        if policy != "Oz":
            assert decisions.problem == "inlining" and decisions.body["sites"]


def test_one_rule_is_one_object_in_every_form(ran: tuple[User, Answer]) -> None:
    cells = cells_of(ran[0])
    for cell in CELLS:
        digests = {name: cells[*cell, name][0].object_digest for name in ("Oz", "cpp", "cpp-all", "python", "tree")}
        assert digests["cpp"] == digests["python"] == digests["tree"]
        assert len({digests["Oz"], digests["cpp"], digests["cpp-all"]}) == 3


def test_they_stand_on_the_leaderboard(ran: tuple[User, Answer]) -> None:
    standings = {(s["policy"], s["target"]): s for s in ran[0].json("leaderboard")}
    for target in ("x86-64", "aarch64"):
        strict = {name: standings[name, target]["strict"] for name in ("cpp", "python", "tree")}
        assert len(set(strict.values())) == 1
        assert standings["cpp", target]["coverage"] == 1


def test_replay_needs_no_policy(ran: tuple[User, Answer]) -> None:
    user, _ = ran
    (run,) = user.runs()
    answer = user.harness("replay", run.header.run, "--suite", TINY, "--json", code=0)
    rebuilt = json.loads(answer.out)
    assert {cell["outcome"] for cell in rebuilt} == {"ok"}
    assert len(rebuilt) == 10 and all(cell["recorded"] == cell["rebuilt"] for cell in rebuilt)
    assert "10 of 10 objects rebuilt from their decisions are equal" in answer.err


@pytest.mark.slow
def test_how_they_fail(store: Store, tmp_path: Path) -> None:
    folders = [
        submission(tmp_path / "broken", "cpp", "heuristic", "heuristic.cpp", f"{RULE}int x = y;\n"),
        submission(tmp_path / "loops", "cpp", "heuristic", "heuristic.cpp", LOOPS),
        submission(
            tmp_path / "dies", "python", "policy", "policy.py", "import nothing_of_mine as decide\ndecide = 1\n"
        ),
        submission(tmp_path / "tosses", "python", "policy", "policy.py", TOSSES),
        submission(tmp_path / "fine", "tree", "tree", "tree.json", CHEAP_TREE),
    ]
    user = User(store.root, tmp_path / "results")
    words: tuple[str | Path, ...] = ("run", "--suite", TINY, "--benchmark", "calc", "--target", "x86-64")
    words = (*words, "--policy", ",".join(map(str, folders)), "--compile-timeout", "2", "--jobs", "2")
    answer = user.harness(*words, code=1)
    assert "5 cells, 5 computed now, 4 failed" in answer.err and "Traceback" not in answer.err
    expected = {
        "broken": (
            Outcome.POLICY_ERROR,
            r"heuristic\.cpp does not compile: heuristic\.cpp:6:9: use of .* 'y'",
        ),
        "loops": (Outcome.POLICY_TIMEOUT, "the policy in the compiler took more than 1 s of CPU time to decide: "),
        "dies": (
            Outcome.POLICY_ERROR,
            "policy.py ended with exit status 1: line 1: ModuleNotFoundError: ",
        ),
        "tosses": (Outcome.NOT_REPLAYABLE, "the policy decides otherwise when it is asked again"),
    }
    for name, (outcome, detail) in expected.items():
        (row,) = cells_of(user)["calc", "x86-64", name]
        assert (row.outcome, row.metric, row.value, row.object_digest) == (outcome, None, None, None)
        assert re.match(detail, row.detail)
        assert f"  {name}: {outcome.value}: " in answer.err
    again = user.harness(*words, code=1)
    assert again.computed == 1, "only what met a limit of time is tried again"


@pytest.mark.parametrize(
    ("form", "role", "file", "content", "said"),
    [
        (
            "cpp",
            "heuristic",
            "heuristic.cpp",
            "// [hyperparam]: x\n",
            ("heuristic.cpp:1", "not a hyperparameter"),
        ),
        ("cpp", "passes", "heuristic.cpp", RULE, ("a policy of form 'cpp' has one file",)),
        ("python", "policy", "policy.py", "def decide(f)\n", ("policy.py:1", "not Python")),
        ("tree", "tree", "tree.json", "{}", ("tree.json", "schema")),
        ("tree", "forest", "tree.json", CHEAP_TREE, ("a policy of form 'tree' has one file",)),
    ],
)
def test_what_is_wrong_with_the_files_stops_the_run(
    form: str, role: str, file: str, content: str, said: tuple[str, ...], store: Store, tmp_path: Path
) -> None:
    folder = submission(tmp_path / "wrong", form, role, file, content)
    user = User(store.root, tmp_path / "results")
    user.harness("run", "--suite", TINY, "--policy", folder).refused(2, *said)


POLICIES = {
    "heuristic": heuristic_policy(RULE),
    "policy": inliner_policy("policy", CHEAP_PYTHON),
    "tree": inliner_policy("tree", CHEAP_TREE),
    "baseline": policy_of("passes", "list", "passes", "passes.txt", "mem2reg"),
}


@pytest.mark.parametrize("name", POLICIES)
def test_another_plugin_makes_another_cell(name: str, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    program = next(one for one in load_suite(str(TINY)).programs if one.benchmark.name == "glob")

    def key(policy: Policy) -> str:
        cell = Cell(program, Target.X86_64, SIZE, policy, 0)
        return cell_key(cell, frozen_of(cell, bench), bench)

    before = key(POLICIES[name])
    assert before == key(POLICIES[name])
    monkeypatch.setattr(problem, "native_digest", lambda of: digest_of(["another", of]))
    assert (key(POLICIES[name]) == before) == (name == "baseline")


# -- without the harness


def reproduced(script: str, folder: Path, toolchain: Toolchain) -> "subprocess.CompletedProcess[str]":
    """The script run with plain sh, in a folder of its own; on PATH is nothing of the harness."""
    folder.mkdir(exist_ok=True)
    (folder / "script.sh").write_text(script)
    shown = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LLVM": str(toolchain.bin)}
    command = ["/bin/sh", "script.sh", "built"]
    return subprocess.run(command, cwd=folder, env=shown, capture_output=True, text=True, timeout=300, check=False)


SOURCES = r"inline/\*\.cpp module/\*\.cpp policy/\*\.cpp"
BUILD = re.compile(rf'^"\$LLVM"/clang\+\+ .* {SOURCES} -o inline\.so$', re.MULTILINE)


@pytest.fixture
def script(ran: tuple[User, Answer]) -> str:
    """Of a row of ``policy.py``."""
    user, _ = ran
    (run,) = user.runs()
    words = user.harness("repro", f"{run.header.run}/calc/x86-64/python", "--suite", TINY, code=0).out
    assert str(ROOT) not in words and str(user.cache) not in words and "policy.py" not in words
    assert len(BUILD.findall(words)) == 1
    return words


def require_object(done: "subprocess.CompletedProcess[str]", built: Path, user: User) -> None:
    """The script ended well, with the object of the row and a program that runs."""
    assert done.returncode == 0, done.stderr
    assert digest_file(built / "program.o") == cells_of(user)["calc", "x86-64", "python"][0].object_digest
    said = subprocess.run([built / "program", "6 7 *"], capture_output=True, text=True, timeout=10, check=True)
    assert said.stdout == "6 7 * = 42\n"


@pytest.mark.slow
def test_repro_gives_the_object_without_the_harness(
    ran: tuple[User, Answer], script: str, tmp_path: Path, toolchain: Toolchain
) -> None:
    """It builds the plugin too, which takes as long as all other tests here."""
    done = reproduced(script, tmp_path / "elsewhere", toolchain)
    require_object(done, tmp_path / "elsewhere" / "built", ran[0])


def test_repro_follows_the_decisions(
    ran: tuple[User, Answer], script: str, tmp_path: Path, toolchain: Toolchain, store: Store
) -> None:
    """With the plugin that is built already; and other decisions give no other object silently."""
    plugin = llvm_plugin("inline", toolchain, store)
    quick = BUILD.sub(f"cp {plugin} inline.so", script)
    require_object(reproduced(quick, tmp_path / "elsewhere", toolchain), tmp_path / "elsewhere" / "built", ran[0])
    decisions = load_decisions(ran[0].results, cells_of(ran[0])["calc", "x86-64", "python"][0].decisions_digest or "")
    first = " ".join(map(str, decisions.body["sites"][0]))
    for old, new, said in (
        (f"\n{first}\n", "\n", "not-replayable: call site 0 of the module is a call of "),
        ("-inline-policy=replay", "-inline-policy=default", "the object differs: "),
    ):
        assert quick.count(old) == 1
        altered = reproduced(quick.replace(old, new), tmp_path / "elsewhere", toolchain)
        assert altered.returncode == 1 and said in altered.stderr


def test_the_script_builds_the_plugin_as_the_harness_does(script: str) -> None:
    """The same sources, the same flags."""
    (build,) = BUILD.findall(script)
    folder = ROOT / "native" / "inline"
    assert build.split()[1:-8] == (folder / "compile_flags.txt").read_text().split()
    for path in folder.iterdir():
        assert path.read_text() in script


def test_a_script_without_a_plugin_is_what_it_was(ran: tuple[User, Answer]) -> None:
    user, _ = ran
    (run,) = user.runs()
    script = user.harness("repro", f"{run.header.run}/calc/x86-64/Oz", "--suite", TINY, code=0).out
    assert "plugin" not in script and "decisions.txt" not in script
    assert "# Apply the decisions (levels, " in script
