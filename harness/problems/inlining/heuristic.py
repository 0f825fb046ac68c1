"""Form ``cpp``: a submitted C++ function decides in the compiler's own process."""

from harness.apply.decisions import Decided
from harness.base.errors import UsageError
from harness.freeze import FrozenModule
from harness.policy.forms.cpp.build import FLAGS, build_heuristic, judged_by, wrapper_source
from harness.policy.forms.cpp.hyperparameters import (
    Hyperparameter,
    Value,
    parse_hyperparameters,
    require_no_options,
    valued,
)
from harness.policy.policy import Policy
from harness.problems.inlining.ask import Asked, ask
from harness.problems.inlining.decide import decided
from harness.problems.inlining.price import allowance
from harness.problems.inlining.replay import PLUGIN, RULES
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_digest

__all__ = ["ROLE", "Heuristic", "asked", "hyperparameters", "values_of"]

ROLE = "heuristic"
_HOOKS = ("inline",)


class Heuristic:
    """What ``harness.problems.inlining.problem`` asks of the form."""

    def check(self, policy: Policy, where: str) -> None:
        """One C++ file, well-declared hyperparameters, values within their bounds."""
        if set(policy.manifest.files) != {ROLE}:
            raise UsageError("files: a policy of form 'cpp' has one file, heuristic = \"heuristic.cpp\"", where=where)
        hook = policy.manifest.values.get("hook", "inline")
        if hook not in _HOOKS:
            raise UsageError(f"values.hook: {hook!r} is none; there is: {', '.join(_HOOKS)}", where=where)
        name, content = policy.file(ROLE)
        try:
            text = content.decode()
        except UnicodeDecodeError:
            raise UsageError("not UTF-8 text", where=name) from None
        require_no_options(text, name)
        values_of(policy, where)

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """What the function decides of each call site."""
        how = asked(policy, values_of(policy, policy.name), bench)
        most = allowance(policy.manifest.policy_class, frozen, bench)
        return decided(lambda: ask(how, frozen, bench, allowance=most), frozen, bench)

    def parts(self) -> list[str]:
        """The plugin, and what is written around the submission's file."""
        return [native_digest(PLUGIN), *RULES, wrapper_source(()), *FLAGS, judged_by()]


def hyperparameters(policy: Policy) -> tuple[Hyperparameter, ...]:
    """The policy's tunable constants. Raises UsageError for one that is malformed."""
    name, content = policy.file(ROLE)
    return parse_hyperparameters(content.decode(errors="replace"), name)


def values_of(policy: Policy, where: str) -> dict[str, Value]:
    """Every constant's value in the manifest, or its default. Raises UsageError for a value that it cannot have."""
    given = {name: value for name, value in policy.manifest.values.items() if name != "hook"}
    return valued(hyperparameters(policy), given, where)


def asked(policy: Policy, values: dict[str, Value], bench: Bench) -> Asked:
    """The policy with these values. Raises CellError when it does not compile."""
    library = build_heuristic(policy.contents[ROLE], hyperparameters(policy), policy.manifest.files[ROLE], bench)
    text = ",".join(f"{name}={value!r}" for name, value in values.items())
    return Asked("heuristic", library, (f"-inline-policy-values={text}",) if text else ())
