"""What is known of one pass: whether a submitted list may run it, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from harness.freeze.facts import Fact

__all__ = ["PassRecord"]


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

    varies: bool = False
    """What LLVM makes of it depends on where things lie in the compiler's memory, on some modules."""

    @property
    def verdict(self) -> str:
        """For people and for digests: ``allowed``, ``refused``, or on which modules it is refused."""
        if not self.allowed:
            return "refused"
        return "allowed" if self.unless is None else f"refused where there are {self.unless.value}"
