"""Heuristics with tunable constants: what a search for better values asks of one."""

from collections.abc import Mapping

from harness.policy.forms.parameters import Hyperparameter, Value
from harness.policy.forms.registry import asked_form
from harness.policy.policy import Policy
from harness.problems.inlining.ask import Asked, asked_as
from harness.problems.inlining.features import INTERFACE
from harness.sandbox.bench import Bench

__all__ = ["ROLE", "asked", "hyperparameters", "values_of"]

ROLE = "heuristic"


def hyperparameters(policy: Policy) -> tuple[Hyperparameter, ...]:
    """The policy's tunable constants. Raises UsageError for one that is malformed."""
    return asked_form(policy).parameters(policy, INTERFACE)


def values_of(policy: Policy, where: str) -> dict[str, Value]:
    """Every constant's value in the manifest, or its default. Raises UsageError for a value that it cannot have."""
    return asked_form(policy).values(policy, INTERFACE, where)


def asked(policy: Policy, values: Mapping[str, Value], bench: Bench) -> Asked:
    """The policy with these values. Raises CellError when it does not compile."""
    return asked_as(asked_form(policy).open(policy, INTERFACE, 0, bench, values))
