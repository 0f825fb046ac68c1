"""A form that answers questions: written once, it serves every problem that asks them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from harness.policy.form import Form
from harness.policy.forms.decider import Decider
from harness.policy.forms.interface import Interface
from harness.policy.forms.parameters import Hyperparameter, Value
from harness.policy.policy import Policy
from harness.sandbox.bench import Bench

__all__ = ["AskedForm"]


class AskedForm(Form, ABC):
    """A way to write a policy, whatever the problem."""

    def supports(self, interface: Interface) -> str | None:
        """None where a policy of this form can answer such questions, else the reason why none can."""
        return None

    def check(self, policy: Policy, interface: Interface, where: str) -> None:
        """Raise UsageError, naming the place in the file, as far as can be seen without running anything.

        ``where``: the manifest's path, for what the manifest says.
        """

    def parameters(self, policy: Policy, interface: Interface) -> tuple[Hyperparameter, ...]:
        """The policy's tunable constants. Raises UsageError for one that is malformed."""
        return ()

    def values(self, policy: Policy, interface: Interface, where: str) -> dict[str, Value]:
        """Every constant's value in the manifest, or its default. Raises UsageError for one that it cannot have."""
        return {}

    @abstractmethod
    def open(
        self, policy: Policy, interface: Interface, seed: int, bench: Bench, values: Mapping[str, Value] | None = None
    ) -> Decider:
        """What answers. ``values``: of the tunable constants, in the place of the manifest's.

        Raises CellError: ``policy-error`` for a file that does not fit, ``policy-timeout``.
        """

    @abstractmethod
    def key_material(self, interface: Interface) -> list[str]:
        """Digests of what of the harness itself shapes the answers."""
