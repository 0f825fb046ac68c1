"""Agents: policies that look at the module and choose the next pass, step by step, in one trial.

What an agent sees is the normalised Autophase features of the module as it is now, how often it took each action, and
how far it is: never a reward, an absolute count or a size, and never a second trial.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.apply.compile import optimise
from harness.apply.decisions import Decided
from harness.apply.plan import reference_plan
from harness.base.digest import digest_of
from harness.base.errors import CellError, UsageError
from harness.base.process import WAITING
from harness.base.vocabulary import Outcome, PolicyClass
from harness.freeze import FrozenModule, facts_of
from harness.policy.forms.asker import START, Asker
from harness.policy.forms.decider import Host
from harness.policy.forms.interface import Choice, Element, Interface, Tensor
from harness.policy.forms.registry import asked_form, checked_form
from harness.policy.policy import Policy
from harness.problems.passes.actions import ActionTable, action_table
from harness.problems.passes.listed import decisions_of
from harness.problems.passes.session import Line, Session, SessionLost, StepLimits, session_digest
from harness.problems.passes.session.session import PROGRAM
from harness.problems.programs.allowance import allowance
from harness.sandbox import Reason
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_digest

__all__ = ["Agent", "Agents", "Trial", "agent_of", "features_of", "run_agent"]

STOP = "stop"
_AUTOPHASE = 56
_TOTAL = 51
"""The number of instructions among the features: what the others are divided by."""
_MOST_STEPS = 500
_MOST_STATE = 4096
EPISODE = 600.0
"""CPU seconds of LLVM that the passes of an episode may take together: each has a minute, and there are up to 500."""
_THINKING = 60.0
"""CPU seconds of an agent whose class has no limit of its own."""


@dataclass(frozen=True)
class Agent:
    """What a manifest's ``values`` say of an agent."""

    table: ActionTable
    steps: int
    stops: bool
    """Whether the last alternative ends the episode."""
    state: int
    """Numbers that a model gets back at its next step; 0: it has no state."""

    @property
    def interface(self) -> Interface:
        """What the agent is asked."""
        actions = len(self.table.actions)
        alternatives = (*self.table.actions, STOP) if self.stops else self.table.actions
        return Interface(
            "an agent",
            (
                Tensor("autophase", Element.FLOAT, (_AUTOPHASE,)),
                Tensor("histogram", Element.FLOAT, (actions,)),
                Tensor("progress", Element.FLOAT),
            ),
            Choice("action", alternatives),
            state=(Tensor("state", Element.FLOAT, (self.state,)),) if self.state else (),
            summary="Which pass is run next",
            listed_in="docs/observations.md",
        )


def agent_of(policy: Policy, where: str) -> Agent:
    """Raises UsageError, naming the value, for one that means nothing."""
    if policy.manifest.policy_class is PolicyClass.FIXED:
        raise UsageError("class: an agent looks at each program: it is 'zero-shot', not 'fixed'", where=where)
    values = dict(policy.manifest.values)
    table = action_table(str(values.pop("actions", "autophase42")))
    steps = _whole(values.pop("steps", 45), "steps", 1, _MOST_STEPS, where)
    stops = _whole(values.pop("stop", 0), "stop", 0, 1, where)
    state = _whole(values.pop("state", 0), "state", 0, _MOST_STATE, where)
    for name in values:
        raise UsageError(f"values.{name}: an agent has actions, steps, stop and state", where=where)
    return Agent(table, steps, bool(stops), state)


def _whole(value: object, name: str, least: int, most: int, where: str) -> int:
    if not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"values.{name}: must be a whole number from {least} to {most}, not {value!r}", where=where)
    return value


class Agents:
    """See ``harness.problems.passes.way.Way``."""

    def check(self, policy: Policy, where: str) -> None:
        """Its values, and its file, as its form has it."""
        checked_form(policy, agent_of(policy, where).interface, where)

    def notes(self, policy: Policy) -> list[str]:
        """None."""
        return []

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """What it chooses, step by step. Raises CellError as ``run_agent`` does."""
        agent = agent_of(policy, policy.name)
        host = asked_form(policy).open(policy, agent.interface, seed, bench)
        assert isinstance(host, Host), "the forms of agents are processes"
        host = _limited(host, agent, policy.manifest.policy_class, frozen, bench)
        started = time.monotonic()
        trial = run_agent(agent, host, frozen, bench)
        wall = time.monotonic() - started
        pipelines = agent.table.pipelines(facts_of(frozen.bitcode, bench))
        return Decided(decisions_of(trial.actions, pipelines, frozen), trial.cpu, wall, 1, len(trial.actions))

    def parts(self, policy: Policy) -> list[str]:
        """Its table of actions, the session, and what turns the file into what is asked."""
        agent = agent_of(policy, policy.name)
        key = asked_form(policy).key_material(agent.interface)
        return [agent.table.digest, session_digest(), *key]

    def spaces(self, policy: Policy) -> Mapping[str, str]:
        """Its table of actions; and what it sees, with the program that computes that."""
        agent = agent_of(policy, policy.name)
        seen = digest_of([[[one.name, list(one.shape)] for one in agent.interface.features], native_digest(PROGRAM)])
        return {f"actions.{agent.table.name}": agent.table.digest, "observations": seen}


def _limited(host: Host, agent: Agent, policy_class: PolicyClass, frozen: FrozenModule, bench: Bench) -> Host:
    """The agent's process with the CPU time that its class may take to decide on the module, all steps together. It
    lasts as long as the episode may: most of that time it waits for LLVM.
    """
    plain = optimise(frozen, reference_plan(frozen.level, frozen.target), bench).cpu
    most = allowance(policy_class, plain)
    cpu = _THINKING if most is None else most.seconds
    wall = WAITING * (EPISODE + StepLimits().seconds) + START + host.reply * (agent.steps + 1)
    return replace(host, job=replace(host.job, limits=replace(host.job.limits, cpu=cpu, wall=wall)))


@dataclass(frozen=True)
class Trial:
    """What came of an agent's one trial."""

    actions: tuple[int, ...]
    cpu: float
    """CPU seconds of the agent and of the session."""


def run_agent(agent: Agent, host: Host, frozen: FrozenModule, bench: Bench) -> Trial:
    """Let the agent choose until it stops, or its steps are used up.

    Raises CellError: ``policy-error`` and ``policy-timeout`` of the agent, ``compile-error`` and ``compile-timeout``
    where a pass that it chose ends badly.
    """
    pipelines = agent.table.pipelines(facts_of(frozen.bitcode, bench))
    try:
        with Session(frozen.bitcode, pipelines, bench, level=frozen.level) as session:
            with Asker(host, agent.interface, bench.sandbox) as asker:
                line = session.line()
                for action in _chosen(agent, asker, line):
                    line.apply(action)
                    _require_time(session)
                used = asker.end().total_cpu
            return Trial(line.actions, used + session.cpu)
    except SessionLost as lost:
        late = lost.why is None
        outcome = Outcome.COMPILE_TIMEOUT if late else Outcome.COMPILE_ERROR
        raise CellError(outcome, lost.message, late or lost.why is Reason.MEMORY) from None


def _require_time(session: Session) -> None:
    if session.cpu > EPISODE:
        message = f"the passes that it chose took more than {EPISODE:g} s of CPU time together"
        raise CellError(Outcome.COMPILE_TIMEOUT, message, transient=True)


def _chosen(agent: Agent, asker: Asker, line: Line) -> Iterator[int]:
    """The agent's decisions, each taken when the one before has been carried out."""
    for step in range(agent.steps):
        histogram = np.bincount(np.array(line.actions, np.int64), minlength=len(agent.table.actions))
        answer = asker.ask(features_of(line.autophase(), histogram, step, agent.steps))
        if answer is None:
            continue  # an answer that cannot be used is a step that does nothing
        if answer == len(agent.table.actions):
            return
        yield int(answer)


def features_of(
    autophase: NDArray[np.int64], histogram: NDArray[np.int64], step: int, steps: int
) -> Mapping[str, ArrayLike]:
    """An agent's question. Autophase is divided by the number of instructions, the others by the number of steps."""
    return {
        "autophase": (autophase / max(int(autophase[_TOTAL]), 1)).astype(np.float32),
        "histogram": (histogram / steps).astype(np.float32),
        "progress": np.float32(step / steps),
    }
