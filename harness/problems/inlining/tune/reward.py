"""What a trial is worth: the size of programs under a heuristic with certain values.

Asked once and not replayed, unlike what is measured for the leaderboard; and never verified by running it. A policy
that gains by that loses it again in ``harness run``.
"""

from collections.abc import Mapping

from harness.apply.compile import run_step
from harness.apply.plan import OBJECT, OPTIMISED, clang_generate
from harness.apply.reference import reference_object
from harness.base.digest import digest_bytes, digest_of
from harness.base.vocabulary import SIZE, Target
from harness.freeze import freeze
from harness.measure import all_metrics, seen, seen_in
from harness.policy import Policy
from harness.policy.forms.parameters import Value
from harness.problems.inlining.ask import ask
from harness.problems.inlining.heuristic import ROLE, asked
from harness.problems.inlining.replay import PLUGIN
from harness.problems.programs.tracks import FROZEN_AT
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.toolchain.native import native_digest

__all__ = ["Sizes", "measure", "reference_sizes"]

_LEVEL = FROZEN_AT[SIZE]

Sizes = Mapping[str, int | float]
"""Metric → value, of those that one look at the object tells."""


def measure(policy: Policy, values: Mapping[str, Value], program: Program, target: Target, bench: Bench) -> Sizes:
    """The program's sizes under the heuristic with these values; from the cache where the same was asked before.

    Raises CellError when the policy cannot be asked, or what it decided cannot be compiled.
    """
    frozen = freeze(program, target, _LEVEL, bench)
    source = digest_bytes(policy.contents[ROLE])
    tools = [native_digest(PLUGIN), bench.toolchain.fingerprint.llvm]
    key = digest_of(["trial", _versions(), frozen.digest, source, dict(values), tools])
    known: Sizes | None = bench.store.get(bench.area("trials"), key)
    if known is None:
        answer = ask(asked(policy, values, bench), frozen, bench)
        known = _generated(answer.bitcode, target, bench)
        bench.store.put(bench.area("trials"), key, dict(known))
    return known


def reference_sizes(program: Program, target: Target, bench: Bench) -> Sizes:
    """The program's sizes under the track's reference."""
    return seen_in(reference_object(program, _LEVEL, target, bench)[0], target, bench)


def _generated(bitcode: bytes, target: Target, bench: Bench) -> Sizes:
    """Sizes of the object of optimised bitcode. Many values give the same decisions, and these the same code."""
    key = digest_of(["generated", _versions(), digest_bytes(bitcode), target.value, bench.toolchain.fingerprint.llvm])
    known: Sizes | None = bench.store.get(bench.area("trials"), key)
    if known is None:
        with bench.store.scratch() as folder:
            (folder / OPTIMISED).write_bytes(bitcode)
            run_step(clang_generate(_LEVEL, target), folder / OPTIMISED, folder, bench)
            known = seen_in(folder / OBJECT, target, bench)
        bench.store.put(bench.area("trials"), key, dict(known))
    return known


def _versions() -> dict[str, int]:
    """Of the metrics that a trial is worth by."""
    return {name: all_metrics()[name].version for name in seen()}
