"""What is known of one pass: whether a submitted list may run it, and why."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from harness.freeze.facts import Fact

__all__ = ["PassRecord", "allowed", "refused"]


@dataclass(frozen=True, slots=True)
class PassRecord:
    """One pass of ``opt --print-passes``."""

    name: str
    allowed: bool
    reason: str
    """Why, in one sentence that follows the pass's name and a colon."""
    unless: Fact | None = None
    """Allowed only on modules that do not have this."""
    parameters: frozenset[str] = frozenset()
    """What may stand in its angle brackets, separated by semicolons; ``=N`` stands for any integer."""
    refused_parameters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Parameters that opt knows and that a list may not use, each with the reason."""

    @property
    def verdict(self) -> str:
        """For people and for digests: ``allowed``, ``refused``, or on which modules it is refused."""
        if not self.allowed:
            return "refused"
        return "allowed" if self.unless is None else f"refused where there are {self.unless.value}"


def allowed(
    reason: str, names: str, unless: Fact | None = None, parameters: Mapping[str, str] = MappingProxyType({})
) -> Iterable[PassRecord]:
    """Records of passes that are allowed for one reason; ``names`` and ``parameters`` as opt prints them."""
    for name in names.split():
        yield PassRecord(name, True, reason, unless, frozenset(parameters.get(name, "").split(";")) - {""})


def refused(reason: str, names: str) -> Iterable[PassRecord]:
    """Records of passes that are refused for one reason."""
    for name in names.split():
        yield PassRecord(name, False, reason)
