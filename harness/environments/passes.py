"""Choosing passes as a gymnasium environment: an action is a pass, a reward what it saves, in shares of -Oz."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from harness.base.errors import UsageError
from harness.base.vocabulary import Level, Target
from harness.environments.benchmarks import modules_of
from harness.environments.rewards import COSTS, OverOz, Smoothed
from harness.freeze import FrozenModule, facts_of
from harness.problems.passes.actions import action_table
from harness.problems.passes.session import Line, Session, SessionLost, StepLimits
from harness.sandbox.bench import Bench, open_bench

__all__ = ["OBSERVATIONS", "PassesEnv", "Seen"]

Observation = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Seen:
    """What an observation is made of."""

    features: NDArray[np.int64]
    """(56,): Autophase."""
    histogram: NDArray[np.int64]
    """How often each action was taken in this episode."""
    steps: int
    """Of an episode."""


def _autophase(seen: Seen) -> Observation:
    """(56,): each feature divided by the number of instructions."""
    total = max(int(seen.features[51]), 1)
    return (seen.features / total).astype(np.float32)


def _codezero(seen: Seen) -> Observation:
    """(56 + actions,): the same, and how often each action was taken, divided by the episode's steps."""
    return np.concatenate([_autophase(seen), (seen.histogram / seen.steps).astype(np.float32)])


OBSERVATIONS: dict[str, Callable[[Seen], Observation]] = {"autophase": _autophase, "codezero": _codezero}
"""By name. ``codezero`` is what that paper's agents see: of 42 actions, 98 numbers."""


class PassesEnv(gymnasium.Env[Observation, np.int64]):
    """One episode is one program: so many passes, each seen and paid.

    A pass that crashes, hangs or takes all memory ends the episode (``terminated``) without a reward; ``info["lost"]``
    says what happened. The next ``reset`` starts a new process.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - as gymnasium declares it

    def __init__(
        self,
        benchmarks: str | Sequence[str] = "cbench",
        *,
        target: str = Target.X86_64.value,
        actions: str = "autophase42",
        observation: str = "codezero",
        reward: str = "ir.instructions",
        smoothed: bool = False,
        steps: int = 45,
        level: str = Level.OZ.value,
        limits: StepLimits | None = None,
        bench: Bench | None = None,
        render_mode: str | None = None,
    ) -> None:
        """``benchmarks``: a suite, or names as ``cbench/qsort``; an episode takes one of them at random.

        ``reward``: the metric that is to become small. ``smoothed``: as CodeZero trains. Nothing is started before the
        first ``reset``, so that an environment can be sent to another process. Raises UsageError for unknown names.
        """
        if reward not in COSTS or observation not in OBSERVATIONS:
            raise UsageError(f"rewards are {', '.join(COSTS)}; observations are {', '.join(OBSERVATIONS)}")
        self.render_mode = render_mode
        self.table = action_table(actions)
        self.steps = steps
        self._cost, self._observe = COSTS[reward], OBSERVATIONS[observation]
        self._smoothed = smoothed
        self._benchmarks, self._target, self._level = benchmarks, Target(target), Level(level)
        self._limits, self._bench = limits, bench
        self.action_space = Discrete(len(self.table.actions))
        shape = self._observe(_nothing_seen(len(self.table.actions), steps)).shape
        self.observation_space = Box(0.0, np.inf, shape, np.float32)
        self._sessions: dict[str, Session] = {}
        self._modules: dict[str, FrozenModule] | None = None
        self._line: Line | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode. ``options``: ``benchmark``, the name of one of the environment's.

        Raises UsageError for another benchmark, and what ``Sandbox.run`` raises.
        """
        super().reset(seed=seed)
        bench = self._bench = self._bench or open_bench()
        if self._modules is None:
            self._modules = modules_of(self._benchmarks, self._target, self._level, bench)
        names = list(self._modules)
        name = (options or {}).get("benchmark") or names[int(self.np_random.integers(len(names)))]
        if name not in self._modules:
            raise UsageError(f"{name!r} is none of the environment's benchmarks: {', '.join(names)}")
        frozen = self._modules[name]
        self._end_line()
        if name not in self._sessions:
            for other in self._sessions.values():  # one process at a time
                other.close()
            pipelines = self.table.pipelines(facts_of(frozen.bitcode, bench))
            opened = Session(frozen.bitcode, pipelines, bench, level=self._level, limits=self._limits)
            self._sessions = {name: opened}
        try:
            self._name, self._line = name, self._sessions[name].line()
            self._value = self._cost.of_line(self._line)
        except SessionLost:
            self.close()
            raise
        self._over_oz = OverOz(self._value, self._cost.of_oz(frozen, bench))
        self._smoother = Smoothed()
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Run a pass. Raises ValueError for a number that is no action, TypeError for what is no whole number."""
        if self._line is None:
            raise gymnasium.error.ResetNeeded("an episode begins with reset()")
        try:
            self._line.apply(operator.index(action))
            after = self._cost.of_line(self._line)
            seen = self._observation()
        except SessionLost as lost:
            self._sessions, self._line = {}, None
            return self._last.copy(), 0.0, True, False, self._info() | {"lost": lost.message}
        reward = self._over_oz.of(self._value, after)
        self._value = after
        reward = self._smoother.of(reward) if self._smoothed else reward
        return seen, reward, False, len(self._line.actions) >= self.steps, self._info()

    def render(self) -> str | None:
        """The episode so far, in one line."""
        if self.render_mode != "ansi" or self._line is None:
            return None
        names = " ".join(self.table.actions[action] for action in self._line.actions)
        return f"{self._name}: {self._cost.metric} {self._over_oz.start} -> {self._value}: {names}"

    def close(self) -> None:
        """End the process."""
        for session in self._sessions.values():
            session.close()
        self._sessions, self._line = {}, None

    def _end_line(self) -> None:
        if self._line is not None:
            try:
                self._line.drop()
            except SessionLost:  # it ended while nothing was asked
                self.close()
            self._line = None

    def _observation(self) -> Observation:
        assert self._line is not None
        histogram = np.bincount(np.array(self._line.actions, np.int64), minlength=len(self.table.actions))
        self._last = self._observe(Seen(self._line.autophase(), histogram, self.steps))
        return self._last

    def _info(self) -> dict[str, Any]:
        return {
            "benchmark": self._name,
            self._cost.metric: self._value,
            "oz": self._over_oz.oz,
            "start": self._over_oz.start,
        }


def _nothing_seen(actions: int, steps: int) -> Seen:
    return Seen(np.zeros(56, np.int64), np.zeros(actions, np.int64), steps)
