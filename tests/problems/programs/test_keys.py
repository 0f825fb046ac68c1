"""What a cell depends on is in its key: each field of a suite, a manifest or the toolchain changes it, or why not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.base.vocabulary import SIZE, SPEED, PolicyClass, Target
from harness.policy.manifest import Manifest
from harness.policy.policy import Policy
from harness.problems.programs.cell import Cell, task_of
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.model import Benchmark, Input, Source, Workload
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
    "policy_class": {"class": "zero-shot"},
    "values": {"values": {"word": 3}},
    "budget": {"class": "search", "budget": 3.0, "seeds": [0, 1, 2, 3, 4]},
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


def test_the_toolchain_and_its_limits(program: Program, bench: Bench) -> None:
    def other(**changes: Any) -> Bench:
        toolchain = replace(bench.toolchain)
        vars(toolchain)["fingerprint"] = replace(bench.toolchain.fingerprint, **changes)
        return replace(bench, toolchain=toolchain)

    first = key(program, bench)
    assert key(program, other(llvm="another")) != first
    assert key(program, replace(bench, compile_timeout=7.0)) != first
