"""What is asked of ``harness tune``: whose constants are searched, for what, and how long."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from harness.base.errors import UsageError
from harness.base.vocabulary import Level, Target
from harness.measure import find_metric
from harness.policy import Policy
from harness.policy.forms.parameters import Hyperparameter, Value
from harness.policy.forms.registry import all_forms, asked_form
from harness.problems.programs.problems import TunableProblem, program_problem

__all__ = ["Search", "Tunable", "tunable"]


@dataclass(frozen=True)
class Tunable:
    """A policy whose constants can be searched, and the problem that it is about."""

    policy: Policy
    problem: TunableProblem
    parameters: tuple[Hyperparameter, ...]

    @property
    def values(self) -> dict[str, Value]:
        """Every constant's value in the manifest, or its default."""
        interface = self.problem.interface(self.policy)
        assert interface is not None, "else it has no constants"
        return asked_form(self.policy).values(self.policy, interface, self.policy.name)

    @property
    def level(self) -> Level:
        """That its modules are frozen at."""
        return self.problem.freeze_level(self.policy, self.policy.manifest.track)

    def having(self, values: Mapping[str, Value]) -> Policy:
        """The policy with these values."""
        manifest = self.policy.manifest
        return replace(self.policy, manifest=manifest.model_copy(update={"values": {**manifest.values, **values}}))


def tunable(policy: Policy) -> Tunable:
    """The policy, if it declares constants. Raises UsageError."""
    where, manifest = str(policy.folder), policy.manifest
    problem = program_problem(manifest.problem)
    interface = problem.interface(policy) if isinstance(problem, TunableProblem) else None
    if not isinstance(problem, TunableProblem) or interface is None or manifest.form not in all_forms():
        raise UsageError(
            f"a policy of problem {manifest.problem!r} in form {manifest.form!r} has no tunable constants", where=where
        )
    form = asked_form(policy)
    if "values" not in form.fields:
        raise UsageError(f"a policy of form {manifest.form!r} has no tunable constants", where=where)
    found = form.parameters(policy, interface)
    if not found:
        raise UsageError(
            f"{manifest.files[form.role]} declares no tunable constants",
            where=where,
            hint="declare each as `// [hyperparam]: name, int|float, low, high, default`",
        )
    return Tunable(policy, problem, found)


@dataclass(frozen=True)
class Search:
    """How long is searched, for what, and where."""

    metric: str
    targets: tuple[Target, ...]
    trials: int
    seed: int
    patience: int
    """Trials in a row that give nothing to programs that are left out of the choice; 0: however many."""
    seconds: float
    """That a trial may time each program, of a timed metric."""

    @property
    def timed(self) -> bool:
        """Whether the metric is a time."""
        return find_metric(self.metric).timed
