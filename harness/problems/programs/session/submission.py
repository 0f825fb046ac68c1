"""What submissions of searches have in common, whatever they search: a budget, one file, trials."""

from pathlib import Path

from harness.base.digest import digest_bytes
from harness.base.errors import UsageError
from harness.policy.form import Form
from harness.policy.policy import Policy
from harness.policy.python_check import check_python
from harness.problems.programs.session.relay import Budget
from harness.sandbox.bench import Bench

__all__ = ["FORM", "SEARCH", "budget_of", "check_search", "search_file"]

SEARCH = "search"
"""The form, the role of its file, and the function in it."""
FORM = Form(SEARCH, "search.py", pure=False, by_chance=True, in_steps=True, fields=frozenset({"seeds", "values"}))
_TRIALS = "trials"
_MOST_TRIALS = 1000
"""That a search may ask for beyond its seconds."""
_PATIENCE = 60.0
"""Seconds that a search may think between two requests."""


def check_search(policy: Policy, where: str, *values: str) -> None:
    """Raise UsageError, naming the field, for a policy without a budget, without one file that defines ``search``, or
    with other ``values`` than trials and these.
    """
    if policy.manifest.budget is None:
        raise UsageError("budget: a search has so many CPU seconds for each program and seed", where=where)
    if policy.manifest.files.keys() != {SEARCH}:
        raise UsageError("files: a policy of form 'search' has one file, search = \"search.py\"", where=where)
    name, content = policy.file(SEARCH)
    check_python(content, name, SEARCH, "session, seed, seconds")
    known = (*values, _TRIALS)
    for name in policy.manifest.values.keys() - {*known}:
        raise UsageError(f"values.{name}: a search has {' and '.join(known)}", where=where)
    _least_trials(policy, where)


def budget_of(policy: Policy) -> Budget:
    """What a search that was checked may use."""
    assert policy.manifest.budget is not None
    return Budget(policy.manifest.budget, _least_trials(policy, policy.name), _PATIENCE)


def search_file(policy: Policy, bench: Bench) -> Path:
    """Its ``search.py``, kept in the cache."""
    content = policy.contents[SEARCH]

    def make(entry: Path) -> None:
        (entry / "search.py").write_bytes(content)

    return bench.store.folder(bench.area("policies"), digest_bytes(content), make) / "search.py"


def _least_trials(policy: Policy, where: str) -> int:
    trials = policy.manifest.values.get(_TRIALS, 0)
    if not isinstance(trials, int) or not 0 <= trials <= _MOST_TRIALS:
        raise UsageError(f"values.trials: must be a whole number up to {_MOST_TRIALS}, not {trials!r}", where=where)
    return trials
