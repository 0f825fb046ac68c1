"""Form ``best``: a file with the best list that is known of each program, whoever found it and however long it took."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.apply.decisions import Decided, Decisions
from harness.base.documents import parse_json
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Outcome, Target
from harness.freeze import FrozenModule, facts_of
from harness.policy.form import Form
from harness.policy.policy import Policy
from harness.problems.passes.check import PassRefusedError, refused_on, vet
from harness.problems.passes.listed import PASSES
from harness.sandbox.bench import Bench

__all__ = ["BestKnown"]

_ROLE = "lists"
_MOST_TRIALS = 1_000_000_000
"""That a file may speak of."""
_FORM = 'must be {"SUITE/BENCHMARK": {"TARGET": {"passes": ["PIPELINE", ...], "trials": N}}}'


@dataclass(frozen=True, slots=True)
class _Best:
    passes: tuple[str, ...]
    trials: int
    """Lists that were tried to find it."""


class BestKnown:
    """See ``harness.problems.passes.way.Way``."""

    form = Form(_ROLE, "lists.json", in_steps=True)

    def check(self, policy: Policy, where: str) -> None:
        """``ceiling = true``, and a file of this form without a pass that may not run."""
        if policy.manifest.files.keys() != {_ROLE}:
            raise UsageError("files: a policy of form 'best' has one file, lists = \"lists.json\"", where=where)
        if not policy.manifest.ceiling:
            raise UsageError("ceiling: a policy of form 'best' says ceiling = true", where=where)
        name, _ = policy.file(_ROLE)
        for program, targets in _lists(policy).items():
            for target, best in targets.items():
                for pipeline in best.passes:
                    try:
                        vet(pipeline)
                    except PassRefusedError as error:
                        raise UsageError(f"{program}, {target.value}: {error}", where=name) from None

    def notes(self, policy: Policy) -> list[str]:
        """None."""
        return []

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """The program's list. Raises CellError where the file has none, or a pass may not run on this module."""
        assert frozen.program is not None, "programs of suites have lists"
        name, _ = policy.file(_ROLE)
        best = _lists(policy).get(frozen.program.home_id, {}).get(frozen.target)
        file = Path(name).name
        if best is None:
            raise CellError(
                Outcome.POLICY_ERROR, f"{file} has no list for {frozen.program.home_id} on {frozen.target.value}"
            )
        facts = facts_of(frozen.bitcode, bench)
        for pipeline in best.passes:
            if (reason := refused_on(vet(pipeline), facts)) is not None:
                raise CellError(Outcome.POLICY_ERROR, f"{file}: {pipeline}: {reason}")
        decisions = Decisions(PASSES, frozen.level, {"passes": list(best.passes), "dropped": []})
        return Decided(decisions, trials=best.trials, steps=0)

    def parts(self, policy: Policy) -> list[str]:
        """Nothing more."""
        return []

    def spaces(self, policy: Policy) -> Mapping[str, str]:
        """None: it does not decide in steps."""
        return {}


def _lists(policy: Policy) -> dict[str, dict[Target, _Best]]:
    """Raises UsageError for what is not of the form."""
    name, content = policy.file(_ROLE)
    document = parse_json(content, name, containers=20_000)
    try:
        return {
            str(program): {Target(target): _best(found) for target, found in targets.items()}
            for program, targets in document.items()
        }
    except (AttributeError, KeyError, TypeError, ValueError):
        raise UsageError(_FORM, where=name) from None


def _best(found: Any) -> _Best:
    passes, trials = found["passes"], found["trials"]
    named = bool(passes) and all(isinstance(one, str) for one in passes)
    if not named or type(trials) is not int or not 1 <= trials <= _MOST_TRIALS:
        raise ValueError
    return _Best(tuple(passes), trials)
