"""Kind ``sharding``: a solver of sharding instances. No step of a compile plan is its own, so no program is."""

from harness.base.errors import UsageError
from harness.base.vocabulary import PolicyClass, Target
from harness.policy.policy import Policy
from harness.problems.sharding.names import SOLVER_CPP, SOLVER_PY

__all__ = ["SOLVER", "ShardingKind"]

SOLVER = "solver"
"""Role of the submission's one file."""


class ShardingKind:
    """See ``harness.policy.kinds.Kind``."""

    def check(self, policy: Policy, where: str) -> None:
        """One file, called as its language wants it."""
        manifest = policy.manifest
        if set(manifest.files) != {SOLVER} or manifest.files[SOLVER] not in (SOLVER_CPP, SOLVER_PY):
            forms = f'{SOLVER} = "{SOLVER_CPP}" or {SOLVER} = "{SOLVER_PY}"'
            raise UsageError(f"files: a policy of kind 'sharding' has one file, {forms}", where=where)
        if manifest.values:
            name = next(iter(manifest.values))
            raise UsageError(f"values.{name}: a policy of kind 'sharding' has no values", where=where)
        if manifest.policy_class is not PolicyClass.ZERO_SHOT:
            raise UsageError(
                f"class: a solver is called once with the instance alone: 'zero-shot', not "
                f"'{manifest.policy_class.value}'",
                where=where,
            )
        if manifest.targets != (Target.X86_64,):
            raise UsageError('targets: solvers run natively: ["x86-64"]', where=where)

    def notes(self, policy: Policy) -> list[str]:
        """Nothing to remark."""
        return []
