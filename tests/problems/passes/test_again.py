"""Passes that go by addresses: what LLVM 22's gvn-sink makes of minimad is one of two programs, as chance has it.

Eight processes give the same one in one of 128 trials; so each test has several lists, of which one must be found out.
"""

from pathlib import Path

import pytest

from harness.apply import require_repeatable
from harness.apply.decisions import Decisions
from harness.base.errors import CellError
from harness.base.vocabulary import SIZE, Level, Outcome, Target
from harness.environments.benchmarks import modules_of
from harness.freeze import FrozenModule
from harness.policy.load import load_policy
from harness.problems.passes.actions import action_table
from harness.problems.passes.listed import plan_of_list
from harness.problems.programs.cell import Cell, CellResult, run_cell
from harness.problems.programs.problems import program_problem
from harness.sandbox.bench import Bench
from tests.drive import write_policy

SINK = "function(gvn-sink)"
VARYING = [("default<Oz>", SINK), ("default<Oz>", SINK, "globaldce"), ("default<Oz>", "function(dce)", SINK)]


@pytest.fixture(scope="module")
def frozen(bench: Bench) -> FrozenModule:
    (module,) = modules_of(["mibench/mad"], Target.AARCH64, Level.OZ, bench).values()
    return module


def refused(passes: tuple[str, ...], frozen: FrozenModule, bench: Bench) -> str | None:
    """Why the list does not count; None where it does."""
    plan = plan_of_list(Decisions("passes", frozen.level, {"passes": list(passes), "dropped": []}), frozen.target)
    try:
        require_repeatable(frozen, plan, bench)
    except CellError as error:
        assert error.outcome is Outcome.NOT_REPLAYABLE
        return error.message
    return None


def test_a_list_that_gives_another_object_in_another_process_does_not_count(frozen: FrozenModule, bench: Bench) -> None:
    said = [why for passes in VARYING if (why := refused(passes, frozen, bench))]
    assert said and all("gvn-sink" in why for why in said)


@pytest.mark.parametrize("passes", [("default<Oz>",), ("function(sroa)", "function(newgvn)")])
def test_one_that_gives_the_same_counts(passes: tuple[str, ...], frozen: FrozenModule, bench: Bench) -> None:
    """What newgvn leaves differs in orders that no object has."""
    assert refused(passes, frozen, bench) is None


def test_its_cell_has_no_object_and_no_numbers(frozen: FrozenModule, bench: Bench, tmp_path: Path) -> None:
    assert frozen.program is not None
    program = frozen.program

    def result(number: int) -> CellResult:
        policy = load_policy(str(write_policy(tmp_path / f"list{number}", "\n".join(VARYING[number]))))
        return run_cell(Cell(program, Target.AARCH64, SIZE, policy, 0), ["size.alloc"], bench)

    found = next((one for one in map(result, range(len(VARYING))) if one.outcome is not Outcome.OK), None)
    assert found is not None and found.outcome is Outcome.NOT_REPLAYABLE
    assert found.object_digest is None and not found.values and found.decisions is not None


def test_a_search_is_told_that_it_is_not_right(frozen: FrozenModule, bench: Bench, tmp_path: Path) -> None:
    names = action_table("llvm22").actions
    lists = [[names.index(name) for name in passes] for passes in VARYING]
    source = f"""
def search(session, seed, seconds):
    for actions in {lists}:
        line = session.line()
        line.run(*actions)
        if not line.is_right():
            return [{names.index("globaldce")}]
        line.drop()
    return actions
"""
    folder = tmp_path / "search"
    fields = {"form": '"search"', "class": '"search"', "values": '{ actions = "llvm22" }'}
    write_policy(folder, "", **fields, files='{ search = "search.py" }', budget="60", seeds="[0, 1, 2, 3, 4]")
    (folder / "search.py").write_text(source)
    decided = program_problem("passes").decide(load_policy(str(folder)), frozen, 0, bench)
    assert decided.decisions.body["passes"] == ["globaldce"]
