"""What a cell depends on is in its key: each field of a suite, a manifest or the toolchain changes it, or why not."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from harness.apply import compile_plan
from harness.base.inventory import entries_of
from harness.base.progress import SilentObserver
from harness.base.vocabulary import SIZE, SPEED, Level, Outcome, PolicyClass, Target
from harness.freeze import FrozenModule
from harness.policy.manifest import Manifest
from harness.policy.policy import Policy
from harness.problems.programs import cell as cell_module
from harness.problems.programs import fresh as fresh_module
from harness.problems.programs.cell import Cell, run_cell, task_of
from harness.problems.programs.problems import program_problem
from harness.problems.programs.tune import request
from harness.problems.programs.tune import reward as reward_module
from harness.problems.programs.tune import run as tune_module
from harness.problems.programs.tune.judge import goals_of
from harness.problems.programs.tune.request import Search
from harness.problems.programs.tune.reward import measure
from harness.run.engines import local_engine
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.model import Benchmark, Input, Source, Workload
from harness.timing.contestants import NATIVE, TimedProgram
from harness.toolchain import Toolchain
from harness.toolchain.llvm import Fingerprint
from tests.programs import own_program

MAIN = """
#include <stdio.h>
#if __has_include("word.h")
#include "word.h"
#endif
#ifndef WORD
#define WORD "one"
#endif
int main(int argc, char **argv) { puts(argc > 1 ? argv[1] : WORD); return (char)200 > 0; }
"""
FILES: dict[str, str | bytes] = {
    "main.c": MAIN,
    "more.c": MAIN.replace("one", "more"),
    "in/word.h": '#define WORD "three"\n',
}
WORKLOAD = {"name": "only", "args": ("word",)}
GENERATED = {"file": "words.txt", "generator": "words", "seed": 1, "params": {"count": 100}}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return own_program(tmp_path, FILES, files=("main.c",), workloads=(WORKLOAD,), link=("-lm",))


def manifest(**changes: Any) -> Manifest:
    fields: dict[str, Any] = {
        "name": "mine",
        "version": "1",
        "problem": "passes",
        "form": "list",
        "class": "fixed",
        "track": "size",
        "targets": ["x86-64"],
        "authors": ["A. Tester"],
        "licence": "MIT",
        "description": "Made by a test.",
        "files": {"passes": "passes.txt"},
    }
    return Manifest(**{**fields, **changes})


def key(program: Program, bench: Bench, policy: Policy | None = None, **cell: Any) -> str:
    chosen = policy or Policy(manifest(), Path("/mine"), {"passes": b"instcombine\n"}, baseline=False)
    fields = {"target": Target.X86_64, "track": SIZE, "seed": 0, **cell}
    return task_of(Cell(program, policy=chosen, **fields), ["size.alloc"], bench).key


def with_benchmark(program: Program, **changes: Any) -> Program:
    fields = program.benchmark.model_dump(mode="json") | changes
    return replace(program, benchmark=Benchmark.model_validate(fields))


BENCHMARK: dict[str, Any] = {
    "name": "another",
    "language": "c++",
    "files": ["more.c"],
    "include": ["in"],
    "defines": ['WORD="two"'],
    "flags": ["-funsigned-char"],
    "link": ["-lm", "-lpthread"],
    "workloads": [{"name": "only", "args": ["other"]}],
}
NOT_OF_BENCHMARK = {
    "source": "the tree that it names is digested",
    "description": "for people",
    "noinline": "of the guard against leaked flags: the attributes themselves are of the module, which is digested",
    "program": "of a build: the module that it gives is digested",
    "unsanitized": "of admission: no cell runs a sanitizer",
    "coverage": "of admission: nothing of a cell is held to it",
    "unthrown": "of admission",
    "split": "says which table shows the row; recorded with every run, and read from there",
    "cluster": "the same: how tables count it",
}


@pytest.mark.parametrize("field", Benchmark.model_fields)
def test_each_field_of_a_program(field: str, program: Program, bench: Bench) -> None:
    assert (field in BENCHMARK) != (field in NOT_OF_BENCHMARK), "say what a new field does to a cell"
    if field in BENCHMARK:
        assert key(with_benchmark(program, **{field: BENCHMARK[field]}), bench) != key(program, bench)


def test_a_program_that_two_suites_share_is_one(program: Program, bench: Bench) -> None:
    elsewhere = replace(program, suite="elsewhere")
    assert key(replace(elsewhere, home=program.suite), bench) == key(program, bench) != key(elsewhere, bench)


WORKLOADS: dict[str, Any] = {
    "name": "another",
    "kind": "time",
    "args": ["other"],
    "stdin": "words.txt",
    "inputs": [GENERATED | {"seed": 2}],
    "outputs": ["out.txt"],
    "exit": 3,
    "timeout": 3.0,
    "stderr": True,
    "drop": ["^took"],
}


@pytest.mark.parametrize("field", Workload.model_fields)
def test_each_field_of_a_workload(field: str, program: Program, bench: Bench) -> None:
    first = {"name": "first"}
    before = with_benchmark(program, workloads=[first, WORKLOAD | {"inputs": [GENERATED]}])
    after = with_benchmark(program, workloads=[first, WORKLOAD | {"inputs": [GENERATED], field: WORKLOADS[field]}])
    assert key(after, bench) != key(before, bench)


INPUTS: dict[str, dict[str, Any]] = {
    "file": GENERATED | {"file": "other.txt"},
    "generator": GENERATED | {"generator": "text", "params": {"size": 100}},
    "seed": GENERATED | {"seed": 2},
    "params": GENERATED | {"params": {"count": 101}},
    "tree": {"file": "words.txt", "tree": "more.c"},
}


@pytest.mark.parametrize("field", Input.model_fields)
def test_each_field_of_an_input(field: str, program: Program, bench: Bench) -> None:
    before, after = (
        with_benchmark(program, workloads=[WORKLOAD | {"inputs": [one]}]) for one in (GENERATED, INPUTS[field])
    )
    assert key(after, bench) != key(before, bench)


def test_the_sources_the_pinned_results_and_the_hidden_workloads(
    program: Program, tmp_path: Path, bench: Bench
) -> None:
    first = key(program, bench)
    assert key(replace(program, expected={"only": "0" * 64}), bench) != first
    assert key(replace(program, hidden=(Workload(name="hidden"),)), bench) != first
    changed = own_program(tmp_path / "again", FILES | {"main.c": MAIN.replace("one", "two")}, files=("main.c",),
                          workloads=(WORKLOAD,), link=("-lm",))  # fmt: skip
    assert key(changed, bench) != first
    assert set(Source.model_fields) == {
        *(
            "origin",
            "package",
            "version",
            "tarball",
            "sha256",
            "path",
            "overlay",
            "parts",
        ),  # which tree: it is digested
        "build",  # what it builds is the module, which is digested
        "licence",  # for people
    }


MANIFEST: dict[str, Any] = {
    "problem": {"problem": "levels", "form": "level", "values": {"level": "Oz"}, "files": {}},
    "question": {"question": "eviction"},
    "policy_class": {"class": "zero-shot"},
    "values": {"values": {"word": 3}},
    "budget": {"class": "search", "budget": 3.0, "seeds": [0, 1, 2, 3, 4]},
    "deterministic": {"class": "search", "budget": 3.0, "deterministic": True},
}
NOT_OF_MANIFEST = {
    "name": "two names of one policy are one cell each in a run, with one result",
    "version": "for people: what decides is in the digest",
    "form": "follows from the files, whose content is digested",
    "track": "the run's own is in the key",
    "targets": "the cell's own is in the key",
    "seeds": "the cell's own is in the key",
    "files": "their content is digested, under their roles",
    **dict.fromkeys(("authors", "licence", "description", "links"), "for people"),
    "ceiling": "says that no table ranks it; recorded with every run, and read from there",
    "training": "for people: what it took to make it",
    "trained_on": "says which table ranks it; recorded with every run, and read from there",
}


@pytest.mark.parametrize("field", Manifest.model_fields)
def test_each_field_of_a_manifest(field: str, program: Program, bench: Bench) -> None:
    assert (field in MANIFEST) != (field in NOT_OF_MANIFEST), "say what a new field does to a cell"
    if field in MANIFEST:
        contents = {} if field == "problem" else {"passes": b"instcombine\n"}
        policy = Policy(manifest(**MANIFEST[field]), Path("/mine"), contents, baseline=False)
        assert key(program, bench, policy) != key(program, bench)


def test_the_files_of_a_policy_and_the_rest_of_a_cell(program: Program, bench: Bench) -> None:
    policy = Policy(manifest(), Path("/mine"), {"passes": b"gvn\n"}, baseline=False)
    keys = [key(program, bench), key(program, bench, policy), key(program, bench, seed=1), key(program, bench, copy=1)]
    keys += [key(program, bench, target=target) for target in Target if target is not Target.X86_64]
    keys += [key(program, bench, track=SPEED)]
    assert len(set(keys)) == len(keys)
    assert manifest(**{"class": PolicyClass.ZERO_SHOT}).digest_fields() != manifest().digest_fields()


def with_fingerprint(bench: Bench, **changes: Any) -> Bench:
    toolchain = replace(bench.toolchain)
    vars(toolchain)["fingerprint"] = replace(bench.toolchain.fingerprint, **changes)
    return replace(bench, toolchain=toolchain)


FINGERPRINT: dict[str, Any] = {
    "llvm": "another",
    "runtime": {target.value: "another" for target in Target},
}


@pytest.mark.parametrize("field", [one.name for one in fields(Fingerprint)])
def test_each_field_of_the_toolchains_fingerprint(field: str, program: Program, bench: Bench) -> None:
    assert key(program, with_fingerprint(bench, **{field: FINGERPRINT[field]})) != key(program, bench)


def test_the_counter_and_the_compile_timeout(program: Program, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    first = key(program, bench)
    assert key(program, replace(bench, compile_timeout=7.0)) != first
    monkeypatch.setattr(cell_module, "native_digest", lambda name: f"another {name}")
    assert key(program, bench) != first


CALLS = """
#include <stdio.h>
int own(void);
int main(void) { printf("%d\\n", own()); return 0; }
"""


class OwnLibrary:
    """``libown.a``, which the compiler finds as it finds those of the system."""

    def __init__(self, folder: Path, bench: Bench) -> None:
        self.folder, self.bench = folder, bench
        for name in ("bin", "lib"):
            (folder / name).mkdir(parents=True)
        for tool in bench.toolchain.bin.iterdir():
            (folder / "bin" / tool.name).symlink_to(tool.resolve())
        (folder / "bin" / "clang").unlink()
        clang = bench.toolchain.tool("clang")
        asked = f'case "$*" in *-print-file-name=*|*-###*) exec {clang} -B{folder}/lib -L{folder}/lib "$@";; esac'
        (folder / "bin" / "clang").write_text(f'#!/bin/sh\n{asked}\nexec {clang} "$@"\n')
        (folder / "bin" / "clang").chmod(0o755)

    def write(self, result: int) -> None:
        """Make it anew."""
        clang, archive = (self.bench.toolchain.tool(name) for name in ("clang", "llvm-ar"))
        (self.folder / "own.c").write_text(f"int own(void) {{ return {result}; }}\n")
        subprocess.run([clang, "-c", "own.c"], cwd=self.folder, check=True, timeout=60)
        subprocess.run([archive, "rcs", "lib/libown.a", "own.o"], cwd=self.folder, check=True, timeout=60)

    def now(self) -> Bench:
        """What a command that starts now works with."""
        toolchain = Toolchain(self.folder / "bin", self.bench.toolchain.version)
        vars(toolchain)["fingerprint"] = self.bench.toolchain.fingerprint
        return replace(self.bench, toolchain=toolchain)


@pytest.fixture
def library(tmp_path: Path, bench: Bench) -> Iterator[OwnLibrary]:
    """In a folder that the sandbox's user can reach, with a cache of its own."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield OwnLibrary(Path(folder) / "llvm", replace(bench, cache=tmp_path / "cache"))


def test_a_library_that_does_not_come_with_the_c_library(library: OwnLibrary, tmp_path: Path) -> None:
    """A program that failed for want of one does not fail for ever after, nor keep what an old one gave."""
    calls = own_program(tmp_path / "p", {"main.c": CALLS}, link=("-lm", "-lown"))
    policy = Policy(manifest(), Path("/mine"), {"passes": b"instcombine\n"}, baseline=False)
    cell = Cell(calls, Target.X86_64, SIZE, policy, 0)
    trial, digests, keys, results = "0" * 64, set(), set(), []
    for result in (None, 1, 2):
        if result is not None:
            library.write(result)
        now = library.now()
        keys.add(key(calls, now))
        timed = TimedProgram(
            calls, trial, {}, (), {}, now.toolchain.runtime_fingerprint(NATIVE, "c", calls.benchmark.link)
        )
        digests.add(timed.inputs)
        results.append(run_cell(cell, ["size.alloc"], now))
    assert len(keys) == len(digests) == 3
    assert [one.outcome for one in results] == [Outcome.COMPILE_ERROR, Outcome.OK, Outcome.OK]
    assert "own" in results[0].detail


def test_what_comes_with_the_c_library_changes_no_key(program: Program, bench: Bench) -> None:
    """``-lm`` is of the package of libc.a, which is digested: keys of what links nothing else stay as they are."""
    plain = bench.toolchain.runtime_fingerprint(Target.X86_64)
    assert bench.toolchain.runtime_fingerprint(Target.X86_64, "c", ("-lm", "-lpthread", "-ldl", "-lrt")) == plain
    assert bench.toolchain.runtime_fingerprint(Target.X86_64, "c", ("-latomic",)) != plain


def entries(bench: Bench) -> Counter[str]:
    """How many of each kind the cache holds."""
    return Counter(one.kind for one in entries_of(bench.cache, lambda _: None))


@pytest.mark.parametrize("link", [("-lm",), ("-lm", "-lown")])
def test_what_comes_of_a_linked_program_is_kept_under_its_libraries(
    link: tuple[str, ...], library: OwnLibrary, tmp_path: Path, bench: Bench
) -> None:
    """Where the library of the link changes, all is done again that a linked program takes part in; and only that."""
    library.write(1)
    text = CALLS if "-lown" in link else MAIN
    calls = own_program(tmp_path / "p", {"main.c": text}, link=link, workloads=(WORKLOAD,))
    policy = Policy(manifest(), Path("/mine"), {"passes": b"instcombine\n"}, baseline=False)
    cell, metrics = Cell(calls, Target.X86_64, SIZE, policy, 0), ["size.alloc", "instructions", "mca.cycles"]
    row = run_cell(cell, metrics, library.now()).rows(cell, metrics, bench.isolation)[0]
    first, fresh = entries(library.now()), fresh_module._subjects([cell], {"it": row}, library.now())["it"].key
    library.write(2)
    assert run_cell(cell, metrics, library.now()).outcome is Outcome.OK
    changed = {kind for kind, count in entries(library.now()).items() if count > first[kind]}
    assert changed == ({"cells", "code", "counted", "functions", "reference"} if "-lown" in link else set())
    again = fresh_module._subjects([cell], {"it": row}, library.now())["it"].key
    assert (again != fresh) == ("-lown" in link)


# -- what tuning keeps


TUNED = Policy(manifest(), Path("/mine"), {"passes": b"instcombine\n"}, baseline=False)


class Tunable(type(program_problem("passes"))):  # type: ignore[misc]
    """Lists of passes, as if they had constants."""

    def tried(self, policy: Policy, frozen: FrozenModule, bench: Bench) -> Path:
        """What the list gives."""
        plan = self.plan(self.decide(policy, frozen, 0, bench).decisions, frozen.target)
        return compile_plan(frozen, plan, bench).object


def trial(program: Program, metric: str, bench: Bench) -> float:
    """What a trial of tuning is worth."""
    return measure(TUNED, Tunable(), program, Target.X86_64, metric, Level.OZ, bench)


def study(program: Program, metric: str, bench: Bench) -> Path:
    """Where the trials of a search are written."""
    search = Search(metric, (Target.X86_64,), trials=1, seed=0, patience=0, seconds=1)
    goals = goals_of([(program, Target.X86_64)], search, Level.OZ, bench, local_engine(1), SilentObserver())
    tuned = request.Tunable(TUNED, Tunable(), ())
    return tune_module._study_path(tuned, goals, search, bench)


def test_what_is_counted_of_a_trial_is_kept_for_its_workloads(program: Program, tmp_path: Path, bench: Bench) -> None:
    """The same module on other inputs executes something else; its size is what it was."""
    bench = replace(bench, cache=tmp_path / "cache")
    other = with_benchmark(program, workloads=[{"name": "only", "args": ["word" * 100]}])
    assert trial(program, "instructions", bench) != trial(other, "instructions", bench)
    assert study(program, "instructions", bench) != study(other, "instructions", bench)
    assert trial(program, "size.alloc", bench) == trial(other, "size.alloc", bench)
    assert study(program, "size.alloc", bench) == study(other, "size.alloc", bench)
    assert entries(bench)["trials"] == 3


@pytest.mark.parametrize("changed", ["runtime", "counter", "link"])
def test_what_is_counted_of_a_trial_is_kept_for_what_it_runs_on(
    changed: str, program: Program, tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new libc or QEMU, another counter, other libraries: it is counted anew."""
    bench = replace(bench, cache=tmp_path / "cache")
    trial(program, "instructions", bench)
    trial(program, "size.alloc", bench)
    before, of_size = study(program, "instructions", bench), study(program, "size.alloc", bench)
    if changed == "runtime":
        bench = with_fingerprint(bench, runtime=FINGERPRINT["runtime"])
    elif changed == "link":
        program = with_benchmark(program, link=["-lm", "-lpthread"])
    else:
        monkeypatch.setattr(reward_module, "native_digest", lambda name: f"another {name}")
    trial(program, "instructions", bench)
    trial(program, "size.alloc", bench)
    assert entries(bench)["trials"] == 3
    assert study(program, "instructions", bench) != before and study(program, "size.alloc", bench) == of_size
