"""What an attempt is worth."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.base.errors import CellError, HarnessError
from harness.base.vocabulary import Outcome
from harness.problems.instances.judge import counted, history, judge
from harness.problems.sharding.domain import Sharding
from harness.problems.sharding.instance import Instance
from harness.problems.sharding.parse import parse_instance
from harness.sandbox.bench import Bench
from tests.problems.instances.test_solve import attempt
from tests.problems.sharding.made import as_json
from tests.problems.sharding.test_evaluate import EXAMPLE

DOMAIN = Sharding()


@pytest.fixture
def instance() -> Instance:
    """Three nodes; [0, 0, 0] costs 136 and uses all memory, [0, 0, 1] too much."""
    return parse_instance(as_json(EXAMPLE), "example")


def test_the_last_assignment_and_cost_over_time(instance: Instance, tmp_path: Path, bench: Bench) -> None:
    script = "for a in 1 2; do echo '[0, 1, 2]'; sleep 0.7; done; echo '[0, 0, 1]'; sleep 0.7; echo '[0, 0, 0]'"
    tried = attempt(script, tmp_path, bench)
    solution = judge(DOMAIN, tried, instance, 136, "example")
    assert (solution.cost, solution.assignment.tolist()) == (136, [0, 0, 0])
    first, second = history(DOMAIN, tried, instance, 136, "example")
    assert (first.cost, second.cost) == (221, 136)
    assert first.seconds < 0.7 < 2.1 <= second.seconds == solution.seconds


@pytest.mark.parametrize(
    ("script", "outcome", "message"),
    [
        ("echo '[0, 0, 0]'; echo '[0, 0, 1]'", Outcome.INFEASIBLE, "at time 4 it uses 45 bytes, 5 more"),
        ("echo '[0, 2, 0]'", Outcome.INFEASIBLE, "node 1 has strategies 0 to 1, not 2"),
        ("echo '[0, 0]'", Outcome.POLICY_ERROR, "malformed: it has 2 strategies for 3 nodes"),
        ("echo nothing", Outcome.POLICY_ERROR, "ended without printing an assignment"),
        ("echo '[0, 0, 0]'; exit 3", Outcome.POLICY_ERROR, "the solver failed: sh: exit status 3"),
        ("echo '[0, 0, 0]'; kill -SEGV $$", Outcome.POLICY_ERROR, "the solver failed: sh: killed by SIGSEGV"),
        ("sleep 60", Outcome.POLICY_TIMEOUT, "had printed no assignment: stopped at its limit of 1 s"),
        ("printf '[0, 0, 0]'; sleep 60", Outcome.POLICY_TIMEOUT, "had printed no assignment"),
    ],
)
def test_what_counts_nothing(
    script: str, outcome: Outcome, message: str, instance: Instance, tmp_path: Path, bench: Bench
) -> None:
    wall = 1.0 if outcome is Outcome.POLICY_TIMEOUT else 20.0
    with pytest.raises(CellError, match=message) as error:
        judge(DOMAIN, attempt(script, tmp_path, bench, wall), instance, None, "example")
    assert error.value.outcome is outcome
    assert error.value.transient == (outcome is Outcome.POLICY_TIMEOUT)


def test_an_answer_before_the_limit_counts(instance: Instance, tmp_path: Path, bench: Bench) -> None:
    tried = attempt("echo '[0, 0, 0]'; sleep 60", tmp_path, bench, 1.0)
    assert judge(DOMAIN, tried, instance, None, "example").cost == 136


def test_a_cost_below_the_proven_bound_is_the_evaluators_fault(
    instance: Instance, tmp_path: Path, bench: Bench
) -> None:
    tried = attempt("echo '[0, 0, 0]'", tmp_path, bench)
    with pytest.raises(
        HarnessError, match="costs 136, less than the proven lower bound of 137: the evaluator is wrong"
    ):
        judge(DOMAIN, tried, instance, 137, "iopddl/example")
    assert judge(DOMAIN, tried, replace(instance, usage_limit=None), 136, "iopddl/example").cost == 136


def test_what_counts_was_found_when_its_cost_was_first_printed(
    instance: Instance, tmp_path: Path, bench: Bench
) -> None:
    """Not when it was printed last; and what was better on the way and given up is no part of cost over time."""
    better, worse = "[0, 0, 0]", "[0, 1, 2]"
    for lines, costs in (
        (f"echo '{worse}'; echo '{better}'; sleep 0.6; echo remark; echo '{worse}'; echo '{better}'", [221, 136]),
        (f"echo '{better}'; sleep 0.6; echo '{worse}'", [221]),
    ):
        tried = attempt(lines, tmp_path, bench)
        improvements = history(DOMAIN, tried, instance, None, "example")
        solution, steps = counted(judge(DOMAIN, tried, instance, None, "example"), improvements)
        assert [one.cost for one in steps] == costs
        assert steps[-1].seconds == solution.seconds
        assert (solution.seconds < 0.6) == (solution.cost == 136)


def test_what_beats_a_proof_on_the_way_is_no_better(instance: Instance, tmp_path: Path, bench: Bench) -> None:
    tried = attempt("echo '[0, 0, 0]'; sleep 0.7; echo '[0, 0, 1]'", tmp_path, bench)
    with pytest.raises(CellError, match="5 more"):
        judge(DOMAIN, tried, instance, 137, "example")
    with pytest.raises(HarnessError, match="costs 136, less than the proven lower bound of 137"):
        history(DOMAIN, tried, instance, 137, "example")
