"""How a run tells of its progress: whoever calls watches through an ``Observer``."""

from typing import Protocol

__all__ = ["Observer", "SilentObserver"]


class Observer(Protocol):
    """Told of progress; weights are relative costs, so that time left can be estimated."""

    def stage(self, name: str, total: float) -> None:
        """A stage of ``total`` weight begins."""

    def advance(self, weight: float, what: str) -> None:
        """A piece of the stage ended; or, of no weight, the time since the last word was spent waiting."""


class SilentObserver:
    """Watches without a word."""

    def stage(self, name: str, total: float) -> None:
        """See ``Observer``."""

    def advance(self, weight: float, what: str) -> None:
        """See ``Observer``."""
