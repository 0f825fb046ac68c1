"""Replay rebuilds what was measured from the decisions alone; repro does so without the harness."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from harness.apply.decisions import Decisions
from harness.base.digest import digest_bytes, digest_file
from harness.base.vocabulary import Level, Outcome
from harness.record import Row
from harness.record.decisions import store_decisions
from harness.suite.load import load_suite
from harness.toolchain import Toolchain
from tests.drive import ROOT, TINY, User, forge, write_policy
from tests.rows import written_by_another

PASSES = "mem2reg, simplifycfg\nfunction(instcombine<no-verify-fixpoint>) prune-eh\ncgscc(inline) globaldce\n"


@pytest.fixture(scope="module")
def recorded(tiny: User, tmp_path_factory: pytest.TempPathFactory) -> User:
    """Someone who ran a baseline and a pass list on all three programs, and threw the pass list away."""
    folder = tmp_path_factory.mktemp("recorded")
    policy = write_policy(folder / "few", PASSES)
    user = User(tiny.cache, folder / "results")
    user.harness("run", "--suite", TINY, "--policy", f"Oz,{policy}", "--metric", "size.alloc", code=0)
    shutil.rmtree(policy)
    return user


def copy_of(user: User, folder: Path) -> User:
    """The same results again, to be tampered with."""
    shutil.copytree(user.results, folder / "results")
    return User(user.cache, folder / "results")


def test_every_object_is_rebuilt(recorded: User) -> None:
    """In clean processes, without the policy, which is gone, and without the cache's objects."""
    (run,) = recorded.runs()
    answer = recorded.harness("replay", run.header.run, "--suite", TINY, "--json", code=0)
    cells = json.loads(answer.out)
    assert len(cells) == 3 * 2 * 2
    assert all(cell["outcome"] == "ok" and cell["recorded"] == cell["rebuilt"] for cell in cells)
    assert {(c["benchmark"], c["target"], c["policy"]): c["rebuilt"] for c in cells} == {
        (row.benchmark, row.target.value, row.policy): row.object_digest for row in run.rows
    }
    assert "12 of 12 objects rebuilt from their decisions are equal" in answer.err
    assert "12 of 12 values measured again are equal" in answer.err


def test_part_of_a_run_by_path_and_from_an_empty_cache(recorded: User, tmp_path: Path) -> None:
    (run,) = recorded.runs()
    stranger = User(tmp_path / "cache", tmp_path / "nothing")
    words = ("replay", run.path, "--suite", TINY, "--benchmark", "glob", "--policy", "few")
    answer = stranger.harness(*words, code=0)
    assert answer.out == ""
    assert "2 of 2 objects" in answer.err
    assert not stranger.results.exists()
    assert not (stranger.cache / "objects").exists()


def test_decisions_say_what_opt_ran(recorded: User) -> None:
    (run,) = recorded.runs()
    digest = next(row.decisions_digest for row in run.rows if row.policy == "few")
    content = zstandard.decompress((recorded.results / "decisions" / f"{digest}.zst").read_bytes())
    assert digest_bytes(content) == digest
    decisions = Decisions.parse(content, "here")
    assert (decisions.problem, decisions.level) == ("passes", Level.OZ)
    assert decisions.body == {
        "passes": [
            "function(mem2reg)", "function(simplifycfg)", "function(instcombine<no-verify-fixpoint>)", "cgscc(inline)",
            "globaldce",
        ],
        "dropped": ["prune-eh"],
    }  # fmt: skip


def test_other_decisions_give_another_object(recorded: User, tmp_path: Path) -> None:
    """Someone who claims the object for a list that does not give it."""
    user = copy_of(recorded, tmp_path)
    (run,) = user.runs()
    claimed = Decisions("passes", Level.OZ, {"passes": ["no-op-module"], "dropped": []})
    forged = forge(run, decisions_digest=store_decisions(user.results, claimed.content))
    answer = user.harness("replay", forged.header.run, "--suite", TINY, "--json", code=1)
    cells = json.loads(answer.out)
    assert {cell["outcome"] for cell in cells} == {"not-replayable"}
    assert all(cell["recorded"] != cell["rebuilt"] for cell in cells)
    assert "0 of 12 objects" in answer.err
    table = user.harness("replay", forged.header.run, "--suite", TINY, "--policy", "Oz", code=1)
    assert table.out.count("not-replayable") == 6


def test_values_that_were_never_measured(recorded: User, tmp_path: Path) -> None:
    """Someone who divides the sizes by four, and gives the file the name that fits: the objects are still right."""
    user = copy_of(recorded, tmp_path)
    (run,) = user.runs()
    values = {id(row): row.value for row in run.rows}
    rows = [row.model_copy(update={"value": int(values[id(row)]) // 4}) for row in run.rows]  # type: ignore[arg-type]
    forged = forge(replace(run, rows=tuple(rows)))
    answer = user.harness("replay", forged.header.run, "--suite", TINY, "--json", code=1)
    cells = json.loads(answer.out)
    assert {cell["outcome"] for cell in cells} == {"not-replayable"}
    assert all(cell["recorded"] == cell["rebuilt"] for cell in cells)
    assert {
        (cell["benchmark"], cell["target"], cell["policy"]): cell["differing"]["size.alloc"][1] for cell in cells
    } == {(row.benchmark, row.target.value, row.policy): row.value for row in run.rows}
    assert "0 of 12 values measured again are equal" in answer.err


def test_an_outcome_that_was_never_seen(recorded: User, tmp_path: Path) -> None:
    """Someone who makes another's good cells fail."""
    user = copy_of(recorded, tmp_path)
    (run,) = user.runs()
    changes = {"outcome": Outcome.WRONG_OUTPUT, "metric": None, "unit": None, "value": None, "detail": "workload one"}
    header = run.header.model_copy(update={"fresh": None})
    forged = forge(replace(run, header=header), **changes)
    answer = user.harness("replay", forged.header.run, "--suite", TINY, "--benchmark", "glob", "--json", code=1)
    assert {cell["detail"] for cell in json.loads(answer.out)} == {"recorded as wrong-output, and now it is ok"}


def test_counts_are_compared_too(tiny: User, tmp_path: Path) -> None:
    user = User(tiny.cache, tmp_path / "results")
    words = ("--suite", TINY, "--benchmark", "glob", "--target", "x86-64")
    user.harness("run", *words, "--policy", "Oz", "--metric", "size.alloc,instructions,mca.static,compile.cpu", code=0)
    (run,) = user.runs()
    assert "3 of 3 values" in user.harness("replay", run.header.run, "--suite", TINY, code=0).err
    rows = [
        row.model_copy(update={"value": row.value - 1}) if row.metric == "instructions" else row  # type: ignore[operator]
        for row in run.rows
    ]
    forged = forge(replace(run, rows=tuple(rows)))
    answer = user.harness("replay", forged.header.run, "--suite", TINY, code=1)
    assert "instructions is " in answer.out
    assert "2 of 3 values" in answer.err


@pytest.mark.parametrize(
    ("version", "workloads", "compared"),
    [("1", "f" * 64, False), ("0", None, False), ("0", "the same", True)],
    ids=["other workloads", "an older file's version", "another version with the same workloads"],
)
def test_counts_are_compared_on_the_same_workloads(
    version: str, workloads: str | None, compared: bool, tiny: User, tmp_path: Path
) -> None:
    """A later version of the suite may have more workloads: what they execute is another sum, and no forgery."""
    user = User(tiny.cache, tmp_path / "results")
    words = ("--suite", TINY, "--benchmark", "glob", "--target", "x86-64")
    user.harness("run", *words, "--policy", "Oz", "--metric", "size.alloc,instructions", code=0)
    (run,) = user.runs()
    rows = [row.model_copy(update={"value": 1}) if row.metric == "instructions" else row for row in run.rows]
    facts = run.header.benchmarks["glob"]
    if workloads != "the same":
        facts = facts.model_copy(update={"workloads": workloads})
    header = run.header.model_copy(update={"suite_version": version, "benchmarks": {"glob": facts}})
    forged = forge(replace(run, rows=tuple(rows), header=header))
    answer = user.harness("replay", forged.header.run, "--suite", TINY, code=int(compared))
    assert ("1 of 2 values" if compared else "1 of 1 values") in answer.err
    assert ("is another than in the run: instructions" in answer.err) is not compared


def test_decisions_that_no_longer_compile(recorded: User, tmp_path: Path) -> None:
    """One fault does not hide the other cells."""
    user = copy_of(recorded, tmp_path)
    (run,) = user.runs()
    crash = Decisions("passes", Level.OZ, {"passes": ["function(instcombine<max-iterations=0>)"]})
    forged = forge(run, decisions_digest=store_decisions(user.results, crash.content))
    answer = user.harness("replay", forged.header.run, "--suite", TINY, "--benchmark", "glob", "--json", code=1)
    cells = json.loads(answer.out)
    assert [(cell["outcome"], cell["rebuilt"]) for cell in cells] == [("compile-error", None)] * 4


@pytest.mark.parametrize(
    ("passes", "why"),
    [
        (["function(structurizecfg)", "default<Oz>"], "decisions: 'structurizecfg' is refused: it is"),
        (["function(sroa", "lower-invoke)"], "decisions: 'function(sroa' is no pipeline"),
    ],
)
def test_decisions_written_by_hand_run_no_refused_pass(
    recorded: User, tmp_path: Path, passes: list[str], why: str
) -> None:
    user = copy_of(recorded, tmp_path)
    (run,) = user.runs()
    made = Decisions("passes", Level.OZ, {"passes": passes})
    forged = forge(run, decisions_digest=store_decisions(user.results, made.content))
    answer = user.harness("replay", forged.header.run, "--suite", TINY, "--benchmark", "glob", "--json", code=1)
    cells = json.loads(answer.out)
    assert [(cell["outcome"], cell["rebuilt"]) for cell in cells] == [("policy-error", None)] * 4
    assert all(cell["detail"].startswith(why) for cell in cells)
    script = user.harness("repro", f"{forged.header.run}/glob/x86-64/few", "--suite", TINY, code=1)
    assert why in script.err and "Traceback" not in script.err and script.out == ""


@pytest.mark.parametrize("change", ["altered", "torn", "missing", "foreign"])
def test_a_decisions_file_that_is_not_what_it_was(recorded: User, tmp_path: Path, change: str) -> None:
    user = copy_of(recorded, tmp_path)
    (run,) = user.runs()
    digest = next(row.decisions_digest for row in run.rows if row.policy == "few")
    file = user.results / "decisions" / f"{digest}.zst"
    content = zstandard.decompress(file.read_bytes())
    said = "not a decisions file"
    if change == "altered":
        file.write_bytes(zstandard.compress(content.replace(b"mem2reg", b"sroa")))
        said = "altered: its content contradicts its name"
    elif change == "torn":
        file.write_bytes(file.read_bytes()[:-5])
        said = "altered: its content contradicts its name"
    elif change == "missing":
        file.unlink()
        said = "the decisions of this row are not here"
    else:
        file.write_bytes(b"#!/bin/sh\n")
    for words in (("replay", run.header.run), ("repro", f"{run.header.run}/glob/x86-64/few")):
        user.harness(*words, "--suite", TINY).refused(2, str(file), said)


def test_a_program_that_has_changed_since(recorded: User, tmp_path: Path) -> None:
    shutil.copytree(TINY.parent, tmp_path / "tiny")
    source = tmp_path / "tiny" / "src" / "glob" / "main.c"
    source.write_text(source.read_text() + "\n/* later */\n")
    (run,) = recorded.runs()
    for words in (("replay", run.header.run), ("repro", f"{run.header.run}#2")):
        suite = tmp_path / "tiny" / "suite.toml"
        benchmark = () if words[0] == "repro" else ("--benchmark", "glob")
        answer = recorded.harness(*words, *benchmark, "--suite", suite)
        if words[0] == "repro":  # its row is of another program, which has not changed
            assert answer.code == 0
        else:
            answer.refused(2, "tiny/glob has changed since this run", run.path.name, "check out the commit")


def test_a_run_of_another_compiler_is_not_compared(recorded: User, tmp_path: Path) -> None:
    user = copy_of(recorded, tmp_path)
    (run,) = user.runs()
    other = written_by_another(run.path, llvm="0" * 64, llvm_version="22.0.1")
    answer = user.harness("replay", other, "--suite", TINY)
    answer.refused(2, "made with another toolchain (22.0.1", "install that one")


def reproduced(
    script: str, folder: Path, toolchain: Toolchain, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """The script run with plain sh in an empty folder; on PATH is nothing of the harness."""
    folder.mkdir()
    (folder / "script.sh").write_text(script)
    shown = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LLVM": str(toolchain.bin), **environment}
    command = ["/bin/sh", "script.sh", "built"]
    return subprocess.run(command, cwd=folder, env=shown, capture_output=True, text=True, timeout=300, check=False)


def rows_by_cell(user: User) -> dict[tuple[str, str, str], tuple[int, Row]]:
    """The first row of each cell, and the line that it stands on."""
    (run,) = user.runs()
    found: dict[tuple[str, str, str], tuple[int, Row]] = {}
    for number, row in enumerate(run.rows, start=2):
        found.setdefault((row.benchmark, row.target.value, row.policy), (number, row))
    return found


@pytest.mark.parametrize(
    ("cell", "by_line"),
    [
        (("tally", "x86-64", "few"), False),
        (("calc", "aarch64", "few"), True),
        (("glob", "aarch64", "Oz"), False),
        (("calc", "x86-64", "Oz"), True),
    ],
    ids=lambda value: "/".join(value) if isinstance(value, tuple) else None,
)
def test_repro_gives_the_object_without_the_harness(
    recorded: User, tmp_path: Path, toolchain: Toolchain, cell: tuple[str, str, str], by_line: bool
) -> None:
    (run,) = recorded.runs()
    line, row = rows_by_cell(recorded)[cell]
    name = f"{run.header.run}#{line}" if by_line else "/".join((run.header.run, *cell))
    script = recorded.harness("repro", name, "--suite", TINY, code=0).out
    assert str(ROOT) not in script, "the script needs the checkout"
    assert "harness" not in "".join(text for text in script.splitlines(True) if not text.startswith("#"))
    done = reproduced(script, tmp_path / "elsewhere", toolchain)
    assert done.returncode == 0, done.stderr
    built = tmp_path / "elsewhere" / "built"
    assert digest_file(built / "program.o") == row.object_digest
    assert digest_file(built / "frozen.bc") == row.frozen_digest
    assert (built / "program").is_file()
    if cell == ("calc", "x86-64", "Oz"):
        ran = subprocess.run([built / "program", "6 7 *"], capture_output=True, text=True, timeout=10, check=True)
        assert ran.stdout == "6 7 * = 42\n"


def test_repro_says_when_the_object_differs(recorded: User, tmp_path: Path, toolchain: Toolchain) -> None:
    (run,) = recorded.runs()
    script = recorded.harness("repro", f"{run.header.run}/glob/x86-64/few", "--suite", TINY, code=0).out
    digest = rows_by_cell(recorded)["glob", "x86-64", "few"][1].object_digest or ""
    done = reproduced(script.replace("mem2reg", "sroa,dse,gvn"), tmp_path / "changed", toolchain)
    assert done.returncode == 1
    assert "the object differs: " in done.stderr and f"not {digest}" in done.stderr
    done = reproduced(script.replace("int match", "int  match"), tmp_path / "source", toolchain)
    assert done.returncode == 0, "a blank more is the same module"
    done = reproduced(script.replace("return 2;", "return 3;"), tmp_path / "other", toolchain)
    assert done.returncode == 1 and "the frozen module differs" in done.stderr


def test_a_row_without_an_object_has_nothing_to_reproduce(visitor: User, tmp_path: Path) -> None:
    policy = write_policy(tmp_path / "unknown", "mem2rge")
    words = ("run", "--suite", TINY, "--benchmark", "glob", "--target", "x86-64", "--policy", policy)
    visitor.harness(*words, code=1)
    (run,) = visitor.runs()
    visitor.harness("repro", f"{run.header.run}#2", "--suite", TINY).refused(
        2, "no object to reproduce", "policy-error"
    )
    alone = ("--policy", "unknown")
    visitor.harness("replay", run.header.run, "--suite", TINY, *alone).refused(2, "no cell of this run fits")


@pytest.mark.slow
def test_repro_of_an_upstream_program(tmp_path: Path, toolchain: Toolchain) -> None:
    """bzip2 from its orig tarball; needs the network, or the suite's tarballs in the folder that TARBALLS names."""
    user = User.at(tmp_path)
    tarball = load_suite("cbench").definition.sources["bzip2"].tarball
    assert tarball
    if offered := os.environ.get("TARBALLS"):
        user.harness("fetch", "cbench", "--from", offered, code=0)
    words = ("run", "--suite", "cbench", "--benchmark", "bzip2", "--policy", "Oz,pipeline-o2", "--target", "x86-64")
    user.harness(*words, code=0, timeout=300)
    (run,) = user.runs()
    digests = {row.policy: row.object_digest for row in run.rows}
    fetched = next(user.cache.rglob(tarball)).parent
    for policy in ("Oz", "pipeline-o2"):
        script = user.harness("repro", f"{run.header.run}/bzip2/x86-64/{policy}", code=0).out
        without = reproduced(script, tmp_path / f"{policy}-without", toolchain)
        assert without.returncode == 1 and "missing: " in without.stderr and tarball in without.stderr
        done = reproduced(script, tmp_path / policy, toolchain, TARBALLS=str(fetched))
        assert done.returncode == 0, done.stderr
        assert digest_file(tmp_path / policy / "built" / "program.o") == digests[policy]
