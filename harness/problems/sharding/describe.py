"""What a person wants to know of an instance, and whether it is what the suite says."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from harness.base.errors import HarnessError
from harness.base.store import Store
from harness.problems.sharding.evaluate import evaluate, verify
from harness.problems.sharding.files import load_instance
from harness.problems.sharding.generate import least_usage
from harness.problems.sharding.instance import Instance
from harness.problems.sharding.published import published_costs
from harness.problems.sharding.suite import LoadedSharding, Problem

__all__ = ["Fault", "describe_problem", "instance_faults"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it should be."""

    instance: str
    check: str
    message: str


def describe_problem(problem: Problem, store: Store) -> dict[str, Any]:
    """The instance's facts. Sizes are None where its file is not to be had, and ``missing`` says why."""
    entry = problem.entry
    record: dict[str, Any] = {
        "name": entry.name,
        "origin": problem.origin.value,
        "split": entry.split.value,
        "seconds": entry.seconds,
        "best": entry.best,
        "bound": entry.bound,
        "optimal": entry.optimal,
        "sha256": entry.sha256,
    }
    sizes: dict[str, Any] = dict.fromkeys(("nodes", "edges", "strategies", "usage_limit"))
    try:
        instance = load_instance(problem, store)
    except HarnessError as error:
        return record | sizes | {"missing": error.message}
    sizes = {
        "nodes": instance.nodes,
        "edges": instance.edges,
        "strategies": int(instance.strategies.sum()),
        "usage_limit": instance.usage_limit,
    }
    return record | sizes | {"missing": None}


def instance_faults(suite: LoadedSharding, problems: tuple[Problem, ...], store: Store) -> Iterator[Fault | None]:
    """All faults, and a None behind those of each instance: progress can be told by it."""
    published = published_costs(suite)
    for problem in problems:
        name, bound = problem.entry.name, problem.entry.bound
        try:
            instance = load_instance(problem, store)
        except HarnessError as error:
            yield Fault(name, "file", error.message)
        else:
            yield from _faults(problem, instance)
        for one in published:
            if one.instance == name and one.cost is not None and bound is not None and one.cost < bound:
                yield Fault(name, "lower bound", f"{one.who} is said to have reached {one.cost:,}, less than the bound")
        yield None


def _faults(problem: Problem, instance: Instance) -> Iterator[Fault]:
    """Solvers start from the least usage: where that is not feasible, perhaps nothing is."""
    least = least_usage(instance)
    if why := verify(instance, least):
        yield Fault(problem.entry.name, "feasible", f"the assignment of least memory is not feasible: {why}")
        return
    cost, bound = evaluate(instance, least), problem.entry.bound
    if bound is not None and cost < bound:
        yield Fault(problem.entry.name, "lower bound", f"the assignment of least memory costs {cost:,}, less than it")
