"""The table of passes: it is of this LLVM, whole, and decides as it says."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.apply import compile_plan
from harness.apply.decisions import Decisions
from harness.base.errors import CellError
from harness.base.vocabulary import SIZE, Level, Outcome, Target
from harness.freeze import Fact, facts_of, freeze
from harness.policy import load_policy
from harness.problems.passes.check import ADAPTORS, PassRefusedError, pipeline_of_action, refused_on, vet
from harness.problems.passes.fixed import resolve
from harness.problems.passes.names import GONE, LEGACY_ACTIONS
from harness.problems.passes.problem import POLICIES
from harness.problems.passes.vetted import VETTED, table_digest
from harness.problems.passes.vetted.page import passes_page
from harness.problems.programs.cell import Cell, cell_key
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.toolchain import Toolchain
from tests.drive import ROOT, write_policy
from tests.programs import own_program

CATCHES = "int main(int argc, char **) { try { if (argc > 1) throw argc; } catch (int) { return 3; } return 0; }"
ATOMIC = "int x; int main(void) { return __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST); }"
PLAIN = 'const char *text = "\\n  invoke \\n  fence "; int main(void) { return !text; }'


def listed(toolchain: Toolchain) -> dict[str, set[str]]:
    """Names of IR passes that opt lists, each with the parameters that it shows."""
    done = subprocess.run([toolchain.tool("opt"), "--print-passes"], capture_output=True, text=True, timeout=60)
    found: dict[str, set[str]] = {}
    unit = None
    for line in done.stdout.splitlines():
        if not line.startswith(" "):
            unit = re.fullmatch(r"(Module|CGSCC|Function|LoopNest|Loop) passes( with params)?:", line)
        elif unit:
            name, _, parameters = line.strip().partition("<")
            found.setdefault(name, set()).update(parameters.removesuffix(">").split(";") if parameters else ())
    return found


def c_program(folder: Path, source: str, language: str = "c") -> Program:
    """A program of one file."""
    return own_program(folder, {"main.cc" if language == "c++" else "main.c": source}, language=language)


def test_every_pass_that_opt_lists_has_a_record_and_no_record_is_of_another(toolchain: Toolchain) -> None:
    known = listed(toolchain)
    assert len(known) > 300
    assert set(VETTED) - ADAPTORS - {"require"} == set(known)
    for name, record in VETTED.items():
        assert re.fullmatch(r"it .+\.", record.reason), name
        if name in known and name not in {"invalidate", "verify"}:
            assert record.parameters | set(record.refused_parameters) <= known[name], name


def test_the_page_is_of_this_table() -> None:
    assert (ROOT / "docs" / "passes.md").read_text() == passes_page()


def test_a_parameter_that_opt_has_and_the_table_lacks_is_refused(toolchain: Toolchain) -> None:
    for name, parameters in listed(toolchain).items():
        record = VETTED[name]
        if record.allowed:
            for parameter in parameters - record.parameters - {"", "mode=<mode>"}:
                with pytest.raises(PassRefusedError, match="is refused because of"):
                    vet(f"{name}<{parameter}>")


@pytest.mark.parametrize("name", sorted(record.name for record in VETTED.values() if not record.allowed))
def test_a_refused_pass_is_a_policy_error_with_line_and_reason(name: str, bench: Bench) -> None:
    parameters = {"internalize": "<preserve-gv=main>", "fatlto-pre-link": "<Oz>"}.get(name, "")
    bracket = "(branch-relaxation)" if name == "machine-function" else ""
    text = f"sroa\n\nmodule({name}{parameters}{bracket})  # hidden\n"
    with pytest.raises(CellError) as raised:
        resolve(text.encode(), "passes.txt", bench)
    assert raised.value.outcome is Outcome.POLICY_ERROR
    assert raised.value.message == f"passes.txt line 3: '{name}{parameters}' is refused: {VETTED[name].reason}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("function(x86-partial-reduction)", "LLVM has no pass 'x86-partial-reduction'"),  # it has, and does not list it
        ("function(x86-lower-amx-type)", "LLVM has no pass 'x86-lower-amx-type'"),
        ("opt -passes='function(structurizecfg)' a.bc -o b.bc", "'structurizecfg' is refused"),
        ("--structurizecfg", "'structurizecfg' is refused"),
        ("function( sroa , structurizecfg < skip-uniform > )", "'structurizecfg<skip-uniform>' is refused"),
        ("gvn<pre;structurizecfg>", "because of 'structurizecfg'"),
        ("gvn<pre,structurizecfg,pre>", "is no pipeline"),
        ("globaldce<vfe-linkage-unit-visibility>", "because of 'vfe-linkage-unit-visibility': it assumes"),
        ("require<ctx-prof-analysis>", "because of 'ctx-prof-analysis'"),
        ("function(require<ir2vec-vocab>)", "because of 'ir2vec-vocab'"),
        ("simplifycfg<bonus-inst-threshold=x>", "because of 'bonus-inst-threshold=x'"),
        ("function(gvn(structurizecfg))", "'gvn' is refused: it cannot hold other passes"),
        ("function(loop)", "'loop' is refused: it names no passes in brackets"),
        ("-load-pass-plugin=./evil.so,sroa", "LLVM has no pass 'load-pass-plugin=./evil.so'"),
        ("-aa-pipeline=basic-aa sroa", "LLVM has no pass 'aa-pipeline=basic-aa'"),
        ("function(repeat<3>(sroa))", "LLVM has no pass 'repeat'"),
        ("function(lowerinvoke)", "LLVM has no pass 'lowerinvoke'"),
    ],
)  # fmt: skip
def test_nothing_gets_past_the_table(text: str, why: str, bench: Bench) -> None:
    with pytest.raises(CellError) as raised:
        resolve(text.encode(), "passes.txt", bench)
    assert raised.value.outcome is Outcome.POLICY_ERROR and why in raised.value.message


@pytest.mark.parametrize(
    ("source", "language", "facts"),
    [
        (CATCHES, "c++", {Fact.INVOKES}),
        (CATCHES.replace("if (argc > 1) throw argc;", ""), "c++", set()),
        (ATOMIC, "c", {Fact.ATOMICS}),
        (PLAIN, "c", set()),
        ("int main(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); return 0; }", "c", {Fact.ATOMICS}),
    ],
)
def test_facts_of_a_module(source: str, language: str, facts: set[Fact], bench: Bench, tmp_path: Path) -> None:
    frozen = freeze(c_program(tmp_path, source, language), Target.X86_64, Level.OZ, bench)
    assert facts_of(frozen.bitcode, bench) == facts == facts_of(frozen.bitcode, bench)


@pytest.mark.parametrize(
    ("passes", "source", "language"),
    [
        ("mem2reg\nlowerinvoke", CATCHES, "c++"),
        ("mem2reg\nfunction(sroa,lower-invoke)", CATCHES, "c++"),
        ("mem2reg\nloweratomic", ATOMIC, "c"),
        ("mem2reg\ndefault<Oz>,function(loop-simplify,lower-atomic)", ATOMIC, "c"),
    ],
)
def test_what_a_module_has_decides(passes: str, source: str, language: str, bench: Bench, tmp_path: Path) -> None:
    policy = load_policy(str(write_policy(tmp_path / "lowers", passes)))
    kind = POLICIES
    harmed = freeze(c_program(tmp_path / "harmed", source, language), Target.X86_64, Level.OZ, bench)
    with pytest.raises(CellError) as raised:
        kind.decide(policy, harmed, 0, bench)
    assert raised.value.outcome is Outcome.POLICY_ERROR
    assert re.match(r"passes.txt line 2: 'lower-(invoke|atomic)' is refused on a module with", raised.value.message)

    spared = freeze(c_program(tmp_path / "spared", PLAIN), Target.X86_64, Level.OZ, bench)
    decisions = kind.decide(policy, spared, 0, bench).decisions
    assert compile_plan(spared, kind.plan(decisions, Target.X86_64), bench).object.is_file()
    with pytest.raises(CellError, match="is refused on a module with") as raised:  # the same decisions, put elsewhere
        compile_plan(harmed, kind.plan(decisions, Target.X86_64), bench)
    assert raised.value.outcome is Outcome.POLICY_ERROR


@pytest.mark.parametrize(
    "body",
    [
        {"passes": ["function(structurizecfg)"]},
        {"passes": ["default<Oz>", "cgscc(function(sroa,structurizecfg))"]},
        {"passes": ["function(sroa", "structurizecfg)"]},
        {"passes": ["sroa -load-pass-plugin=x.so"]},
        {"passes": ["print"]},
        {"passes": [""]},
        {"passes": ["default<Oz>", "function(sroa) "]},
    ],
)
def test_decisions_written_by_hand_are_no_way_around(body: dict[str, object]) -> None:
    with pytest.raises(CellError) as raised:
        POLICIES.plan(Decisions("passes", Level.OZ, body), Target.X86_64)
    assert raised.value.outcome is Outcome.POLICY_ERROR and raised.value.message.startswith("decisions: ")


def test_an_action_that_would_harm_the_module_does_nothing() -> None:
    assert pipeline_of_action("lowerinvoke", {Fact.INVOKES}) is None
    assert pipeline_of_action("lowerinvoke", {Fact.ATOMICS}) == "function(lower-invoke)"
    assert pipeline_of_action("loweratomic", {Fact.ATOMICS}) is None
    assert pipeline_of_action("loweratomic", set()) == "function(lower-atomic)"
    for action in LEGACY_ACTIONS:
        assert pipeline_of_action(action, set()) == LEGACY_ACTIONS[action]
        refused = refused_on(vet(LEGACY_ACTIONS[action]), set(Fact))
        assert (pipeline_of_action(action, set(Fact)) is None) == (refused is not None)
        assert (refused is not None) == (action in {"lowerinvoke", "loweratomic"})
    assert [pipeline_of_action(action, set()) for action in GONE] == [None] * len(GONE)
    with pytest.raises(KeyError):
        pipeline_of_action("structurizecfg", set())


@pytest.fixture
def counted_anew() -> Iterator[None]:
    """The digest of the table is taken once in a process."""
    table_digest.cache_clear()
    yield
    table_digest.cache_clear()


@pytest.mark.parametrize("change", [{"allowed": False}, {"unless": Fact.ATOMICS}, {"parameters": frozenset()}])
def test_another_table_makes_other_cells_of_lists(
    change: dict[str, Any], bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted_anew: None
) -> None:
    """What the cache has of a list is not believed when a pass, even one that it does not name, is judged otherwise."""
    program = c_program(tmp_path, PLAIN)
    frozen = freeze(program, Target.X86_64, Level.OZ, bench)
    policies = [load_policy(str(write_policy(tmp_path / "list", "mem2reg"))), load_policy("Oz")]

    def keys() -> list[str]:
        return [cell_key(Cell(program, Target.X86_64, SIZE, policy, 0), frozen, bench) for policy in policies]

    before = keys()
    monkeypatch.setitem(VETTED, "sroa", replace(VETTED["sroa"], **change))
    table_digest.cache_clear()
    assert [one == other for one, other in zip(before, keys(), strict=True)] == [False, True]


def test_the_text_of_a_default_pipeline_is_a_list(bench: Bench, toolchain: Toolchain, tmp_path: Path) -> None:
    command = [toolchain.tool("opt"), "-passes=default<Oz>", "-print-pipeline-passes", "-disable-output", "-"]
    module = 'target triple = "x86_64-unknown-linux-gnu"\n'
    text = subprocess.run(command, input=module, capture_output=True, text=True, timeout=60, check=True).stdout
    resolved = resolve(text.encode(), "passes.txt", bench)
    assert ",".join(resolved.body["passes"]) == text.strip()
    assert {condition.unless for condition in resolved.conditions} == {Fact.COROUTINES}


def test_submissions_and_baselines_hold_no_refused_pass(bench: Bench) -> None:
    lists = sorted((ROOT / "submissions").glob("*/passes*.txt"))
    assert len(lists) >= 7
    for path in lists:
        assert resolve(path.read_bytes(), path.name, bench).conditions == ()
