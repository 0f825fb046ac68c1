"""Features from decisions alone: the plugin follows them and writes down what a policy would have seen.

So every policy's trajectory is taken alike, without the policy, and can be had of any recorded run.
"""

import struct
from dataclasses import dataclass

from harness.apply.decisions import Decisions
from harness.freeze import FrozenModule
from harness.problems.inlining.features import STATIC_FEATURES
from harness.problems.inlining.replay import replay_plan
from harness.problems.inlining.sites import Site, sites_of
from harness.problems.programs.trajectories import features_of
from harness.sandbox.bench import Bench

__all__ = ["Visit", "trajectory"]

_ROW = struct.Struct(f"={len(STATIC_FEATURES) + 3}q")


@dataclass(frozen=True, slots=True)
class Visit:
    """A call site at the moment of its decision."""

    position: int
    """In the series of all call sites that the inliner met."""
    site: Site
    features: tuple[int, ...]
    """In the order of ``STATIC_FEATURES``."""
    inline: bool
    """What was decided."""
    default: bool
    """What LLVM's own heuristic would have decided there."""


def trajectory(decisions: Decisions, frozen: FrozenModule, bench: Bench) -> list[Visit]:
    """What a policy that took these decisions saw, in their order; without call sites that rules or the growth cap
    decided. Raises CellError: ``not-replayable`` for another module's.
    """
    step = replay_plan(decisions, frozen.target).optimise
    content = features_of(step, "inline-policy", frozen.bitcode, bench)
    sites = sites_of(decisions.body)
    return [
        Visit(position, sites[position], tuple(features), bool(inline), bool(default))
        for position, *features, inline, default in _ROW.iter_unpack(content)
    ]
