"""The two things that are compared: a policy, or LLVM's own heuristic, with its decisions on one program."""

from harness.apply import compile_plan
from harness.base.engine import Engine
from harness.base.errors import CellError
from harness.base.progress import Observer
from harness.base.vocabulary import Level
from harness.freeze import freeze
from harness.policy import Policy
from harness.problems.inlining import INLINING
from harness.problems.inlining.check import default_decisions
from harness.problems.inlining.replay import replay_plan
from harness.problems.inlining.sites import Site, sites_of
from harness.problems.programs import sides
from harness.problems.programs.sides import Setting
from harness.problems.programs.tracks import FROZEN_AT
from harness.sandbox.bench import Bench

__all__ = ["LLVM", "Side", "find_policy", "inlines", "prepare", "side_of"]

LLVM = "default"
"""Names LLVM's own heuristic where a policy is named, asked through the plugin: the same call sites are consulted."""


class Side(sides.Side):
    """A policy's decisions on the program, and the object that they give."""

    @property
    def inlines(self) -> bool:
        """Whether it decides call sites."""
        return self.decisions.problem == INLINING

    @property
    def sites(self) -> list[Site]:
        """The call sites with its decisions, in the inliner's order."""
        return sites_of(self.decisions.body)


def find_policy(name: str, setting: Setting) -> Policy | None:
    """The policy; None for LLVM's own heuristic. Raises UsageError for an unknown one, or another target's."""
    return None if name == LLVM else sides.find_policy(name, setting)


def inlines(policy: Policy | None) -> bool:
    """Whether it decides call sites."""
    return policy is None or policy.manifest.problem == INLINING


def prepare(
    setting: Setting, policies: tuple[Policy | None, ...], bench: Bench, engine: Engine, observer: Observer
) -> None:
    """Fetch the program's sources and freeze the modules that these start from."""
    sides.prepare(setting, [_level_of(policy, setting.track) for policy in policies], bench, engine, observer)


def side_of(policy: Policy | None, setting: Setting, bench: Bench) -> Side:
    """What it decides, and what comes of it. Raises CellError, naming the policy, where nothing does."""
    if policy is not None:
        found = sides.side_of(policy, setting, bench)
        return Side(found.name, found.frozen, found.decisions, found.compiled)
    frozen = freeze(setting.program, setting.target, FROZEN_AT[setting.track], bench)
    try:
        decisions = default_decisions(frozen, bench)
        return Side(LLVM, frozen, decisions, compile_plan(frozen, replay_plan(decisions, setting.target), bench))
    except CellError as error:
        raise sides.naming(LLVM, setting, error) from None


def _level_of(policy: Policy | None, track: str) -> Level:
    return FROZEN_AT[track] if policy is None else sides.level_of(policy, track)
