"""Solvers, as policies: none replaces a step of a compile plan."""

from typing import ClassVar

from harness.base.errors import UsageError
from harness.base.vocabulary import PolicyClass, Target
from harness.policy.form import Form
from harness.policy.policy import Policy

__all__ = ["SOLVER", "SOLVER_CPP", "SOLVER_PY", "Solvers"]

SOLVER = "solver"
"""Role of a submission's one file."""
SOLVER_CPP, SOLVER_PY = "solver.cpp", "solver.py"


class Solvers:
    """See ``harness.policy.problems.Problem``."""

    forms: ClassVar = {
        "cpp": Form(SOLVER, SOLVER_CPP, pure=False),
        "python": Form(SOLVER, SOLVER_PY, pure=False),
    }

    def check(self, policy: Policy, where: str) -> None:
        """One file, called as its form has it."""
        manifest, form = policy.manifest, self.forms[policy.manifest.form]
        if manifest.files != {form.role: form.file}:
            one = f'{form.role} = "{form.file}"'
            raise UsageError(f"files: a solver of form {manifest.form!r} has one file, {one}", where=where)
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
