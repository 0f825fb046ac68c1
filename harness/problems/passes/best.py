"""Form ``best``: a file with the best list that is known of each program, whoever found it and however long it took."""

from collections.abc import Mapping
from typing import Any

from harness.apply.decisions import Decided, Decisions
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule, facts_of
from harness.policy.form import Form
from harness.policy.policy import Policy
from harness.problems.passes.check import PassRefusedError, refused_on, vet
from harness.problems.passes.listed import PASSES
from harness.problems.programs.best_known import BestFile
from harness.sandbox.bench import Bench

__all__ = ["BestKnown"]


def _passes(found: Mapping[str, Any]) -> tuple[str, ...]:
    passes = found["passes"]
    if not passes or not all(isinstance(one, str) for one in passes):
        raise ValueError
    return tuple(passes)


_LISTS = BestFile("lists", "lists.json", "list", '"passes": ["PIPELINE", ...]', _passes)


class BestKnown:
    """See ``harness.problems.passes.way.Way``."""

    form = Form(_LISTS.role, _LISTS.file, in_steps=True)

    def check(self, policy: Policy, where: str) -> None:
        """``ceiling = true``, and a file of this form without a pass that may not run."""
        for program, targets in _LISTS.check(policy, where).items():
            for target, best in targets.items():
                for pipeline in best.found:
                    try:
                        vet(pipeline)
                    except PassRefusedError as error:
                        at = policy.file(_LISTS.role)[0]
                        raise UsageError(f"{program}, {target.value}: {error}", where=at) from None

    def notes(self, policy: Policy) -> list[str]:
        """None."""
        return []

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """The program's list. Raises CellError where the file has none, or a pass may not run on this module."""
        best = _LISTS.of(policy, frozen)
        facts = facts_of(frozen.bitcode, bench)
        for pipeline in best.found:
            if (reason := refused_on(vet(pipeline), facts)) is not None:
                raise CellError(Outcome.POLICY_ERROR, f"{_LISTS.name_in(policy)}: {pipeline}: {reason}")
        decisions = Decisions(PASSES, frozen.level, {"passes": list(best.found), "dropped": []})
        return Decided(decisions, trials=best.trials, steps=0)

    def parts(self, policy: Policy) -> list[str]:
        """Nothing more."""
        return []

    def spaces(self, policy: Policy) -> Mapping[str, str]:
        """None: it does not decide in steps."""
        return {}
