"""What verbs compare: a policy's decisions on one program, and the object that they give."""

from collections.abc import Iterable
from dataclasses import dataclass

from harness.apply import Compiled, compile_plan
from harness.apply.decisions import Decisions
from harness.base.engine import Engine
from harness.base.errors import CellError, UsageError
from harness.base.progress import Observer
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule, freeze
from harness.policy import Policy, load_policy
from harness.problems.programs.deciding import decide_twice
from harness.problems.programs.problems import program_problem
from harness.problems.programs.request import parse_targets, parse_track
from harness.problems.programs.stages import fetch_sources, freeze_modules
from harness.problems.programs.tracks import REFERENCES
from harness.problems.verbs import Asked, Context
from harness.sandbox.bench import Bench
from harness.suite.load import Program, choose, load_suite, suite_names

__all__ = ["Setting", "Side", "find_policy", "level_of", "make_setting", "naming", "prepare", "side_of", "sides_of"]


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


def find_policy(name: str, setting: Setting) -> Policy:
    """The policy. Raises UsageError for an unknown one, or another target's."""
    policy = load_policy(name)
    if setting.target not in policy.manifest.targets:
        supported = ", ".join(target.value for target in policy.manifest.targets)
        raise UsageError(f"{policy.name} does not support {setting.target.value}", hint=f"it supports {supported}")
    return policy


def level_of(policy: Policy, track: str) -> Level:
    """The level that the program is frozen at for it."""
    return program_problem(policy.manifest.problem).freeze_level(policy, track)


def prepare(setting: Setting, levels: Iterable[Level], bench: Bench, engine: Engine, observer: Observer) -> None:
    """Fetch the program's sources and freeze its modules at these levels."""
    fetch_sources([setting.program], bench, engine, observer)
    modules = [(setting.program, setting.target, level) for level in dict.fromkeys(levels)]
    freeze_modules(modules, bench, engine, observer)


def side_of(policy: Policy, setting: Setting, bench: Bench) -> Side:
    """What it decides, and what comes of it. Raises CellError, naming the policy, where nothing does."""
    frozen = freeze(setting.program, setting.target, level_of(policy, setting.track), bench)
    try:
        decisions = decide_twice(policy, frozen, policy.manifest.seeds[0], bench)
        plan = program_problem(policy.manifest.problem).plan(decisions, setting.target)
        return Side(policy.name, frozen, decisions, compile_plan(frozen, plan, bench))
    except CellError as error:
        raise naming(policy.name, setting, error) from None


def sides_of(context: Context, asked: Asked) -> tuple[Setting, Side, Side, Bench]:
    """What ``harness explain`` compares: the policy's side, and that of the other, by default the track's reference.

    Raises UsageError for a word that means nothing.
    """
    if asked.plot is not None:
        raise UsageError("--plot draws call sites, and this policy decides none")
    setting = make_setting(asked.benchmark, asked.target, asked.track)
    names = (asked.policy, asked.against or REFERENCES[setting.track][0])
    policy, other = (find_policy(name, setting) for name in names)
    if policy == other:
        raise UsageError(f"{asked.policy!r} is compared with itself", hint="name another policy with --against")
    bench = context.bench()
    levels = [level_of(one, setting.track) for one in (policy, other)]
    prepare(setting, levels, bench, context.engine, context.observer)
    return setting, side_of(policy, setting, bench), side_of(other, setting, bench), bench


def naming(name: str, setting: Setting, error: CellError) -> CellError:
    """The same, and who it befell where."""
    message = f"{name} on {setting.program.id}: {error.outcome.value}: {error.message}"
    return CellError(error.outcome, message, error.transient)
