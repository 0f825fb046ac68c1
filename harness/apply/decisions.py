"""Decisions: everything that a policy decided for one frozen module, and all that apply may read."""

import json
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from harness.base.digest import canonical_json, digest_bytes
from harness.base.errors import CellError, UsageError
from harness.base.upgrade import decisions_of_1
from harness.base.vocabulary import Level, Outcome

__all__ = ["Decided", "Decisions"]

SCHEMA = 2


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


def _finite(word: str) -> float:
    number = float(word)
    return number if math.isfinite(number) else _no_number(word)


@dataclass(frozen=True)
class Decisions:
    """What was decided. ``body`` is the problem's own: its replay reads it, nothing else does."""

    problem: str
    frozen_at: Level | None
    """The level that the module is frozen at and that clang's part of the plan runs at; None where there is none."""
    body: dict[str, Any] = field(default_factory=dict)

    @property
    def level(self) -> Level:
        """The same of what is compiled."""
        if self.frozen_at is None:
            raise UsageError(f"decisions of problem {self.problem!r} are about no module")
        return self.frozen_at

    @cached_property
    def content(self) -> bytes:
        """The decisions file."""
        level = None if self.frozen_at is None else self.frozen_at.value
        fields = {"schema": SCHEMA, "problem": self.problem, "level": level, "body": self.body}
        return canonical_json(fields)

    @cached_property
    def digest(self) -> str:
        """Names the file that ``content`` is. Decisions read from a file of an older schema have another name there."""
        return digest_bytes(self.content)

    def require(self, condition: bool, why: str) -> None:
        """Raise CellError, ``not-replayable``, unless the condition holds: decisions may be of any origin.

        ``why``: what is wrong with them.
        """
        if not condition:
            raise CellError(Outcome.NOT_REPLAYABLE, f"malformed decisions of problem {self.problem!r}: {why}")

    @classmethod
    def parse(cls, content: bytes, where: str) -> "Decisions":
        """Read a decisions file, of this schema or an older one. Raises UsageError for anything else."""
        try:
            fields = json.loads(content, parse_constant=_no_number, parse_float=_finite)
            if fields["schema"] == 1:
                fields = decisions_of_1(fields)
            if fields["schema"] != SCHEMA:
                known = f"this harness reads schemas 1 to {SCHEMA}"
                raise UsageError(f"decisions of schema {fields['schema']}; {known}", where=where)
            level = None if fields["level"] is None else Level(fields["level"])
            if not isinstance(fields["body"], dict):
                raise ValueError("its body is not an object")
            if not isinstance(fields["problem"], str):
                raise ValueError("its problem is not a word")
            return cls(fields["problem"], level, fields["body"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UsageError(f"not a decisions file: {error}", where=where) from None


@dataclass(frozen=True)
class Decided:
    """Decisions, and what it cost to take them: no part of the file, since it is another each time."""

    decisions: Decisions
    cpu: float = 0.0
    """CPU seconds beyond the plain compilation of the module; 0 for what is the same for every module."""
    wall: float = 0.0
    """Wall seconds, likewise."""
    trials: int = 0
    """Modules whose cost was looked at before; of an agent that is shown none, its one episode."""
    steps: int = 0
    """Passes that were run to decide."""
    replaced: int = 0
    """Answers of the policy that could not be used: LLVM's own decisions stand in their place."""
