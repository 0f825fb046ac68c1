"""Step 2 for inlining policies: clang's own pipeline asks the policy, in the sandbox, and logs what it decides.

A policy that needs features only runs in a sandbox of its own (``Host``), where there is neither the module nor a
compiler: the two processes share nothing but two pipes. The compiler never waits longer than it is told to, whatever
the other one does; what it is told is checked, and unusable answers are replaced by LLVM's own decision and counted.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.apply.plan import FROZEN, OPTIMISED, clang_optimise
from harness.base.errors import CellError
from harness.base.process import last_words, signal_name
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule
from harness.policy.forms.decider import Decider, Host
from harness.problems.inlining.price import Allowance
from harness.problems.inlining.replay import PLUGIN, RULES
from harness.problems.inlining.sites import LogError, Who, counts, parse_log
from harness.sandbox import MIB, Finished, Job, Reason
from harness.sandbox.bench import Bench
from harness.sandbox.pair import READ, WRITE, run_joined
from harness.sandbox.tools import tool_job
from harness.toolchain.native import llvm_plugin

__all__ = ["DEFAULT", "Answer", "Asked", "ask", "asked_as", "host_job"]

_LOG, _FEATURES = "decisions.txt", "features.bin"
_LIBRARY = "policy.so"
_CRASH = re.compile(r"clang frontend command failed with exit code (1(?:29|[3-8]\d))\b")
_GIVEN_UP = re.compile(rb"^inline plugin: the channel is given up: ([a-z ]+)$", re.MULTILINE)
_WAITING = 0.9
"""Share of a compile step's time that may be spent waiting for a host's answers."""
_GIVES_UP_AFTER = 3
"""Unusable answers, in ``native/inline/channel.cpp``."""
_LATER = 5.0
"""Seconds that a host's sandbox may last longer than the compiler's, which ends it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A policy as the plugin asks it."""

    source: str
    """``default``, ``channel``, ``heuristic`` or ``upstream``: see ``native/inline/plugin.cpp``."""
    library: Path | None = None
    """The shared library that decides."""
    options: tuple[str, ...] = ()
    """LLVM options besides."""
    host: Host | None = None
    """What is at the other end of the channel."""


DEFAULT = Asked("default")
"""LLVM's own heuristic, through the plugin."""


def asked_as(decider: Decider) -> Asked:
    """What came of a policy's file, as the plugin asks it."""
    if isinstance(decider, Host):
        return Asked("channel", host=decider)
    options = (f"-inline-policy-values={decider.values}",) if decider.values else ()
    return Asked("heuristic", decider.path, options)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one module under a policy."""

    body: dict[str, Any]
    """Of the decisions file."""
    bitcode: bytes
    """The optimised module. Whatever wrote it had the policy in its process: it is compared, never measured."""
    cpu: float
    """CPU seconds of the optimise step with the policy in it; with a host, of its sandbox too."""
    wall: float
    """Wall seconds of the optimise step with the policy in it."""
    features: bytes = b""
    """Where asked for: rows of int64, as ``native/inline/advisor.h`` says."""


def ask(
    policy: Asked,
    frozen: FrozenModule,
    bench: Bench,
    *,
    features: bool = False,
    allowance: Allowance | None = None,
) -> Answer:
    """The policy's decisions on every call site of the module.

    ``allowance``: the CPU seconds that it may take to decide; None: as many as fit into a compile step's time.

    Raises CellError: ``policy-error`` for a policy that crashes, dies, answers what is no decision, meets a limit
    other than time or writes no usable log, ``policy-timeout`` for one that takes longer than it may.
    """
    if policy.host is not None:
        return _ask_host(policy, policy.host, frozen, bench, features, allowance)
    job = compile_job(policy, frozen, bench, features=features)
    if allowance is not None:
        job = replace(job, limits=replace(job.limits, cpu=allowance.plain + allowance.seconds))
    done = bench.sandbox.run(job)
    if allowance is not None and done.reason is Reason.CPU:
        raise CellError(Outcome.POLICY_TIMEOUT, f"the policy in the compiler {allowance.exceeded}", transient=True)
    return read_answer(done, features=features)


def _ask_host(
    policy: Asked, host: Host, frozen: FrozenModule, bench: Bench, features: bool, allowance: Allowance | None
) -> Answer:
    limits = (
        f"-inline-policy-channel-from={READ}",
        f"-inline-policy-channel-to={WRITE}",
        f"-inline-policy-reply={round(host.reply * 1000)}",
        f"-inline-policy-total={round(bench.compile_timeout * _WAITING * 1000)}",
    )
    compiler = compile_job(policy, frozen, bench, features=features, more=limits)
    done, hosted = run_joined(bench.sandbox, compiler, host_job(host, compiler.limits.wall, allowance))
    words = last_words(hosted.stderr)
    if allowance is not None and hosted.reason is Reason.CPU:
        raise CellError(Outcome.POLICY_TIMEOUT, f"{host.name} {allowance.exceeded}{words}", transient=True)
    if given_up := _GIVEN_UP.search(done.stderr):
        raise _failure(given_up[1].decode(), host, bench.compile_timeout * _WAITING, hosted)
    answer = read_answer(done, features=features)
    replaced = counts(answer.body)[Who.REPLACED]
    if replaced > host.tolerated:
        only_late = host.tolerated == 0  # what only computes
        outcome = Outcome.POLICY_TIMEOUT if only_late else Outcome.POLICY_ERROR
        raise CellError(outcome, f"{host.name}: {replaced} answers could not be used{words}", only_late)
    return replace(answer, cpu=answer.cpu + hosted.total_cpu)


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


def compile_job(
    policy: Asked, frozen: FrozenModule, bench: Bench, *, features: bool = False, more: tuple[str, ...] = ()
) -> Job:
    """The optimise step that asks the policy. ``more``: further LLVM options."""
    options = [f"-inline-policy={policy.source}", f"-inline-policy-log={_LOG}", *RULES, *more]
    files = {FROZEN: frozen.bitcode, f"{PLUGIN}.so": llvm_plugin(PLUGIN, bench.toolchain, bench.store)}
    if policy.library is not None:
        files[_LIBRARY] = policy.library
        options.append(f"-inline-policy-file=./{_LIBRARY}")
    options += policy.options
    if features:
        options.append(f"-inline-policy-features={_FEATURES}")
    step = clang_optimise(frozen.level, frozen.target, PLUGIN, tuple(options))
    return tool_job(step.tool, step.arguments, files, _results(features), bench.compile_timeout, bench)


def read_answer(done: Finished, *, features: bool) -> Answer:
    """What the step left, checked. Raises CellError as ``ask`` does."""
    if done.out_of_time:
        raise CellError(Outcome.POLICY_TIMEOUT, f"the policy in the compiler: {done.ending}", done.transient)
    if not done.ok:
        raise CellError(Outcome.POLICY_ERROR, f"the policy in the compiler: {_fault(done)}", done.transient)
    for name in _results(features):
        if name not in done.results:
            why = done.refused.get(name, "missing")
            raise CellError(Outcome.POLICY_ERROR, f"the policy in the compiler: {name} is {why}")
    try:
        body = parse_log(done.results[_LOG].decode("ascii"))
    except (LogError, UnicodeDecodeError) as error:
        raise CellError(Outcome.POLICY_ERROR, f"the policy's process altered the log of decisions: {error}") from None
    table = done.results.get(_FEATURES, b"") if features else b""
    return Answer(body, done.results[OPTIMISED], done.cpu, done.wall, table)


def _fault(done: Finished) -> str:
    """For people. clang reports its own crash as an exit status, and want of memory looks no different."""
    words = done.reason_line()
    if crash := _CRASH.search(words):
        most = (done.limits.address_space or done.limits.memory) // MIB
        return f"clang crashed: {signal_name(int(crash[1]) - 128)} (it cannot have more than {most} MiB of memory)"
    return words


def _results(features: bool) -> tuple[str, ...]:
    return (OPTIMISED, _LOG, *((_FEATURES,) if features else ()))
