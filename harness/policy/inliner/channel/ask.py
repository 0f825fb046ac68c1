"""Asking a ``policy.py``: clang and the policy's process in one sandbox, with the plugin's channel between them.

The compiler never waits longer than it is told to, whatever the other process does; what it is told is checked,
and unusable answers are replaced by LLVM's own decision and counted. Whatever the policy does to the compiler beside
it, only decisions come out, and what is measured is compiled from them elsewhere.
"""

import json
import re
import signal
import sys
from dataclasses import replace
from pathlib import Path

from harness.bench import Bench
from harness.errors import CellError
from harness.freeze import FrozenModule
from harness.policy.inlining.ask import Answer, Asked, compile_job, read_answer
from harness.policy.inlining.sites import Who, counts
from harness.process import last_words, signal_name
from harness.sandbox import SCRATCH, Finished, Job
from harness.sandbox.shown import python_folders
from harness.vocabulary import Outcome

__all__ = ["REPLY_SECONDS", "TOLERATED", "ask_python"]

REPLY_SECONDS = 1.0
"""For each answer; the first has ten times as long, since Python and the policy must start."""

TOLERATED = 2
"""Unusable answers that are replaced; the next one ends the policy (``native/inline/channel.cpp``)."""

_WAITING = 0.9
"""Share of a compile step's time that may be spent waiting for answers."""

_HERE = Path(__file__).parent
_CHANNEL = Asked("channel")
_GIVEN_UP = re.compile(rb"^inline plugin: the channel is given up: ([a-z ]+)$", re.MULTILINE)


def ask_python(content: bytes, seed: int, frozen: FrozenModule, bench: Bench) -> Answer:
    """The decisions of a ``policy.py``.

    Raises CellError: ``policy-error`` when it dies or answers what is no decision more than twice,
    ``policy-timeout`` when it does not answer in time.
    """
    with bench.store.scratch() as folder:
        (folder / "policy.py").write_bytes(content)
        done = bench.sandbox.run(_job(folder / "policy.py", seed, frozen, bench))
    words = last_words(done.results.get("host.err", b""))
    if given_up := _GIVEN_UP.search(done.stderr):
        raise _failure(given_up[1].decode(), done, words)
    answer = read_answer(done, features=False)
    replaced = counts(answer.body)[Who.REPLACED]
    if replaced > TOLERATED:
        raise CellError(Outcome.POLICY_ERROR, f"policy.py: {replaced} answers could not be used{words}")
    return answer


def _job(policy: Path, seed: int, frozen: FrozenModule, bench: Bench) -> Job:
    limits = (f"-inline-policy-reply={round(REPLY_SECONDS * 1000)}",
              f"-inline-policy-total={round(bench.compile_timeout * _WAITING * 1000)}")  # fmt: skip
    compiler = compile_job(_CHANNEL, frozen, bench, more=limits)
    ours = {f"{SCRATCH}/{path.name}": path for path in (_HERE / "relay.py", _HERE / "host.py", policy)}
    return replace(
        compiler,
        program=sys.executable,
        arguments=("-I", "-B", "relay.py", str(seed), compiler.program, *compiler.arguments),
        files={**compiler.files, **ours},
        folders=tuple(dict.fromkeys((*compiler.folders, *python_folders()))),
        results=(*compiler.results, "host.err", "host.json"),
        environment={**compiler.environment, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )


def _ending(done: Finished) -> str:
    """How the policy's process ended, as ``relay.py`` says. What it says may be altered."""
    try:
        host = json.loads(done.results.get("host.json", b"{}"))
        status, early = int(host["exit"]), bool(host["early"])
    except (ValueError, KeyError, TypeError):
        return "ended"
    if not early and status == -signal.SIGKILL:
        return "closed the channel to the compiler"
    return f"was killed by {signal_name(-status)}" if status < 0 else f"ended with exit status {status}"


def _failure(why: str, done: Finished, words: str) -> CellError:
    if why == "late":
        return CellError(
            Outcome.POLICY_TIMEOUT, f"policy.py did not answer within {REPLY_SECONDS:g} s{words}", transient=True
        )
    if why == "slow":
        seconds = done.limits.wall * _WAITING
        return CellError(
            Outcome.POLICY_TIMEOUT, f"policy.py took longer than {seconds:g} s for its answers{words}", transient=True
        )
    if why == "gone":
        return CellError(Outcome.POLICY_ERROR, f"policy.py {_ending(done)}{words}")
    return CellError(Outcome.POLICY_ERROR, f"policy.py gave {TOLERATED + 1} answers that could not be used{words}")
