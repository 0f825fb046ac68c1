"""The file of a ceiling: what is best of each program, whoever found it and however long it took."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from harness.base.documents import parse_json
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Outcome, Target
from harness.freeze import FrozenModule
from harness.policy.policy import Policy

__all__ = ["Best", "BestFile"]

_MOST_TRIALS = 1_000_000_000
"""That a file may speak of."""

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Best(Generic[Found]):
    """What is best of one program on one target."""

    found: Found
    trials: int
    """How many were tried to find it."""


@dataclass(frozen=True, slots=True)
class BestFile(Generic[Found]):
    """A JSON document: program → target → what was found, and ``trials``."""

    role: str
    """Of the file, in the manifest."""
    file: str
    """What it is called."""
    what: str
    """A word for what it has of a program: ``list``."""
    entry: str
    """How that is written."""
    read: Callable[[Mapping[str, Any]], Found]
    """Raises KeyError, TypeError or ValueError for what is not of the form."""
    containers: int = 20_000
    """Lists and mappings in it, at most."""

    def check(self, policy: Policy, where: str) -> dict[str, dict[Target, Best[Found]]]:
        """All that it has. Raises UsageError for a policy that is no ceiling, and for another form."""
        if policy.manifest.files.keys() != {self.role}:
            one = f'{self.role} = "{self.file}"'
            raise UsageError(f"files: a policy of form 'best' has one file, {one}", where=where)
        if not policy.manifest.ceiling:
            raise UsageError("ceiling: a policy of form 'best' says ceiling = true", where=where)
        return self._all(policy)

    def of(self, policy: Policy, frozen: FrozenModule) -> Best[Found]:
        """What it has of the program. Raises CellError where that is nothing."""
        assert frozen.program is not None, "programs of suites are known"
        best = self._all(policy).get(frozen.program.home_id, {}).get(frozen.target)
        if best is None:
            where = f"{frozen.program.home_id} on {frozen.target.value}"
            raise CellError(Outcome.POLICY_ERROR, f"{self.name_in(policy)} has no {self.what} for {where}")
        return best

    def name_in(self, policy: Policy) -> str:
        """What the policy calls it."""
        return Path(policy.file(self.role)[0]).name

    def _all(self, policy: Policy) -> dict[str, dict[Target, Best[Found]]]:
        name, content = policy.file(self.role)
        document = parse_json(content, name, containers=self.containers)
        try:
            return {
                str(program): {Target(target): self._one(found) for target, found in targets.items()}
                for program, targets in document.items()
            }
        except (AttributeError, KeyError, TypeError, ValueError):
            form = f'must be {{"SUITE/BENCHMARK": {{"TARGET": {{{self.entry}, "trials": N}}}}}}'
            raise UsageError(form, where=name) from None

    def _one(self, found: Mapping[str, Any]) -> Best[Found]:
        trials = found["trials"]
        if type(trials) is not int or not 1 <= trials <= _MOST_TRIALS:
            raise ValueError
        return Best(self.read(found), trials)
