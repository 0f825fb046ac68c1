"""What the registry of problems reads: what is asked of inlining policies, by the form that they are written in."""

from typing import ClassVar

from harness.apply.decisions import Decided
from harness.freeze import FrozenModule
from harness.policy.policy import Policy
from harness.policy.problems import Form
from harness.problems.inlining.deciders import InliningProblem
from harness.problems.inlining.heuristic import Heuristic
from harness.problems.inlining.inliner import Inliner
from harness.sandbox.bench import Bench

__all__ = ["POLICIES"]


class Inlining(InliningProblem):
    """See ``harness.problems.programs.problems.ProgramProblem``."""

    forms: ClassVar = {
        "onnx": Form("model", "model.onnx"),
        "tree": Form("tree", "tree.json"),
        "python": Form("policy", "policy.py", pure=False),
        "cpp": Form("heuristic", "heuristic.cpp", pure=False),
    }

    def check(self, policy: Policy, where: str) -> None:
        """As its form has it."""
        _decider(policy).check(policy, where)

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """What it decides of each call site."""
        return _decider(policy).decide(policy, frozen, seed, bench)

    def parts(self, policy: Policy) -> list[str]:
        """The plugin, and what runs the policy."""
        return _decider(policy).parts()


def _decider(policy: Policy) -> Heuristic | Inliner:
    return Heuristic() if policy.manifest.form == "cpp" else Inliner()


POLICIES = Inlining()
