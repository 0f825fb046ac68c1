"""``CompilerEnv``: the methods that scripts written for CompilerGym call, with the results that they expect."""

import operator
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import gymnasium
import numpy as np

from harness.apply import Compiled, compile_plan
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Level, Target
from harness.environments.benchmarks import modules_of
from harness.environments.compiler_gym.datasets import Benchmark, Datasets
from harness.environments.compiler_gym.spaces import OBSERVATIONS, REWARDS, STOCK, ActionSpace, Place, View
from harness.environments.compiler_gym.state import CompilerEnvState, ValidationResult
from harness.freeze import facts_of
from harness.problems.passes.actions import action_table
from harness.problems.passes.listed import decisions_of, plan_of_list
from harness.problems.passes.session import Line, Session, SessionLost, StepLimits
from harness.problems.programs.take import Made, require_right
from harness.sandbox.bench import Bench, open_bench

__all__ = ["COMPILER_GYM_ENVS", "CompilerEnv", "make"]

_SPACES = {
    "llvm-v0": (None, None),
    "llvm-ic-v0": (None, "IrInstructionCountOz"),
    "llvm-ir-ic-v0": ("Ir", "IrInstructionCountOz"),
    "llvm-autophase-ic-v0": ("Autophase", "IrInstructionCountOz"),
    "llvm-instcount-ic-v0": ("InstCount", "IrInstructionCountOz"),
    "llvm-autophase-alloc-v0": ("Autophase", "ObjectAllocSizeOz"),
}
"""Registered name → observation space and reward space; the last one is this harness's own."""
COMPILER_GYM_ENVS = tuple(_SPACES)


class CompilerEnv:
    """A program that passes are run on. ``reset`` begins an episode; ``step`` gives the four values of gym."""

    def __init__(
        self,
        benchmark: "str | Benchmark | None" = None,
        observation_space: str | None = None,
        reward_space: str | None = None,
        action_space: str = "autophase42",
        *,
        target: str = Target.X86_64.value,
        limits: StepLimits | None = None,
        bench: Bench | None = None,
    ) -> None:
        """``benchmark``: ``cbench-v1/qsort``, with ``benchmark://`` or without; cbench's qsort where none is named.

        Raises UsageError for unknown names.
        """
        self.bench = bench or open_bench()
        self._target, self._limits = Target(target), limits
        self._table = action_table(action_space)
        self.action_space = ActionSpace(self._table.name, self._table.actions)
        self.datasets = Datasets()
        """The suites that come with the harness."""
        _check_names(observation_space, reward_space)
        self.observation = View(OBSERVATIONS, self._seen)
        self.reward = View(REWARDS, self._paid)
        self.observation_space, self.reward_space = observation_space, reward_space
        self._session: Session | None = None
        self._line: Line | None = None
        self.episode_reward = 0.0
        """What was paid since the episode began, by the environment's own reward space."""
        self.benchmark = benchmark or "cbench-v1/qsort"

    @property
    def benchmark(self) -> Benchmark:
        """The program of the next episode; it may be set by its address."""
        return self._benchmark

    @benchmark.setter
    def benchmark(self, wanted: str | Benchmark) -> None:
        benchmark = self.datasets.found(wanted)
        (self._frozen,) = modules_of(benchmark.own_name, self._target, Level.OZ, self.bench).values()
        self._benchmark = benchmark
        self._end()

    @property
    def in_episode(self) -> bool:
        """Whether ``reset`` was called, and the session is not lost."""
        return self._line is not None

    @property
    def actions(self) -> list[int]:
        """Of this episode."""
        return list(self._line.actions) if self._line is not None else []

    @property
    def state(self) -> CompilerEnvState:
        """Where the episode is."""
        reward = self.episode_reward if self.reward_space else None
        return CompilerEnvState(self._benchmark.uri, self.commandline(), self.episode_walltime, reward)

    @property
    def episode_walltime(self) -> float:
        """Seconds since the episode began."""
        return time.monotonic() - self._started if self._line is not None else 0.0

    def commandline(self) -> str:
        """The episode as a command line of opt."""
        return self.action_space.to_string(self.actions)

    def reset(
        self, benchmark: str | Benchmark | None = None, observation_space: str | None = None,
        reward_space: str | None = None,
    ) -> Any:  # fmt: skip
        """Begin an episode; what is seen at its start, where an observation space is chosen."""
        _check_names(observation_space, reward_space)
        if benchmark is not None:
            self.benchmark = benchmark
        self.observation_space = observation_space or self.observation_space
        self.reward_space = reward_space or self.reward_space
        self._begin()
        self._started = time.monotonic()
        self._first: dict[str, float] = {}
        self._last: dict[str, float] = {}
        self.episode_reward = 0.0
        return self._seen(self.observation_space) if self.observation_space else None

    def step(
        self, action: "int | np.integer[Any] | Iterable[int]", *, observation_spaces: Sequence[str] | None = None,
        reward_spaces: Sequence[str] | None = None,
    ) -> tuple[Any, Any, bool, dict[str, Any]]:  # fmt: skip
        """Run a pass, or several: what is seen, what is paid, whether the episode has ended, and more.

        ``observation_spaces``, ``reward_spaces``: to be given lists, of these, this once. The episode ends where a pass
        crashes, hangs or takes all memory; ``error_details`` says so.
        """
        return self.multistep(_numbers(action), observation_spaces=observation_spaces, reward_spaces=reward_spaces)

    def multistep(
        self, actions: Iterable[int], *, observation_spaces: Sequence[str] | None = None,
        reward_spaces: Sequence[str] | None = None,
    ) -> tuple[Any, Any, bool, dict[str, Any]]:  # fmt: skip
        """Run passes one after the other, and look once."""
        if self._line is None:
            raise gymnasium.error.ResetNeeded("an episode begins with reset()")
        try:
            numbers = _numbers(actions)
            done = self._line.steps(*numbers) if numbers else []
            seen = _each(observation_spaces, self.observation_space, self._seen)
            mine = self._paid(self.reward_space) if self.reward_space else None
            paid = mine if reward_spaces is None else [self._paid_or(name, mine) for name in reward_spaces]
        except SessionLost as lost:
            self._end()
            nothing = 0.0 if self.reward_space else None
            paid = nothing if reward_spaces is None else [0.0 for _ in reward_spaces]
            return None, paid, True, {"error_details": lost.message}
        self.episode_reward += mine or 0.0
        return seen, paid, False, {"action_had_no_effect": not any(step.changed for step in done)}

    def fork(self) -> "CompilerEnv":
        """Another environment that goes on from here: the same passes are run there."""
        made = CompilerEnv(
            self._benchmark, self.observation_space, self.reward_space, self._table.name,
            target=self._target.value, limits=self._limits, bench=self.bench,
        )  # fmt: skip
        if self._line is not None:
            made.reset()
            made.multistep(self.actions)
            made.episode_reward = self.episode_reward
        return made

    def apply(self, state: CompilerEnvState) -> None:
        """Run a state's passes. Raises UsageError for one of another program, or with passes that are no actions."""
        if self.datasets.found(state.benchmark) != self._benchmark:
            raise UsageError(f"the state is of {state.benchmark}, not of {self._benchmark}")
        if self._line is None:
            self.reset()
        self.multistep(self.action_space.from_string(state.commandline))

    def validate(self, state: CompilerEnvState | None = None) -> ValidationResult:
        """Whether the state's list, run by stock opt, gives its reward and a program with the right outputs.

        A reward holds if a session gives it, and stock opt ends at the cost that the session ends at.
        """
        state = state or self.state
        started = time.monotonic()
        fresh: CompilerEnv | None = None
        try:
            fresh = CompilerEnv(
                state.benchmark, None, self.reward_space, self._table.name,
                target=self._target.value, limits=self._limits, bench=self.bench,
            )  # fmt: skip
            facts = self._facts(fresh, state)
        except UsageError as error:
            facts = {"actions_replay_failed": True, "error_details": str(error)}
        finally:
            if fresh is not None:
                fresh.close()
        return ValidationResult(state, walltime=time.monotonic() - started, **facts)

    def write_ir(self, path: str | Path) -> Path:
        """The module as text, into a file."""
        Path(path).write_text(self._seen("Ir"), encoding="utf-8")
        return Path(path)

    def write_bitcode(self, path: str | Path) -> Path:
        """The module as bitcode, into a file."""
        Path(path).write_bytes(self._seen("Bitcode"))
        return Path(path)

    def render(self, mode: str = "human") -> str | None:
        """Print the module's text; give it back in the mode ``ansi``."""
        shown = str(self._seen("Ir"))
        if mode == "ansi":
            return shown
        print(shown)
        return None

    def close(self) -> None:
        """End the process."""
        self._end()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def _facts(self, fresh: "CompilerEnv", state: CompilerEnvState) -> dict[str, Any]:
        """What is found of a state. Raises UsageError for a list that cannot be run."""
        fresh.reset()
        actions = self.action_space.from_string(state.commandline)
        _, _, lost, info = fresh.multistep(actions)
        if lost:
            raise UsageError(info["error_details"])
        frozen = fresh._frozen
        assert frozen.program is not None
        pipelines = self._table.pipelines(facts_of(frozen.bitcode, self.bench))
        try:
            plan = plan_of_list(decisions_of(actions, pipelines, frozen), frozen.target)
        except CellError as error:
            raise UsageError(error.message) from None
        compiled: Compiled | None = None
        facts: dict[str, Any] = {"benchmark_semantics_validated": True}
        try:
            compiled = compile_plan(frozen, plan, self.bench)
            require_right(Made(frozen.program, frozen.target, frozen, plan, compiled), self.bench)
        except CellError as error:
            facts = {"benchmark_semantics_validation_failed": True, "error_details": error.message}
        if state.reward is None:
            return facts
        wrong = fresh._wrong_reward(state.reward, compiled)
        if wrong is None:
            return facts | {"reward_validated": True}
        return {"error_details": wrong} | facts | {"reward_validation_failed": True}

    def _wrong_reward(self, said: float, compiled: Compiled | None) -> str | None:
        """What speaks against the reward that is said of the episode; ``compiled``: its list by stock tools."""
        if self.reward_space is None:
            return "it has a reward, and the environment has no reward space to hold it against"
        if compiled is None:
            return "stock opt makes nothing of it that could be counted"
        cost = REWARDS[self.reward_space].cost
        here, stock = int(self._seen(cost)), STOCK[cost](compiled)
        if here != stock:
            return f"{cost} is {stock} by stock opt, and {here} in the session"
        if abs(self.episode_reward - said) > 1e-6 * max(1.0, abs(said)):
            return f"the reward is {self.episode_reward:.6g}"
        return None

    def _begin(self) -> None:
        """The program as it is before any pass, in the session that there is, unless that has ended meanwhile."""
        if self._session is not None:
            try:
                if self._line is not None:
                    self._line.drop()
                self._line = self._session.line()
            except SessionLost:
                self._end()
            else:
                return
        pipelines = self._table.pipelines(facts_of(self._frozen.bitcode, self.bench))
        self._session = Session(self._frozen.bitcode, pipelines, self.bench, limits=self._limits)
        self._line = self._session.line()

    def _end(self) -> None:
        """The episode is over, and what it was paid is forgotten."""
        if self._session is not None:
            self._session.close()
        self._session = self._line = None
        self.episode_reward = 0.0

    def _place(self) -> Place:
        if self._line is None:
            raise gymnasium.error.ResetNeeded("an episode begins with reset()")
        return Place(self._line, self._frozen, self.bench)

    def _seen(self, name: str) -> Any:
        if name not in OBSERVATIONS:
            raise KeyError(f"{name}: there are {', '.join(OBSERVATIONS)}")
        try:
            return OBSERVATIONS[name](self._place())
        except SessionLost:
            self._end()
            raise

    def _paid(self, name: str) -> float:
        """What was saved since this reward was last asked for, or since the episode began."""
        reward = REWARDS[name]
        first = self._cost_at_start(reward.cost)
        now = float(self._seen(reward.cost))
        before, self._last[name] = self._last.get(name, first), now
        return (before - now) / reward.scale(first, self._place())

    def _paid_or(self, name: str, mine: float | None) -> float:
        """The same, where the environment's own reward has been taken already."""
        return mine if name == self.reward_space and mine is not None else self._paid(name)

    def _cost_at_start(self, name: str) -> float:
        if name not in self._first:
            assert self._session is not None
            line = self._session.line()
            self._first[name] = float(OBSERVATIONS[name](Place(line, self._frozen, self.bench)))
            line.drop()
        return self._first[name]


def _check_names(observation: str | None, reward: str | None) -> None:
    for kind, name, known in (("observation", observation, OBSERVATIONS), ("reward", reward, REWARDS)):
        if name is not None and name not in known:
            raise UsageError(f"there is no {kind} space {name!r}; there are: {', '.join(known)}")


def _numbers(actions: Any) -> list[int]:
    """Of one action, or of several. Raises TypeError for what is no whole number."""
    several = isinstance(actions, Iterable) and getattr(actions, "ndim", 1) > 0
    return [operator.index(one) for one in (actions if several else (actions,))]


def _each(names: Sequence[str] | None, usual: str | None, of: Callable[[str], Any]) -> Any:
    if names is not None:
        return [of(name) for name in names]
    return of(usual) if usual else None


def make(id: str = "llvm-v0", **options: Any) -> CompilerEnv:  # noqa: A002 - CompilerGym's name
    """The environment of this name. Raises UsageError for an unknown one."""
    if id not in _SPACES:
        raise UsageError(f"unknown environment {id!r}; there are: {', '.join(_SPACES)}")
    observation, reward = _SPACES[id]
    return CompilerEnv(**{"observation_space": observation, "reward_space": reward, **options})
