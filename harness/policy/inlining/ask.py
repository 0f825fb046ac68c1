"""Step 2 for inlining policies: clang's own pipeline asks the policy, in the sandbox, and logs what it decides."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.apply.plan import FROZEN, OPTIMISED, clang_optimise
from harness.bench import Bench
from harness.errors import CellError
from harness.freeze import FrozenModule
from harness.native import llvm_plugin
from harness.policy.inlining.replay import PLUGIN, RULES
from harness.policy.inlining.sites import LogError, parse_log
from harness.process import signal_name
from harness.sandbox import MIB, Finished, Job
from harness.tools import tool_job
from harness.vocabulary import Outcome

__all__ = ["DEFAULT", "Answer", "Asked", "ask"]

_LOG, _FEATURES = "decisions.txt", "features.bin"
_LIBRARY = "policy.so"
_CRASH = re.compile(r"clang frontend command failed with exit code (1(?:29|[3-8]\d))\b")


@dataclass(frozen=True, slots=True)
class Asked:
    """A policy as the plugin asks it."""

    source: str
    """``default``, ``model`` or ``heuristic``: see ``native/inline/plugin.cpp``."""
    library: Path | None = None
    """The shared library that decides."""
    options: tuple[str, ...] = ()
    """LLVM options of the library's own."""


DEFAULT = Asked("default")
"""LLVM's own heuristic, through the plugin."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one module under a policy."""

    body: dict[str, Any]
    """Of the decisions file."""
    bitcode: bytes
    """The optimised module. Whatever wrote it had the policy in its process: it is compared, never measured."""
    cpu: float
    """CPU seconds of the optimise step with the policy in it."""
    features: bytes = b""
    """Where asked for: rows of int64, as ``native/inline/advisor.h`` says."""


def ask(policy: Asked, frozen: FrozenModule, bench: Bench, *, features: bool = False) -> Answer:
    """The policy's decisions on every call site of the module.

    Raises CellError: ``policy-error`` for a policy that crashes, meets a limit other than time or writes no usable
    log, ``policy-timeout`` for one that takes longer than a compile step may.
    """
    job = compile_job(policy, frozen, bench, features=features)
    return read_answer(bench.sandbox.run(job), features=features)


def compile_job(
    policy: Asked, frozen: FrozenModule, bench: Bench, *, features: bool = False, more: tuple[str, ...] = ()
) -> Job:
    """The optimise step that asks the policy. ``more``: further LLVM options."""
    options = [f"-inline-policy={policy.source}", f"-inline-policy-log={_LOG}", *RULES, *more]
    files = {FROZEN: frozen.bitcode, f"{PLUGIN}.so": llvm_plugin(PLUGIN, bench.toolchain, bench.store)}
    loaded: tuple[str, ...] = ()
    if policy.library is not None:
        files[_LIBRARY] = policy.library
        options.append(f"-inline-policy-file=./{_LIBRARY}")
    if policy.options:  # LLVM knows a library's options only if it has loaded it as a plugin
        loaded = (f"-fpass-plugin=./{_LIBRARY}",)
        options += policy.options
    if features:
        options.append(f"-inline-policy-features={_FEATURES}")
    step = clang_optimise(frozen.level, frozen.target, PLUGIN, tuple(options))
    return tool_job(step.tool, (*step.arguments, *loaded), files, _results(features), bench.compile_timeout, bench)


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
    return Answer(body, done.results[OPTIMISED], done.cpu, done.results.get(_FEATURES, b"") if features else b"")


def _fault(done: Finished) -> str:
    """For people. clang reports its own crash as an exit status, and want of memory looks no different."""
    words = done.reason_line()
    if crash := _CRASH.search(words):
        most = (done.limits.address_space or done.limits.memory) // MIB
        return f"clang crashed: {signal_name(int(crash[1]) - 128)} (it cannot have more than {most} MiB of memory)"
    return words


def _results(features: bool) -> tuple[str, ...]:
    return (OPTIMISED, _LOG, *((_FEATURES,) if features else ()))
