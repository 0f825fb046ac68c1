"""The forms, and the one door to them. Each is known by being in a folder beside this: ``FORM`` of its ``form.py``."""

from collections.abc import Mapping
from functools import cache
from typing import Protocol

from harness.base.discovery import in_every_folder
from harness.base.errors import UsageError
from harness.policy.forms.decider import Decider
from harness.policy.forms.interface import Interface
from harness.policy.forms.parameters import Hyperparameter, Value
from harness.policy.policy import Policy
from harness.sandbox.bench import Bench

__all__ = ["Form", "all_forms", "checked_form", "form_of"]


class Form(Protocol):
    """A way to write a policy, whatever the problem."""

    role: str
    """Of the policy's one file, in its manifest."""
    usual: str
    """What that file is usually called."""
    is_pure: bool
    """Whether the harness makes code of it that can only compute: asked again, it answers the same."""
    fields: frozenset[str]
    """Which of a manifest's ``seeds`` and ``values`` its policies have."""

    def supports(self, interface: Interface) -> str | None:
        """None where a policy of this form can answer such questions, else the reason why none can."""

    def check(self, policy: Policy, interface: Interface, where: str) -> None:
        """Raise UsageError, naming the place in the file, as far as can be seen without running anything.

        ``where``: the manifest's path, for what the manifest says.
        """

    def parameters(self, policy: Policy, interface: Interface) -> tuple[Hyperparameter, ...]:
        """The policy's tunable constants. Raises UsageError for one that is malformed."""

    def values(self, policy: Policy, interface: Interface, where: str) -> dict[str, Value]:
        """Every constant's value in the manifest, or its default. Raises UsageError for one that it cannot have."""

    def open(
        self, policy: Policy, interface: Interface, seed: int, bench: Bench, values: Mapping[str, Value] | None = None
    ) -> Decider:
        """What answers. ``values``: of the tunable constants, in the place of the manifest's.

        Raises CellError: ``policy-error`` for a file that does not fit, ``policy-timeout``.
        """

    def key_material(self, interface: Interface) -> list[str]:
        """Digests of what of the harness itself shapes the answers."""


@cache
def all_forms() -> Mapping[str, Form]:
    """Folder → form."""
    package = str(__package__)
    return {module.__name__.split(".")[-2]: module.FORM for module in in_every_folder(package, "form")}


def form_of(policy: Policy) -> Form:
    """The form that a policy's manifest names, which ``checked_form`` has taken."""
    return all_forms()[policy.manifest.form]


def checked_form(policy: Policy, interface: Interface, where: str) -> Form:
    """The policy's form. Raises UsageError, naming the field or the place, for a file that cannot answer.

    ``where``: the manifest's path, for messages.
    """
    name = policy.manifest.form
    if name not in all_forms():
        raise UsageError(f"form: unknown form {name!r}; there are: {', '.join(all_forms())}", where=where)
    form = form_of(policy)
    if (reason := form.supports(interface)) is not None:
        raise UsageError(f"form: {reason}", where=where)
    if policy.manifest.files.keys() != {form.role}:
        raise UsageError(f'files: a policy of form {name!r} has one file, {form.role} = "{form.usual}"', where=where)
    form.check(policy, interface, where)
    return form
