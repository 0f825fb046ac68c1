"""``harness tune`` as its users meet it: on the tiny suite, of whose programs two are of the train split."""

import json
import math
import os
import re
import shutil
import signal
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.base.vocabulary import Level, Split, Target
from harness.freeze import freeze_key
from harness.policy import load_policy
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite
from tests.drive import TINY, Answer, Command, Sketch, User, in_process, write_policy, write_suite
from tests.problems.inlining.made import CHEAP_TREE
from tests.programs import write_files

RULE = """
// [hyperparam]: limit, int, -100, 500, 500
// [hyperparam]: share, float, 0, 2, 1
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  return Context.feature(FeatureIndex::cost_estimate) * share <= limit;
}
"""
"""As it is, it inlines nearly everything."""
CRASHES = RULE.replace("return", "if (limit < 300) __builtin_trap();\n  return")
TRIALS = 10
TUNE = ("--suite", TINY, "--jobs", "2")


def submission(folder: Path, content: str, form: str = "cpp", **changes: str) -> Path:
    """A folder with one file that decides."""
    role, file = {"cpp": ("heuristic", "heuristic.cpp"), "tree": ("tree", "tree.json")}[form]
    words = {"problem": '"inlining"', "form": f'"{form}"', **changes}
    write_policy(folder, "", files=f'{{ {role} = "{file}" }} # its code', **words)
    (folder / "passes.txt").unlink()
    return write_files(folder, {file: content})


@pytest.fixture(scope="module")
def user(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> User:
    """Someone who has the plugin, and nothing else, from the other tests."""
    user = User.at(tmp_path_factory.mktemp("tune"))
    user.cache.mkdir()
    for kind in ("native", "policies"):
        (bench.cache / kind).mkdir(exist_ok=True)
        (user.cache / kind).symlink_to(bench.cache / kind)
    return user


@dataclass(frozen=True)
class Searched:
    """A search, and what came of it."""

    folder: Path
    output: Path
    answer: Answer
    study: Path

    @property
    def constants(self) -> dict[str, dict[str, Any]]:
        """The table that was printed."""
        return {row["name"]: row for row in json.loads(self.answer.out)}

    @property
    def scores(self) -> tuple[float, float]:
        """Before and after."""
        found = re.search(r"geometric mean on them: ([\d.]+) before, ([\d.]+) after", self.answer.err)
        assert found, self.answer.err
        return float(found[1]), float(found[2])


@pytest.fixture(scope="module")
def searched(user: User, tmp_path_factory: pytest.TempPathFactory) -> Searched:
    folder = submission(tmp_path_factory.mktemp("submitted") / "bad", RULE, trained_on='["notes"]')
    output = folder.parent / "deep" / "better"
    answer = user.harness("tune", folder, *TUNE, "--trials", TRIALS, "--output", output, "--json", code=0)
    (study,) = (user.cache / "tuning").glob("*.log")
    return Searched(folder, output, answer, study)


def complete(study: Path) -> int:
    """How many trials are through."""
    lines = study.read_text().splitlines() if study.exists() else []
    return sum(bool(json.loads(line).get("values")) for line in lines if line.endswith("}"))


# -- what is found


def test_it_finds_better_values(searched: Searched) -> None:
    before, after = searched.scores
    assert after > before and before < 0.95
    table = searched.constants
    assert {name: row["before"] for name, row in table.items()} == {"limit": 500, "share": 1}
    assert all(row["low"] <= row["after"] <= row["high"] for row in table.values())
    assert complete(searched.study) == TRIALS
    assert f"{TRIALS} trials on 2 programs of the train split" in searched.answer.err


@pytest.mark.slow
def test_what_it_says_is_what_a_run_measures(searched: Searched, user: User, tmp_path: Path) -> None:
    """A run replays the decisions; the search did not."""
    someone = User(user.cache, tmp_path / "results")
    words = ("--benchmark", "tally", "--benchmark", "calc", "--target", "x86-64", "--metric", "size.alloc")
    policies = f"{searched.folder},{searched.output},Oz"
    someone.harness("run", "--suite", TINY, *words, "--policy", policies, "--jobs", "2", code=0)
    sizes = {(row.policy, row.benchmark): row.value or 0 for row in someone.rows()}
    for policy, said in zip(("bad", "better"), searched.scores, strict=True):
        logs = [math.log(sizes["Oz", name] / sizes[policy, name]) for name in ("tally", "calc")]
        assert math.exp(sum(logs) / 2) == pytest.approx(said, abs=6e-5)


def test_only_programs_of_the_train_split_are_compiled(searched: Searched, user: User, bench: Bench) -> None:
    """No module of the other is in the cache, which was empty before; the other tests here need none of it either."""
    programs = load_suite(str(TINY)).programs
    assert {program.benchmark.split for program in programs} == set(Split)
    keys = {p.benchmark.name: freeze_key(p, Target.X86_64, Level.OZ, bench.toolchain) for p in programs}
    frozen = {path.name for path in (user.cache / "frozen").glob("*/*")}
    assert {name for name, key in keys.items() if key in frozen} == {"tally", "calc"}
    trained = {program.benchmark.name for program in programs if program.benchmark.split is Split.TRAIN}
    assert trained == {"tally", "calc"}


def test_what_is_written(searched: Searched) -> None:
    assert tomllib.loads((searched.folder / "submission.toml").read_text())["version"] == "1"
    assert {path.name for path in searched.output.iterdir()} == {"submission.toml", "heuristic.cpp"}
    written = load_policy(f"{searched.output}/")
    assert written.manifest.version == "2" and written.name == "better"
    assert written.manifest.trained_on == ("notes", "tiny:train")
    assert written.manifest.values == {name: row["after"] for name, row in searched.constants.items()}
    assert written.contents == load_policy(f"{searched.folder}/").contents
    assert "# its code" in (searched.output / "submission.toml").read_text()
    assert f"wrote version 2 of better: {searched.output}/submission.toml" in searched.answer.err


def test_the_plot_needs_nothing_else(searched: Searched) -> None:
    (said,) = re.findall(r"^plot: (.*)$", searched.answer.err, re.MULTILINE)
    page = Path(said).read_text()
    assert page.startswith("<!doctype html>") and "Plotly.newPlot" in page
    assert not re.search(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)\s*=\s*[\"']?(?:https?:)?//", page)
    data = page[page.rindex("Plotly.newPlot") :]
    assert "limit" in data and "share" in data and "bad on " in data


def test_into_its_own_folder(searched: Searched, user: User, tmp_path: Path) -> None:
    """The same search of the same policy is through already: nothing is tried again. No link leads it elsewhere."""
    folder = shutil.copytree(searched.folder, tmp_path / "bad")
    (tmp_path / "precious").write_text("mine")
    for name in (".submission.toml", "submission.new", "submission.toml.new"):
        (folder / name).symlink_to(tmp_path / "precious")
    before = searched.study.read_text()
    plot = tmp_path / "plot.html"
    answer = user.harness("tune", folder, *TUNE, "--trials", TRIALS, "--plot", plot, "--json", code=0)
    assert f"{TRIALS} trials ({TRIALS} of them earlier)" in answer.err
    assert answer.out == searched.answer.out and plot.stat().st_size
    assert searched.study.read_text().startswith(before) and complete(searched.study) == TRIALS
    written = load_policy(f"{folder}/").manifest
    assert (written.name, written.version) == ("bad", "2")
    assert (tmp_path / "precious").read_text() == "mine" and not (folder / "submission.toml").is_symlink()
    assert written.values == load_policy(f"{searched.output}/").manifest.values


def test_nothing_is_written_where_nothing_is_better(user: User, tmp_path: Path) -> None:
    folder, output = submission(tmp_path / "bad", RULE), tmp_path / "better"
    before = (folder / "submission.toml").read_bytes()
    for words in ((), ("--output", output)):
        answer = user.harness("tune", folder, *TUNE, "--trials", "1", "--seed", "7", *words, code=0)
        assert "nothing better than the manifest's own values was found" in answer.err
        assert "wrote" not in answer.err
    assert (folder / "submission.toml").read_bytes() == before
    assert list(tmp_path.iterdir()) == [folder]


# -- interruptions and failures


@pytest.mark.slow
def test_killed_and_resumed_it_ends_as_if_it_had_not_been(user: User, tmp_path: Path) -> None:
    folder, output = submission(tmp_path / "bad", RULE), tmp_path / "better"
    earlier = set((user.cache / "tuning").glob("*.log"))
    words = (
        "tune",
        folder,
        *TUNE,
        "--benchmark",
        "calc",
        "--trials",
        TRIALS,
        "--seed",
        "3",
        "--output",
        output,
        "--json",
    )
    with user.start(*words) as process:
        deadline = time.monotonic() + 60
        study = None
        while (study is None or complete(study) < 3) and time.monotonic() < deadline:
            study = next(iter(set((user.cache / "tuning").glob("*.log")) - earlier), None)
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert process.returncode == -signal.SIGKILL and study is not None
    left = study.read_bytes()
    done = complete(study)
    assert 3 <= done < TRIALS and not output.exists()
    resumed = user.harness(*words, code=0)
    assert f"{TRIALS} trials ({done} of them earlier)" in resumed.err
    assert study.read_bytes().startswith(left) and complete(study) == TRIALS
    tried = [line for line in resumed.err.splitlines() if line.startswith("tune ")]
    assert 0 < len(tried) <= TRIALS - done
    manifest = (output / "submission.toml").read_text()
    study.unlink()
    shutil.rmtree(output)
    uninterrupted = user.harness(*words, code=0)
    assert "earlier" not in uninterrupted.err
    assert uninterrupted.out == resumed.out
    assert (output / "submission.toml").read_text() == manifest


@pytest.mark.slow
def test_trials_that_do_not_compile_count_as_failed(user: User, tmp_path: Path) -> None:
    folder = submission(tmp_path / "crashes", CRASHES)
    words = ("tune", folder, *TUNE, "--benchmark", "tally", "--trials", "5")
    answer = user.harness(*words, "--output", tmp_path / "out", "--json", code=0)
    failed = re.findall(r"^  trial (\d+) failed: (.*)$", answer.err, re.MULTILINE)
    assert failed and "0" not in dict(failed)
    assert all(re.match(r"tiny/tally: policy-error: the policy in the compiler: .*crashed", why) for _, why in failed)
    assert "5 trials on 1 programs" in answer.err
    (study,) = (user.cache / "tuning").glob("crashes-*.log")
    scores = [json.loads(line).get("values") for line in study.read_text().splitlines()]
    told = [values[0] for values in scores if values]
    assert len(told) == 5 and told.count(0.5) >= len(failed) and max(told) > 0.5
    limit = next(row for row in json.loads(answer.out) if row["name"] == "limit")
    assert limit["after"] >= 300
    again = user.harness(*words, "--json", code=0)
    assert again.out == answer.out, "what has failed is not tried again"


# -- what is refused


@pytest.fixture
def command(user: User, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command in this process, which is quicker."""
    return in_process(user.cache, monkeypatch, capsys)


def test_a_heuristic_that_does_not_compile(user: User, tmp_path: Path) -> None:
    folder = submission(tmp_path / "broken", f"{RULE}int x = y;\n")
    answer = user.harness("tune", folder, *TUNE, "--trials", "2")
    answer.refused(2, str(folder), "policy-error: heuristic.cpp does not compile: heuristic.cpp:7:9: use of")
    assert not list((user.cache / "tuning").glob("broken-*"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Oz", *TUNE), ("Oz is a baseline",)),
        (("{tree}", *TUNE), ("a policy of form 'tree' has no tunable constants",)),
        (("{plain}", *TUNE), ("heuristic.cpp declares no tunable constants", "[hyperparam]")),
        (
            ("{quick}", *TUNE, "--metric", "compile.cpu"),
            ("'compile.cpu' cannot be tuned for", "track speed", "accesses"),
        ),
        (("{quick}", *TUNE, "--metric", "compile.instructions"), ("'compile.instructions' cannot be tuned for",)),
        (("{quick}", *TUNE, "--metric", "runtime.wall"), ("'runtime.wall' cannot be tuned for", "runtime.cpu")),
        (
            ("{quick}", *TUNE, "--metric", "runtime.cpu", "--target", "aarch64"),
            ("'runtime.cpu' is taken on x86-64 alone",),
        ),
        (("{bad}", *TUNE, "--metric", "runtime.cpu"), ("'runtime.cpu' cannot be tuned for",)),
        (("{bad}", *TUNE, "--benchmark", "glob"), ("none of these programs is of the train split",)),
        (("{bad}", *TUNE, "--output", "{tree}"), ("is there already", "--output takes a new folder")),
        (("{bad}", *TUNE, "--output", "{tree}/tree.json"), ("is there already",)),
        (("{bad}", *TUNE, "--output", "{tree}/a b"), ("'a b' is not a name",)),
        (("{bad}", *TUNE, "--output", "{tree}/O2"), ("'O2' is a baseline's", "give it another name")),
        (("{bad}", *TUNE, "--output", "{tree}/size-rules"), ("comes with the harness", "give it another name")),
        (("{bad}", *TUNE, "--output", "{tree}/tree.json/new"), ("no folder can be made here", "tree.json")),
        (("{bad}", *TUNE, "--metric", "instructions"), ("'instructions' cannot be tuned for", "size.alloc, size.text")),
        (("{bad}", *TUNE, "--suite", "cbench", "--benchmark", "calc"), ("benchmarks of several suites",)),
        (("{bad}", *TUNE, "--benchmark", "nothing"), ("nothing",)),
        (("{bad}", "--suite", "nowhere"), ("nowhere",)),
        (("nobody", *TUNE), ("unknown policy 'nobody'",)),
    ],
)
def test_what_cannot_be(words: tuple[str, ...], said: tuple[str, ...], command: Command, tmp_path: Path) -> None:
    folders = {
        "bad": submission(tmp_path / "bad", RULE),
        "plain": submission(tmp_path / "plain", RULE.replace("// [hyperparam]: limit", "const int limit = 5; //")
                            .replace("// [hyperparam]: share", "const int share = 1; //")),
        "quick": submission(tmp_path / "quick", RULE, track='"speed"'),
        "tree": submission(tmp_path / "tree", CHEAP_TREE, "tree"),
    }  # fmt: skip
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    command("tune", *(str(word).format(**folders) for word in words)).refused(2, *said)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


# -- what is said of values


UNUSED = """
// [hyperparam]: limit, int, 0, 10, 10
// [hyperparam]: most, int, 0, 1, 1
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) { return most == 0; }
"""
"""Inlines everything or nothing: the better one is a bound."""
HELPS = """#include <stdio.h>
#define STEP(n) static int step##n(int x) {{ for (int i = 0; i < x; ++i) printf("%d\\n", i * n); return x + n; }}
STEP(1) STEP(2) STEP(3)
int main(void) {{ return step1(step2(step3({n}))) + step1(2) + step2(3) + step3(4) + step1(5) + step2(6) < 0; }}
"""


@pytest.fixture(scope="module")
def four(user: User, tmp_path_factory: pytest.TempPathFactory) -> Answer:
    """A search of four programs, which cannot gain anything after the first few trials."""
    place = tmp_path_factory.mktemp("four")
    sketches = [Sketch(f"steps{n}", HELPS.format(n=n)) for n in range(4)]
    suite, folder = write_suite(place / "four", *sketches), submission(place / "whole", UNUSED)
    words = ("--suite", suite, "--trials", "60", "--patience", "3", "--jobs", "2", "--output", place / "fewer")
    return user.harness("tune", folder, *words, code=0, timeout=600)


@pytest.mark.slow
def test_values_at_their_bounds_are_named(four: Answer) -> None:
    assert "most = 0 ends at its lower bound, 0: a wider one may be better" in four.err


def test_what_programs_that_are_left_out_gain_is_said(four: Answer) -> None:
    found = re.search(r"cross-validation: on programs that are left out of the choice, ([\d.]+) times", four.err)
    assert found and float(found[1]) > 1 and "have learnt these programs" not in four.err


def test_it_stops_when_they_gain_nothing_any_more(four: Answer) -> None:
    found = re.search(r"stopped after (\d+) of 60 trials: the last 3 gave nothing", four.err)
    assert found and 15 <= int(found[1]) < 30


# -- by run time

WHOLE = """
// [hyperparam]: most, int, 0, 1, 0
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) { return most == 1; }
"""
"""Inlines nothing or everything."""
CALLS = """#include <stdint.h>
#include <stdio.h>
static uint32_t step(uint32_t n) {{ return (n ^ n >> 3) + {factor}; }}
static uint32_t twice(uint32_t n) {{ return step(n) ^ step(n + 1); }}
int main(void) {{
  uint32_t x = 1;
  for (uint32_t n = 0; n < 40000000; ++n) x += twice(n) + step(n + 2);
  printf("%u\\n", x);
}}
"""
"""Vectors without calls, whatever the processor: where inlining only saves calls, some lose nothing by them."""
LONG = '[[benchmarks.workloads]]\nname = "long"\nkind = "time"\ntimeout = 10'
TIMED = ("--metric", "runtime.cpu", "--trials", "4", "--seconds", "8", "--jobs", "2")


@dataclass(frozen=True)
class Raced:
    """A search by run time of two programs, where to inline is much faster."""

    folder: Path
    output: Path
    words: tuple[Any, ...]
    answer: Answer


@pytest.fixture(scope="module")
def raced(user: User, tmp_path_factory: pytest.TempPathFactory) -> Raced:
    place = tmp_path_factory.mktemp("raced")
    sketches = [Sketch(f"calls{n}", CALLS.format(factor=n), workload=LONG) for n in (3, 5)]
    suite = write_suite(place / "timed", *sketches)
    folder = submission(place / "slow", WHOLE, track='"speed"')
    words = ("tune", folder, "--suite", suite, *TIMED, "--output", place / "quicker")
    return Raced(folder, place / "quicker", words, user.harness(*words, code=0, timeout=600))


@pytest.mark.slow
def test_by_run_time_what_is_faster_is_found_and_timed_anew(raced: Raced) -> None:
    said = raced.answer.err
    scores = re.search(r"runtime.cpu, .*: ([\d.]+) before, ([\d.]+) after", said)
    assert scores and float(scores[1]) < 0.9 and float(scores[2]) > 0.95, said
    anew = re.search(r"timed anew.*first/best ([\d.]+) \(([\d.]+) to ([\d.]+)\)", said)
    assert anew and float(anew[2]) > 1.05 and float(anew[2]) <= float(anew[1]) <= float(anew[3])
    assert load_policy(f"{raced.output}/").manifest.values == {"most": 1}


@pytest.mark.slow
def test_what_was_timed_is_not_timed_again(raced: Raced, user: User) -> None:
    """Neither trials nor the race at the end: whoever asks often enough would be lucky."""
    shutil.rmtree(raced.output)
    again = user.harness(*raced.words, code=0)
    assert "4 trials (4 of them earlier)" in again.err
    kept = [line for line in raced.answer.err.splitlines() if line.startswith("timed anew")]
    assert kept and kept == [line for line in again.err.splitlines() if line.startswith("timed anew")]


@pytest.mark.slow
def test_what_is_not_better_when_timed_anew_is_not_written(
    raced: Raced, user: User, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def lucky(entrants: Any, *_: Any) -> dict[str, list[float]]:
        return {one.contest.program.id: [0.02, -0.02, 0.01, -0.01] * 3 for one, _, _ in entrants}

    monkeypatch.setattr("harness.problems.programs.tune.judge.race_anew", lucky)
    words = [word if word != raced.output else tmp_path / "lucky" for word in raced.words]
    answer = in_process(user.cache, monkeypatch, capsys)(*map(str, words))
    assert answer.code == 0 and "not shown to be better than the manifest's values: they stay" in answer.err
    assert not (tmp_path / "lucky").exists()


@pytest.mark.slow
def test_a_program_without_a_workload_to_time(user: User, tmp_path: Path) -> None:
    folder = submission(tmp_path / "slow", WHOLE, track='"speed"')
    suite = write_suite(tmp_path / "untimed", Sketch("plain", "int main(void) { return 0; }"))
    answer = user.harness("tune", folder, "--suite", suite, *TIMED)
    answer.refused(2, "untimed/plain has no workload of the kind 'time'")
