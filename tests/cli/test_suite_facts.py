"""``harness suites table`` and ``profile``: what programs are, in figures that other verbs measure too."""

import json

import pytest

from tests.drive import TINY, User


def test_the_table_has_what_runs_measure(visitor: User) -> None:
    facts = {
        row["benchmark"]: row for row in json.loads(visitor.harness("suites", "table", TINY, "--json", code=0).out)
    }
    words = ("run", "--suite", TINY, "--policy", "Oz,O2", "--metric", "size.alloc,instructions")
    visitor.harness(*words, code=0)
    for row in visitor.rows():
        of = facts[row.benchmark]
        if (row.policy, row.metric) == ("Oz", "size.alloc"):
            assert of[f"size_{row.target.value.replace('-', '_')}"] == row.value
        elif (row.policy, row.metric, row.target.value) == ("O2", "instructions", "x86-64"):
            assert of["instructions"] == row.value
    assert {row["language"] for row in facts.values()} == {"c", "c++"}
    assert all(row["lines"] > 10 and row["ir_instructions"] > 50 for row in facts.values())


def test_the_table_as_markdown(visitor: User) -> None:
    lines = visitor.harness("suites", "table", TINY, "glob", "--markdown", code=0).out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("| program | origin |")
    assert lines[1].count("|") == lines[0].count("|") == lines[2].count("|")
    assert lines[2].startswith("| glob | own |")


def test_a_profile_says_where_instructions_are(visitor: User) -> None:
    hot = json.loads(visitor.harness("suites", "profile", TINY, "glob", "--json", code=0).out)
    assert sum(row["share"] for row in hot) == pytest.approx(1)
    assert [row["instructions"] for row in hot] == sorted((row["instructions"] for row in hot), reverse=True)
    assert {"main", "(libc and start-up)"} <= {row["function"] for row in hot}
    shown = visitor.harness("suites", "profile", TINY, "glob", code=0).out
    assert shown.startswith("tiny/glob: count workloads, -O2, x86-64\nfunction")
    visitor.harness("suites", "profile", TINY).refused(2, "which program?")


def test_functions_of_cpp_have_the_names_of_their_source(visitor: User) -> None:
    raw = json.loads(visitor.harness("suites", "profile", TINY, "calc", "--json", code=0).out)
    assert any(row["function"].startswith("_Z") for row in raw)
    shown = visitor.harness("suites", "profile", TINY, "calc", code=0).out
    assert "_Z" not in shown
    assert "::" in shown
