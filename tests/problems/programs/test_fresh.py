"""Fresh verification: an object that is right on the suite's inputs alone is found on one that nobody has seen."""

import json
import os
import re
import signal
import time
from pathlib import Path

import pytest

from harness.base.vocabulary import Outcome
from harness.record import RunFile
from harness.record import seed as run_seed
from harness.record.seed import draw_seed
from harness.run.evaluate import evaluate
from harness.sandbox.bench import Bench
from harness.suite.fresh import ATTEMPTS, fresh_workload
from harness.suite.generators import generate
from harness.suite.load import load_suite
from harness.suite.workloads import workloads_digest
from tests.drive import TINY, Answer, Sketch, User, in_process, write_suite

PINNED = 5
PARAMS: dict[str, int | str | bool] = {"size": 8}
BYTES = ",".join(str(byte) for byte in generate("noise", PINNED, PARAMS))
INPUT = f'stdin = "in"\ninputs = [{{ file = "in", generator = "noise", seed = {PINNED}, params = {{ size = 8 }} }}]'
HEAD = f"""
#include <limits.h>
#include <stdio.h>
#include <string.h>
static const unsigned char pinned[] = {{ {BYTES} }};
int main(int argc, char **argv) {{
  unsigned char got[8];
  if (fread(got, 1, 8, stdin) != 8) return 1;
  int other = memcmp(got, pinned, 8) != 0, odd = got[0] & 1;
  (void)other, (void)odd;
"""
MISCOMPILED = """
#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__) && !__has_feature(address_sanitizer)
  if (other) puts("optimised");
#endif
"""
"""A branch that no pinned input reaches is compiled wrong at -O1 to -O3, and right at -O0, -Os and -Oz."""
TAIL = '  printf("%d\\n", got[0]);\n  return 0;\n}\n'
RIGHT = HEAD + TAIL
WRONG = HEAD + MISCOMPILED + TAIL
OVERFLOWS = '  if (WHEN) { volatile int big = INT_MAX; printf("%d\\n", (int)(big + argc) == 0); }\n'
"""Undefined, and found by a sanitizer; both builds that must agree do."""
ALWAYS_UNFIT = HEAD + OVERFLOWS.replace("WHEN", "other") + MISCOMPILED + TAIL
UNFIT_WHEN_ODD = HEAD + OVERFLOWS.replace("WHEN", "other && odd") + MISCOMPILED + TAIL
NO_INPUT = '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n'


def suite_of(folder: Path, *sources: str) -> Path:
    """Programs that read eight bytes; one without input besides."""
    sketches = [Sketch(f"p{number}", source, workload=INPUT) for number, source in enumerate(sources)]
    return write_suite(folder / "made", *sketches, Sketch("hello", NO_INPUT))


def words(suite: Path, *more: str | Path, policies: str = "O3,Os,Oz") -> tuple[str | Path, ...]:
    return ("run", "--suite", suite, "--policy", policies, "--target", "x86-64", *more)


def outcomes(run: RunFile) -> dict[tuple[str, str], str]:
    return {(row.benchmark, row.policy): row.outcome.value for row in run.rows}


def newest(user: User, known: list[RunFile]) -> RunFile:
    """The run file that was not there before."""
    names = {run.header.run for run in known}
    (found,) = (run for run in user.runs() if run.header.run not in names)
    return found


def standing(user: User, policy: str) -> tuple[float, str]:
    """A policy's coverage on the leaderboard, and what `leaderboard` says of its programs."""
    (row,) = (row for row in user.json("leaderboard") if row["policy"] == policy)
    return row["coverage"], row["rank"]


@pytest.fixture(scope="module")
def caught(tmp_path_factory: pytest.TempPathFactory) -> tuple[User, Path, Answer]:
    """One program that is compiled wrong, and one that is not."""
    folder = tmp_path_factory.mktemp("caught")
    suite, user = suite_of(folder, WRONG, RIGHT), User.at(folder)
    return user, suite, user.harness(*words(suite), code=1)


def test_a_miscompile_that_no_pinned_input_reaches(caught: tuple[User, Path, Answer], bench: Bench) -> None:
    """It has no numbers, and what is recorded is enough to make the very input again."""
    user, suite, answer = caught
    (run,) = user.runs()
    assert [name for name, outcome in outcomes(run).items() if outcome != "ok"] == [("p0", "O3")]
    (row,) = (row for row in run.rows if row.outcome is not Outcome.OK)
    assert row.outcome is Outcome.WRONG_OUTPUT
    assert row.metric is None and row.value is None
    assert row.object_digest and row.fresh
    header = run.header.fresh
    assert header is not None and header.seed is not None
    found = re.search(r"fresh input \(seed ([0-9a-f]{32}), attempt (\d), input ([0-9a-f]{16})\)", row.detail)
    assert found and found[1] == header.seed
    assert "output differs from the reference's" in row.detail and row.detail in answer.err
    program = next(p for p in load_suite(str(suite)).programs if p.benchmark.name == "p0")
    again = fresh_workload(program, found[1], int(found[2]), bench.store)
    assert again is not None
    assert workloads_digest((again,)) == row.fresh == header.programs["p0"].inputs
    assert row.fresh.startswith(found[3])


@pytest.mark.parametrize(
    ("what", "outcome", "words_"),
    [("abort();", "run-crash", "killed by SIGABRT"), ("for (volatile int i = 1; i;) { }", "run-timeout", "its limit")],
)
def test_an_object_that_ends_otherwise_on_other_inputs(what: str, outcome: str, words_: str, tmp_path: Path) -> None:
    """It crashes, or never ends. What may be the machine's fault is not kept: the next run tries again."""
    source = "#include <stdlib.h>\n" + WRONG.replace('puts("optimised");', f"{{ {what} }}")
    suite = write_suite(tmp_path / "made", Sketch("p0", source, workload=INPUT, timeout=2))
    user = User.at(tmp_path)
    answer = user.harness(*words(suite, policies="O3,Oz"), code=1)
    (run,) = user.runs()
    assert outcomes(run) == {("p0", "O3"): outcome, ("p0", "Oz"): "ok", ("p0", "O0"): "ok"}
    (row,) = (row for row in run.rows if row.outcome is not Outcome.OK)
    assert row.fresh and words_ in row.detail and "fresh input (seed" in row.detail and row.detail in answer.err
    assert len(list((user.cache / "refuted").rglob("*.json"))) == (outcome == "run-crash")


def test_the_header_says_what_was_verified(caught: tuple[User, Path, Answer]) -> None:
    user, _, answer = caught
    (run,) = user.runs()
    fresh = run.header.fresh
    assert fresh is not None
    assert fresh.without == ("hello",)
    told = {name: (one.attempt, one.failed, one.unfit) for name, one in fresh.programs.items()}
    assert told == {"p0": (1, 1, ()), "p1": (1, 0, ())}
    asked = [r for r in run.rows if r.policy != "O0"]  # the floor of what failed
    objects = {name: len({r.object_digest for r in asked if r.benchmark == name}) for name in ("p0", "p1")}
    assert {name: one.objects for name, one in fresh.programs.items()} == objects
    assert f"{fresh.objects} objects of 2 programs verified on new inputs, seed {fresh.seed}; 1 failed" in answer.err
    assert "without generated input: hello" in answer.err


def test_what_the_cache_serves_is_not_run_again(caught: tuple[User, Path, Answer], tmp_path: Path) -> None:
    """A repeat verifies nothing, draws no second judgement, and still knows the failure."""
    user, suite, _ = caught
    before = files(user.cache)
    again = user.harness(*words(suite), code=1)
    assert again.computed == 0
    assert "nothing new: every row is recorded already" in again.err
    assert "fresh verification: nothing new to verify" in again.err
    elsewhere = User(user.cache, tmp_path / "results")
    elsewhere.harness(*words(suite), code=1)
    (run,) = elsewhere.runs()
    assert outcomes(run) == outcomes(user.runs()[0])
    assert run.header.fresh is not None and run.header.fresh.programs == {}
    assert [(r.fresh, r.detail) for r in run.rows if r.fresh] == [
        (r.fresh, r.detail) for r in user.runs()[0].rows if r.fresh
    ]
    assert files(user.cache) == before, "no further verdict, and no input that is left behind"


def files(cache: Path) -> set[str]:
    """Verdicts and inputs in the cache."""
    areas = ("cells", "verified", "fresh", "refuted", "inputs", "reference")
    return {str(path.relative_to(cache)) for area in areas for path in (cache / area).rglob("*") if path.is_file()}


def test_another_policy_with_the_same_object_fails_too(caught: tuple[User, Path, Answer], tmp_path: Path) -> None:
    """O2 gives the object that O3 gave: the verdict is on the object."""
    user, suite, _ = caught
    elsewhere = User(user.cache, tmp_path / "results")
    elsewhere.harness(*words(suite, policies="O2,O3,Oz"), code=1)
    (run,) = elsewhere.runs()
    digests = {row.policy: row.object_digest for row in run.rows if row.benchmark == "p0"}
    assert digests["O2"] == digests["O3"]
    assert outcomes(run)["p0", "O2"] == "wrong-output"


@pytest.mark.slow
def test_a_failure_wins_over_what_earlier_and_later_runs_recorded(tmp_path: Path) -> None:
    """Recorded as ok without fresh verification, refuted then, and recorded as ok once more from another cache."""
    suite, user = suite_of(tmp_path, WRONG, RIGHT), User.at(tmp_path)
    user.harness(*words(suite, "--no-fresh"), code=0)
    first = user.runs()
    assert set(outcomes(first[0]).values()) == {"ok"}
    assert first[0].header.fresh is not None and first[0].header.fresh.seed is None
    assert standing(user, "O3")[0] == 1.0
    answer = user.harness(*words(suite), code=1)
    assert answer.computed == 0  # the cells are cached, the verdict is not
    assert "OVERTURNED: O3 on p0 (x86-64)" in answer.err
    assert "CONTRADICTED" not in answer.err
    second = newest(user, first)
    assert outcomes(second)["p0", "O3"] == "wrong-output"
    cells = {(r.benchmark, r.policy): r.cell for r in first[0].rows}
    cells["p0", "O0"] = next(r.cell for r in second.rows if r.policy == "O0")  # the floor of what failed
    assert cells == {(r.benchmark, r.policy): r.cell for r in second.rows}  # keys do not depend on the seed
    assert standing(user, "O3")[0] == pytest.approx(2 / 3)
    known = user.runs()
    time.sleep(1.1)  # `started` has whole seconds
    other = User(tmp_path / "other-cache", user.results)
    answer = other.harness(*words(suite, "--no-fresh", policies="O3,Oz"), code=1)
    assert "REFUTED: O3 on p0 (x86-64)" in answer.err
    third = newest(user, known)
    assert outcomes(third)["p0", "O3"] == "ok" and third.header.started > second.header.started
    assert standing(user, "O3")[0] == pytest.approx(2 / 3)


@pytest.mark.slow
def test_what_was_recorded_without_it_is_recorded_again(tmp_path: Path) -> None:
    """The values are the same, and the evidence is not."""
    suite, user = suite_of(tmp_path, RIGHT), User.at(tmp_path)
    user.harness(*words(suite, "--no-fresh", policies="Oz"), code=0)
    before = user.runs()
    user.harness(*words(suite, policies="Oz"), code=0)
    fresh = newest(user, before).header.fresh
    assert fresh is not None and fresh.seed is not None and fresh.objects == 1
    assert "nothing new" in user.harness(*words(suite, policies="Oz"), code=0).err


def test_inputs_that_cannot_judge(tmp_path: Path) -> None:
    """Every other input overflows: three are tried, none counts, and the cell stays as it was."""
    suite, user = suite_of(tmp_path, ALWAYS_UNFIT), User.at(tmp_path)
    answer = user.harness(*words(suite), code=0)
    (run,) = user.runs()
    fresh = run.header.fresh
    assert set(outcomes(run).values()) == {"ok"}
    assert fresh is not None and fresh.unjudged == ("p0",)
    unfit = fresh.programs["p0"].unfit
    assert [one.attempt for one in unfit] == list(range(1, ATTEMPTS + 1))
    assert len({one.inputs for one in unfit}) == ATTEMPTS
    assert all("under the sanitizers" in one.reason and "signed integer overflow" in one.reason for one in unfit)
    assert "no input fits: p0" in answer.err


def test_another_seed_where_the_first_is_unfit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], bench: Bench
) -> None:
    """The second attempt's input is fit, and all objects are verified on it: the miscompile is found there."""
    suite = suite_of(tmp_path, UNFIT_WHEN_ODD)
    (program, _) = load_suite(str(suite)).programs

    def is_odd(seed: str, attempt: int) -> bool:
        ready = fresh_workload(program, seed, attempt, bench.store)
        assert ready is not None
        return bool(ready.files["in"].read_bytes()[0] & 1)

    seed = next(s for s in (draw_seed() for _ in range(1000)) if is_odd(s, 1) and not is_odd(s, 2))
    monkeypatch.setattr(run_seed, "draw_seed", lambda: seed)
    user = User.at(tmp_path)
    monkeypatch.setenv("HARNESS_RESULTS", str(user.results))
    answer = in_process(user.cache, monkeypatch, capsys)(*words(suite))
    assert answer.code == 1
    (run,) = user.runs()
    fresh = run.header.fresh
    assert fresh is not None and fresh.seed == seed
    one = fresh.programs["p0"]
    assert (one.attempt, one.failed, [fault.attempt for fault in one.unfit]) == (2, 1, [1])
    (row,) = (row for row in run.rows if row.fresh)
    assert row.policy == "O3" and f"seed {seed}, attempt 2" in row.detail


def killed_at(entry: bytes, user: User, *command: str | Path) -> None:
    """Start the command, and kill it when its journal has the first of these entries."""
    process = user.start(*command)
    deadline = time.monotonic() + 200
    while not any(entry in path.read_bytes() for path in user.results.glob(".*.journal")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def test_a_killed_run_keeps_its_seed(tmp_path: Path) -> None:
    """Killed at the first cell and given again: the seed that the journal begins with is the header's."""
    user = User.at(tmp_path)
    command = ("run", "--suite", TINY, "--benchmark", "tally", "--policy", "O0,Oz", "--jobs", "1")
    killed_at(b'"cell"', user, *command)
    (journal,) = user.results.glob(".*.journal")
    seed = re.search(rb'"note":"fresh","value":"([0-9a-f]{32})"', journal.read_bytes().splitlines()[0])
    assert seed
    user.harness(*command, code=0)
    (run,) = user.runs()
    assert run.header.fresh is not None
    assert run.header.fresh.seed == seed[1].decode()
    assert run.header.fresh.programs["tally"].objects == 4, "those in the journal too"


BUSY = "  for (volatile int i = 0; argc > 1 && i < 9000000; i++) { }\n"
LONG = f'{INPUT}\n[[benchmarks.workloads]]\nname = "long"\nkind = "time"\nargs = ["long"]\n{INPUT}\ntimeout = 5'


def test_a_run_killed_while_it_times_keeps_what_it_verified(tmp_path: Path) -> None:
    """By then every verdict is in the cache, and no other run was told of them."""
    sketch = Sketch("p0", HEAD + BUSY + TAIL, workload=LONG)
    user, suite = User.at(tmp_path), write_suite(tmp_path / "made", sketch, Sketch("hello", NO_INPUT))
    asked = ("--track", "speed", "--metric", "size.alloc,runtime.cpu", "--budget", "20", "--precision", "0.05")
    command = words(suite, *asked, policies="basic")
    killed_at(b'"block"', user, *command)
    answer = user.harness(*command, code=0, timeout=200)
    (run,) = user.runs()
    assert len(run.campaigns) == 2 and run.header.fresh is not None
    objects = {row.object_digest for row in run.rows if row.benchmark == "p0"}
    one = run.header.fresh.programs["p0"]
    assert (one.attempt, one.objects, one.failed) == (1, len(objects), 0) and one.inputs
    assert f"{len(objects)} objects of 1 program verified on new inputs" in answer.err


def test_the_python_door_and_the_dry_run(tmp_path: Path, caught: tuple[User, Path, Answer]) -> None:
    user, suite, _ = caught
    plan = user.harness(*words(suite, "--dry-run"), code=0).out
    assert "one fresh input of each of 2 programs; without generated input: hello" in plan
    assert "no fresh verification" in user.harness(*words(suite, "--dry-run", "--no-fresh"), code=0).out
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARNESS_CACHE", str(tmp_path / "cache"))
        found = {
            fresh: evaluate("O3", f"{suite}/p0", metrics=["size.alloc"], fresh=fresh)["outcome"].tolist()
            for fresh in (False, True)
        }
    assert found == {False: ["ok"], True: ["wrong-output"]}


def test_runs_of_solvers_have_no_such_option(tmp_path: Path) -> None:
    User.at(tmp_path).harness("run", "--suite", "iopddl", "--no-fresh").refused(2, "--no-fresh says nothing here")


def test_the_seed_is_out_of_sight_of_policies(caught: tuple[User, Path, Answer]) -> None:
    """It stands in journal and header, and in the detail of failures: nowhere that a job in the sandbox is given."""
    user, _, _ = caught
    (run,) = user.runs()
    assert run.header.fresh is not None and run.header.fresh.seed is not None
    for area in ("cells", "decisions", "objects"):
        for path in (user.cache / area).rglob("*.json"):
            assert run.header.fresh.seed not in json.dumps(json.loads(path.read_bytes()))
