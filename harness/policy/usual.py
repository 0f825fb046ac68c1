"""Which policies a run has where none is named: those of ``baselines/usual.toml`` that this installation can run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from harness.base.documents import read_toml
from harness.base.errors import UsageError
from harness.base.extras import lacking, missing
from harness.base.paths import BASELINES
from harness.policy.load import all_policies, load_policy
from harness.policy.policy import Policy
from harness.policy.problems import form_of

__all__ = ["EVERY", "Usual", "every_policy", "usual_policies"]

EVERY: Final = "all"
"""In the place of a name: every policy of the track."""
_FILE = BASELINES / "usual.toml"
_LARGEST = 1 << 16
_IMPORTED = re.compile(rb"^[ \t]*(?:import|from)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)
_OPTIONAL = ("highspy",)
"""Modules that a policy in Python may import, and that only an extra of the package brings."""


@dataclass(frozen=True)
class Usual:
    """The policies, and what people should know of those that are not among them."""

    policies: tuple[Policy, ...]
    remarks: tuple[str, ...] = ()


def usual_policies(track: str) -> Usual:
    """Those of the track. What takes a Python package that is not installed is left out, and said to be.

    Raises UsageError for a list that names a policy that is none of the track.
    """
    names = read_toml(_FILE, _LARGEST).get(track)
    if names is None:
        return Usual(tuple(every_policy(track)))
    found: list[Policy] = []
    absent: dict[str, list[str]] = {}
    for name in names:
        policy = load_policy(name)
        if policy.manifest.track != track:
            raise UsageError(f"{track}: {name!r} is of track {policy.manifest.track!r}", where=str(_FILE))
        if (module := lacking(*_needed(policy))) is None:
            found.append(policy)
        else:
            absent.setdefault(module, []).append(name)
    return Usual(tuple(found), tuple(_remark(module, left_out) for module, left_out in absent.items()))


def every_policy(track: str) -> Iterator[Policy]:
    """Every baseline and submission of the track."""
    return (policy for policy in all_policies() if policy.manifest.track == track)


def _needed(policy: Policy) -> tuple[str, ...]:
    """Modules that it takes beside what the package itself depends on."""
    imported = {word.decode() for content in policy.contents.values() for word in _IMPORTED.findall(content)}
    return (*form_of(policy).modules, *(module for module in _OPTIONAL if module in imported))


def _remark(module: str, names: list[str]) -> str:
    problem = missing(module)
    return f"left out: {', '.join(names)}: {problem.message}; {problem.hint}"
