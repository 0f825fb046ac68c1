"""How a run tells of its progress: whoever calls watches through an ``Observer``."""

import time
from collections.abc import Callable
from typing import Protocol

__all__ = ["Observer", "PatientObserver", "SilentObserver"]


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


class PatientObserver:
    """Says nothing of a stage that is soon over; of one that takes longer than ``seconds``, ``shown()`` is told what is
    left of it.
    """

    def __init__(self, shown: Callable[[], Observer], seconds: float = 2.0) -> None:
        self._shown, self._seconds = shown, seconds
        self._observer: Observer | None = None
        self._name, self._total, self._done, self._started = "", 0.0, 0.0, 0.0

    def stage(self, name: str, total: float) -> None:
        """See ``Observer``."""
        self._observer = None
        self._name, self._total, self._done, self._started = name, total, 0.0, time.monotonic()

    def advance(self, weight: float, what: str) -> None:
        """See ``Observer``."""
        self._done += weight
        if self._observer is not None:
            self._observer.advance(weight, what)
        elif time.monotonic() - self._started > self._seconds:
            self._observer = self._shown()
            self._observer.stage(self._name, self._total - self._done)
