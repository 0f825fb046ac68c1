"""A compile step in which a plugin of ours asks a policy: clang's own step, in the sandbox.

A policy that needs features only runs in a sandbox of its own (``Host``), where there is neither the module nor a
compiler: the two processes share nothing but two pipes. The compiler never waits longer than it is told to, whatever
the other one does; what it is told is checked, and unusable answers are replaced by LLVM's own decision and counted.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from signal import SIGABRT, SIGBUS, SIGSEGV

from harness.apply.plan import Step
from harness.base.errors import CellError
from harness.base.process import WAITING, last_words, signal_name
from harness.base.vocabulary import Outcome
from harness.policy.forms.decider import Decider, Host
from harness.problems.programs.allowance import Allowance
from harness.sandbox import MIB, Finished, Job, Reason
from harness.sandbox.bench import Bench
from harness.sandbox.pair import READ, WRITE, run_joined
from harness.sandbox.tools import tool_job
from harness.toolchain.native import llvm_plugin

__all__ = ["Asked", "AskingStep", "Told", "asked_as", "host_job", "require_tolerable"]

_LIBRARY = "policy.so"
_CRASH = re.compile(r"clang frontend command failed with exit code (1(?:29|[3-8]\d))\b")
_OUT_OF_MEMORY = frozenset({SIGABRT, SIGBUS, SIGSEGV})
"""Signals by which clang dies for want of memory."""
_GIVEN_UP = re.compile(rb"^[a-z]+ plugin: the channel is given up: ([a-z ]+)$", re.MULTILINE)
_ANSWERS_BADLY = re.compile(rb"[a-z]+ plugin: the policy is given up: bad$", re.MULTILINE)
_WAITING = 0.9
"""Share of a compile step's time that may be spent waiting for a host's answers."""
_GIVES_UP_AFTER = 3
"""Unusable answers, in ``native/policy/channel.cpp`` and ``native/regalloc/session.cpp``."""
_LATER = 5.0
"""Seconds that a host's sandbox may last longer than the compiler's, which ends it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A policy as a plugin asks it."""

    source: str
    """Of the sources that ``native/PLUGIN/plugin.cpp`` lists."""
    library: Path | None = None
    """The shared library that decides."""
    values: str = ""
    """Of its hyperparameters: ``NAME=VALUE,...``."""
    options: tuple[str, ...] = ()
    """Of the plugin, besides, without what they all begin with: ``function=constant``."""
    host: Host | None = None
    """What is at the other end of the channel."""


def asked_as(decider: Decider) -> Asked:
    """What came of a policy's file, as plugins ask it."""
    if isinstance(decider, Host):
        return Asked("channel", host=decider)
    return Asked("heuristic", decider.path, decider.values)


@dataclass(frozen=True, slots=True)
class Told:
    """What a step left in which a policy decided."""

    results: Mapping[str, bytes]
    """File → content. Whatever wrote it may have had the policy in its process."""
    cpu: float
    """CPU seconds of the step with the policy in it; with a host, of its sandbox too."""
    wall: float
    """Wall seconds of the step with the policy in it."""
    idle: float = 0.0
    """Wall seconds in which the step itself did not compute: it waits for a host in no others."""
    words: str = ""
    """What a host said last, for messages."""


@dataclass(frozen=True, slots=True)
class AskingStep:
    """A step of the compile plan that asks."""

    plugin: str
    """Of ``native/``."""
    prefix: str
    """Of the plugin's options."""
    step: Callable[[tuple[str, ...]], Step]
    """Options of LLVM → the step with the plugin and them."""
    reads: Path
    """The step's input."""
    results: tuple[str, ...]
    """What it must leave."""
    options: tuple[str, ...] = ()
    """Of LLVM, whoever is asked."""

    def ask(self, policy: Asked, bench: Bench, allowance: Allowance | None = None) -> Told:
        """Run it.

        ``allowance``: the CPU seconds that the policy may take to decide; None: as many as fit into a step's time.

        Raises CellError: ``policy-error`` for a policy that crashes, dies, answers what is no decision or meets a limit
        other than time, ``policy-timeout`` for one that takes longer than it may.
        """
        if policy.host is not None:
            return self._ask_host(policy, policy.host, bench, allowance)
        job = self.job(policy, bench)
        if allowance is not None:
            job = _with_time(job, allowance)
        done = bench.sandbox.run(job)
        if allowance is not None and done.reason is Reason.CPU:
            raise CellError(Outcome.POLICY_TIMEOUT, f"the policy in the compiler {allowance.exceeded}", transient=True)
        return self.told(done)

    def _ask_host(self, policy: Asked, host: Host, bench: Bench, allowance: Allowance | None) -> Told:
        waiting = bench.compile_timeout * _WAITING
        limits = (
            self._option(f"channel-from={READ}"),
            self._option(f"channel-to={WRITE}"),
            self._option(f"reply={round(host.reply * 1000)}"),
            self._option(f"total={round(waiting * 1000)}"),
        )
        compiler = self.job(policy, bench, limits)
        if allowance is not None and allowance.search:  # what it asks for may be found out by the compiler
            compiler = _with_time(compiler, allowance)
        done, hosted = run_joined(bench.sandbox, compiler, host_job(host, compiler.limits.wall, allowance))
        words = last_words(hosted.stderr)
        if allowance is not None and hosted.reason is Reason.CPU:
            raise CellError(Outcome.POLICY_TIMEOUT, f"{host.name} {allowance.exceeded}{words}", transient=True)
        if given_up := _GIVEN_UP.search(done.stderr):
            raise _failure(given_up[1].decode(), host, waiting, hosted)
        told = self.told(done, f"the compiler that {host.name} answers")
        return replace(told, cpu=told.cpu + hosted.total_cpu, words=words)

    def job(self, policy: Asked, bench: Bench, more: tuple[str, ...] = ()) -> Job:
        """The step as a job. ``more``: further options of LLVM."""
        files = {f"{self.plugin}.so": llvm_plugin(self.plugin, bench.toolchain, bench.store)}
        options = [self._option(f"={policy.source}"), *self.options, *more]
        if policy.library is not None:
            files[_LIBRARY] = policy.library
            options.append(self._option(f"file=./{_LIBRARY}"))
        if policy.values:
            options.append(self._option(f"values={policy.values}"))
        step = self.step((*options, *map(self._option, policy.options)))
        files[step.reads] = self.reads
        return tool_job(step.tool, step.arguments, files, self.results, bench.compile_timeout, bench)

    def _option(self, words: str) -> str:
        return f"-{self.prefix}{'' if words.startswith('=') else '-'}{words}"

    def told(self, done: Finished, who: str = "the policy in the compiler") -> Told:
        """What the step left, checked. ``who``: at fault where it failed. Raises CellError as ``ask`` does."""
        if done.out_of_time:
            raise CellError(Outcome.POLICY_TIMEOUT, f"{who}: {done.ending}", done.transient)
        if not done.ok:
            raise CellError(Outcome.POLICY_ERROR, f"{who}: {_fault(done)}", done.transient)
        for name in self.results:
            if name not in done.results:
                why = done.refused.get(name, "missing")
                raise CellError(Outcome.POLICY_ERROR, f"{who}: {name} is {why}")
        return Told(done.results, done.cpu, done.wall, max(0.0, done.wall - done.cpu))


def _with_time(job: Job, allowance: Allowance) -> Job:
    """The step with what the policy in it may take, and what it takes without one."""
    cpu = allowance.plain + allowance.seconds
    return replace(job, limits=replace(job.limits, cpu=cpu, wall=max(job.limits.wall, WAITING * cpu)))


def require_tolerable(policy: Asked, replaced: int, told: Told) -> None:
    """Raise CellError for a host of which so many answers could not be used, if that is more than it may have.

    ``policy-timeout``, and transient, where all of them may have been late: the step stood still for as long as it
    waits for so many. ``policy-error`` where it did not: then what was answered is no decision.
    """
    host = policy.host
    if host is None or replaced <= host.tolerated:
        return
    if told.idle < replaced * host.reply:
        raise CellError(Outcome.POLICY_ERROR, f"{host.name}: {replaced} answers could not be used{told.words}")
    raise CellError(
        Outcome.POLICY_TIMEOUT,
        f"{host.name}: {replaced} answers did not come within {host.reply:g} s each{told.words}",
        transient=True,
    )


def host_job(host: Host, wall: float, allowance: Allowance | None = None) -> Job:
    """The host's sandbox, which lasts as long as the compiler's, of so many seconds."""
    wall += _LATER
    return replace(
        host.job, limits=replace(host.job.limits, wall=wall, cpu=allowance.seconds if allowance is not None else None)
    )


def _failure(why: str, host: Host, waiting: float, hosted: Finished) -> CellError:
    """What it means that the compiler has given up the channel, on which it waits for so many seconds in all."""
    words = last_words(hosted.stderr)
    if why == "late":
        return CellError(
            Outcome.POLICY_TIMEOUT, f"{host.name} did not answer within {host.reply:g} s{words}", transient=True
        )
    if why == "slow":
        return CellError(
            Outcome.POLICY_TIMEOUT, f"{host.name} took longer than {waiting:g} s for its answers{words}", transient=True
        )
    if why == "gone":
        return CellError(Outcome.POLICY_ERROR, f"{host.name} {_ending(hosted)}{words}")
    return CellError(Outcome.POLICY_ERROR, f"{host.name} gave {_GIVES_UP_AFTER} answers that could not be used{words}")


def _ending(hosted: Finished) -> str:
    """How the policy's process ended."""
    if hosted.reason is Reason.STOPPED:
        return "closed the channel to the compiler"
    if hosted.reason is Reason.EXIT:
        return f"ended with {hosted.ending}"
    return f"was {hosted.ending}"


def _fault(done: Finished) -> str:
    """For people. clang reports its own crash as an exit status, and want of memory may look no different."""
    words = done.reason_line()
    if _ANSWERS_BADLY.search(done.stderr):
        return f"it gave {_GIVES_UP_AFTER} answers that could not be used"
    if crash := _CRASH.search(words):
        number = int(crash[1]) - 128
        most = (done.limits.address_space or done.limits.memory) // MIB
        memory = f" (it cannot have more than {most} MiB of memory)" if number in _OUT_OF_MEMORY else ""
        return f"clang crashed: {signal_name(number)}{memory}"
    return words
