"""The best lists that results have of each program, whoever chose them: where a search for a ceiling begins."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.learn.pass_lists.programs import all_programs
from harness.problems.passes.actions import ActionTable
from harness.problems.passes.listed import PASSES
from harness.rank.entries import Entry, entries
from harness.rank.question import ALL, Question, questions
from harness.record import open_index
from harness.record.decisions import load_decisions

if TYPE_CHECKING:
    import duckdb

__all__ = ["known_lists"]

_REFERENCE = "Oz"
_TRIALS = """
SELECT suite, benchmark, target, sum(trials) FROM (
  SELECT suite, benchmark, target, cell, max(value) AS trials FROM measurements
  WHERE metric = 'decide.trials' AND problem = 'passes' GROUP BY ALL
) GROUP BY ALL"""


def known_lists(results: Path, goal: str, table: ActionTable) -> Mapping[str, Mapping[str, Any]]:
    """Program → target → the list with the least of ``goal``, as a ceiling's file has it (docs/agents.md).

    Only lists that the actions of ``table`` can make, of programs as they are now. ``trials``: of all policies that
    choose passes for the program, since nobody knows which of them led to the list. Raises UsageError for results
    that are torn or altered, and where there are none.
    """
    pipelines = set(table.pipelines(()))
    ours = {program.id for program in all_programs()}
    found: dict[str, dict[str, Any]] = {}
    with open_index(results) as index:
        trials = {tuple(names): int(count) for *names, count in index.execute(_TRIALS).fetchall()}
        for question in questions(index, track="size", metric=goal, reference=_REFERENCE, split=ALL):
            for one in sorted(_measured(index, question), key=lambda one: (one.value, one.policy, one.seed)):
                program = f"{question.suite}/{one.benchmark}"
                if program not in ours or question.target in found.get(program, {}):
                    continue
                decisions = load_decisions(results, str(one.decisions_digest))
                passes = decisions.body.get("passes") if decisions.problem == PASSES else None
                if passes and pipelines.issuperset(passes):
                    tried = trials.get((question.suite, one.benchmark, question.target), 1)
                    found.setdefault(program, {})[question.target] = {"passes": passes, "trials": tried}
    return found


def _measured(index: "duckdb.DuckDBPyConnection", question: Question) -> Iterator[Entry]:
    """What has a value, and decisions: a baseline has none."""
    for one in entries(index, question):
        if one.outcome == "ok" and one.value is not None and one.decisions_digest is not None:
            yield one
