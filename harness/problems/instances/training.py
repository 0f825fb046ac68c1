"""On which instances solvers were made: as their manifests say now, and as runs have recorded it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from harness.policy import Policy, all_policies
from harness.problems.instances.domain import Domain
from harness.problems.instances.suite import SuiteInstance, load_instances, suite_names
from harness.rank.question import EVERYONE, Question, quote

if TYPE_CHECKING:
    import duckdb

__all__ = ["made_on", "made_on_words", "trained_on", "unseen_sql"]


def made_on(policies: Iterable[Policy], instances: Sequence[SuiteInstance]) -> dict[str, tuple[str, ...]]:
    """Policy → the instances that its manifest names, alone or with the others of their split."""
    found = {
        policy.name: tuple(
            instance.entry.name
            for instance in instances
            if {instance.id, f"{instance.suite}:{instance.entry.split.value}"} & set(policy.manifest.trained_on)
        )
        for policy in policies
    }
    return {name: names for name, names in found.items() if names}


def trained_on(domain: Domain[Any], index: "duckdb.DuckDBPyConnection", question: Question) -> dict[str, set[str]]:
    """Policy → the instances that it was made on, as it said in any run, or says now if it comes with the harness."""
    found: dict[str, set[str]] = defaultdict(set)
    query = "SELECT policy, benchmark FROM training WHERE suite = ?"
    for policy, benchmark in index.execute(query, [question.suite]).fetchall():
        found[policy].add(benchmark)
    for policy, names in _declared(domain, question.suite).items():
        found[policy].update(names)
    return found


def made_on_words(count: int, instances: int) -> str:
    """Why whoever was made on so many of the instances shown is not ranked."""
    return f"made on {count} of these {instances} instances"


def unseen_sql(domain: Domain[Any], question: Question) -> list[str]:
    """The condition that an instance was not trained on, where the question asks for that."""
    if not question.unseen:
        return []
    everyone = EVERYONE in question.unseen
    by = "" if everyone else f" AND policy IN ({', '.join(map(quote, question.unseen))})"
    found = f"SELECT benchmark FROM training WHERE suite = {quote(question.suite)}{by}"
    declared = _declared(domain, question.suite)
    names = sorted({one for policy, mine in declared.items() if everyone or policy in question.unseen for one in mine})
    conditions = [f"c.benchmark NOT IN ({found})"]
    return conditions + ([f"c.benchmark NOT IN ({', '.join(map(quote, names))})"] if names else [])


def _declared(domain: Domain[Any], suite: str) -> dict[str, tuple[str, ...]]:
    """By policies that come with the harness, of a suite that does."""
    if suite not in suite_names(domain):
        return {}
    mine = (policy for policy in all_policies() if policy.manifest.problem == domain.name)
    return made_on(mine, load_instances(domain, suite).instances)
