"""What a problem says about the policies that decide it, and the registry of problems: the folders of
``harness/problems``.

What else a problem does is a matter of its benchmarks: for programs, ``harness.problems.programs.problems`` says it.
"""

from collections.abc import Mapping
from functools import cache
from typing import Protocol, runtime_checkable

from harness.base.discovery import PROBLEMS, in_every_folder
from harness.base.errors import UsageError
from harness.base.text import closest
from harness.base.vocabulary import PolicyClass
from harness.policy.form import Form
from harness.policy.policy import Policy

__all__ = ["AskingProblem", "Problem", "all_problems", "form_of", "is_asked_again", "problem_of", "require_meant"]


class Problem(Protocol):
    """What loading and showing a policy asks of its problem: ``POLICIES`` of ``problem.py`` in the problem's folder."""

    forms: Mapping[str, Form]
    """Name → form."""

    def check(self, policy: Policy, where: str) -> None:
        """Raise UsageError, naming the field, when the manifest lacks what the problem and the form need."""

    def notes(self, policy: Policy) -> list[str]:
        """Remarks for people on what of the policy's files is not done as written."""


@runtime_checkable
class AskingProblem(Problem, Protocol):
    """One that asks several questions: each of its policies answers one of them."""

    questions: tuple[str, ...]
    """Their names; the first is the question of a policy that names none."""


@cache
def all_problems() -> Mapping[str, Problem]:
    """Name, which is the folder's, → problem, of those that policies decide."""
    modules = in_every_folder(PROBLEMS, "problem")
    return {module.__name__.split(".")[-2]: module.POLICIES for module in modules if hasattr(module, "POLICIES")}


def problem_of(name: str, where: str | None = None) -> Problem:
    """The problem of this name. Raises UsageError, naming ``where``, for an unknown one."""
    if name not in (known := all_problems()):
        meant = closest(name, known)
        hint = f"did you mean {meant!r}?" if meant else None
        raise UsageError(f"problem: unknown problem {name!r}; there are: {', '.join(known)}", where=where, hint=hint)
    return known[name]


def require_meant(policy: Policy, where: str) -> None:
    """Raise UsageError for the first field that is given and means nothing: none is ignored in silence."""
    manifest, fields = policy.manifest, form_of(policy, where).fields
    whose = f"a policy of problem {manifest.problem!r} in form {manifest.form!r}"
    if "values" not in fields:
        for name in manifest.values:
            raise UsageError(f"values.{name}: {whose} has no values", where=where)
    _require_question(policy, where)
    if "seeds" not in fields and manifest.seeds != (0,):
        raise UsageError(f"seeds: {whose} is given none: every seed would be the same policy", where=where)
    if manifest.budget is not None and manifest.policy_class is not PolicyClass.SEARCH:
        raise UsageError(f"budget: a policy of class {manifest.policy_class.value!r} does not search", where=where)
    searches = manifest.policy_class is PolicyClass.SEARCH
    if manifest.deterministic and not (searches or form_of(policy, where).by_chance):
        raise UsageError(
            f"deterministic: {whose} has to be, whatever it says; only searches and ceilings say so", where=where
        )


def _require_question(policy: Policy, where: str) -> None:
    problem, question = problem_of(policy.manifest.problem), policy.manifest.question
    known = problem.questions if isinstance(problem, AskingProblem) else ()
    if question and question not in known:
        there = f"there are: {', '.join(known)}" if known else "policies of this problem name none"
        raise UsageError(f"question: unknown question {question!r}; {there}", where=where)


def is_asked_again(policy: Policy) -> bool:
    """Whether the policy must decide alike when it is asked a second time: it runs code of its own."""
    form = form_of(policy)
    return not form.pure and (policy.manifest.deterministic or not form.by_chance)


def form_of(policy: Policy, where: str | None = None) -> Form:
    """The form of a policy. Raises UsageError, naming ``where``, for one that its problem does not have."""
    problem, form = policy.manifest.problem, policy.manifest.form
    if form not in (known := problem_of(problem, where).forms):
        message = f"form: policies of problem {problem!r} have no form {form!r}; there are: {', '.join(known)}"
        raise UsageError(message, where=where)
    return known[form]
