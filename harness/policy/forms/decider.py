"""What comes of a policy's file: a process that answers questions, or a library for the process that asks."""

from dataclasses import dataclass
from pathlib import Path

from harness.sandbox import Job

__all__ = ["Decider", "Host", "Library"]


@dataclass(frozen=True, slots=True)
class Host:
    """A policy in a process of its own, which gets the features and nothing else.

    It reads ``{"features": [NAME, ...]}`` as one line, and says a byte for each: 1 if it wants that feature. A question
    is its number, as int64, and then what ``interface`` says; an answer is the same number and a word.
    """

    name: str
    """Of the submission's file, for messages."""
    job: Job
    """It reads questions from descriptor ``READ`` and writes answers to ``WRITE`` (``harness.sandbox.pair``)."""
    reply: float
    """Seconds for each answer; the first has more, since the process must start."""
    tolerated: int
    """Unusable answers that whoever asks replaces; the next one ends the policy."""


@dataclass(frozen=True, slots=True)
class Library:
    """A shared library with ``harness_heuristic``, and ``harness_set`` for its hyperparameters."""

    path: Path
    values: str
    """``NAME=VALUE,...``"""


Decider = Host | Library
