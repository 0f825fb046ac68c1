"""The two things that are compared: a policy, or LLVM's own heuristic, with its decisions on one program."""

from dataclasses import dataclass

from harness.apply import Compiled, compile_plan
from harness.apply.decisions import Decisions
from harness.base.engine import Engine
from harness.base.errors import CellError, UsageError
from harness.base.progress import Observer
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule, freeze
from harness.policy import Policy, load_policy
from harness.problems.inlining import INLINING
from harness.problems.inlining.check import default_decisions
from harness.problems.inlining.replay import replay_plan
from harness.problems.inlining.sites import Site, sites_of
from harness.problems.programs.deciding import decide_twice
from harness.problems.programs.problems import program_problem
from harness.problems.programs.request import parse_targets, parse_track
from harness.problems.programs.stages import fetch_sources, freeze_modules
from harness.problems.programs.tracks import FROZEN_AT
from harness.sandbox.bench import Bench
from harness.suite.load import Program, choose, load_suite, suite_names

__all__ = ["LLVM", "Setting", "Side", "find_policy", "inlines", "make_setting", "prepare", "side_of"]

LLVM = "default"
"""Names LLVM's own heuristic where a policy is named, asked through the plugin: the same call sites are consulted."""


@dataclass(frozen=True)
class Setting:
    """Where two policies meet."""

    program: Program
    target: Target
    track: str


@dataclass(frozen=True)
class Side:
    """A policy's decisions on the program, and the object that they give."""

    name: str
    frozen: FrozenModule
    decisions: Decisions
    compiled: Compiled

    @property
    def inlines(self) -> bool:
        """Whether it decides call sites."""
        return self.decisions.problem == INLINING

    @property
    def sites(self) -> list[Site]:
        """The call sites with its decisions, in the inliner's order."""
        return sites_of(self.decisions.body)


def make_setting(benchmark: str, target: str, track: str) -> Setting:
    """``SUITE/BENCHMARK``, one target, a track. Raises UsageError for a name that means nothing."""
    suite, _, name = benchmark.rpartition("/")
    if not suite or not name:
        having = [one for one in suite_names() if any(p.benchmark.name == benchmark for p in load_suite(one).programs)]
        hint = f"did you mean {having[0]}/{benchmark}?" if having else "write SUITE/BENCHMARK, as in cbench/bzip2"
        raise UsageError(f"{benchmark!r} names no benchmark", hint=hint)
    chosen_track = parse_track(track)
    targets = parse_targets([target])
    if len(targets) > 1:
        raise UsageError("one target at a time", hint="--target x86-64")
    (program,) = choose(load_suite(suite), [name])
    return Setting(program, targets[0], chosen_track)


def find_policy(name: str, setting: Setting) -> Policy | None:
    """The policy; None for LLVM's own heuristic. Raises UsageError for an unknown one, or another target's."""
    if name == LLVM:
        return None
    policy = load_policy(name)
    if setting.target not in policy.manifest.targets:
        supported = ", ".join(target.value for target in policy.manifest.targets)
        raise UsageError(f"{policy.name} does not support {setting.target.value}", hint=f"it supports {supported}")
    return policy


def inlines(policy: Policy | None) -> bool:
    """Whether it decides call sites."""
    return policy is None or policy.manifest.problem == INLINING


def level_of(policy: Policy | None, track: str) -> Level:
    """The level that the program is frozen at for it."""
    return FROZEN_AT[track] if policy is None else program_problem(policy.manifest.problem).freeze_level(policy, track)


def prepare(
    setting: Setting, policies: tuple[Policy | None, ...], bench: Bench, engine: Engine, observer: Observer
) -> None:
    """Fetch the program's sources and freeze the modules that these start from."""
    fetch_sources([setting.program], bench, engine, observer)
    levels = dict.fromkeys(level_of(policy, setting.track) for policy in policies)
    freeze_modules([(setting.program, setting.target, level) for level in levels], bench, engine, observer)


def side_of(policy: Policy | None, setting: Setting, bench: Bench) -> Side:
    """What it decides, and what comes of it. Raises CellError, naming the policy, where nothing does."""
    frozen = freeze(setting.program, setting.target, level_of(policy, setting.track), bench)
    name = LLVM if policy is None else policy.name
    try:
        if policy is None:
            decisions = default_decisions(frozen, bench)
            plan = replay_plan(decisions, setting.target)
        else:
            decisions = decide_twice(policy, frozen, policy.manifest.seeds[0], bench)
            plan = program_problem(policy.manifest.problem).plan(decisions, setting.target)
        return Side(name, frozen, decisions, compile_plan(frozen, plan, bench))
    except CellError as error:
        message = f"{name} on {setting.program.id}: {error.outcome.value}: {error.message}"
        raise CellError(error.outcome, message, error.transient) from None
