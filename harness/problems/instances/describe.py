"""What a person wants to know of an instance, and whether it is what the suite says."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from harness.base.errors import HarnessError
from harness.base.store import Store
from harness.problems.instances.files import load_instance
from harness.problems.instances.published import published_costs
from harness.problems.instances.suite import LoadedInstances, SuiteInstance

__all__ = ["Fault", "describe_instance", "instance_faults"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it should be."""

    instance: str
    check: str
    message: str


def describe_instance(instance: SuiteInstance, store: Store) -> dict[str, Any]:
    """The instance's facts. Sizes are None where its file is not to be had, and ``missing`` says why."""
    entry = instance.entry
    record: dict[str, Any] = {
        "name": entry.name,
        "origin": instance.origin.value,
        "split": entry.split.value,
        "seconds": entry.seconds,
        "best": entry.best,
        "bound": entry.bound,
        "optimal": entry.optimal,
        "sha256": entry.sha256,
    }
    domain = instance.domain
    try:
        sizes = domain.sizes(load_instance(instance, store))
    except HarnessError as error:
        return record | dict.fromkeys(domain.measures) | {"missing": error.message}
    return record | dict(zip(domain.measures, sizes, strict=True)) | {"missing": None}


def instance_faults(
    suite: LoadedInstances, instances: tuple[SuiteInstance, ...], store: Store
) -> Iterator[Fault | None]:
    """All faults, and a None behind those of each instance: progress can be told by it."""
    published = published_costs(suite)
    for instance in instances:
        name, bound = instance.entry.name, instance.entry.bound
        try:
            parsed = load_instance(instance, store)
        except HarnessError as error:
            yield Fault(name, "file", error.message)
        else:
            yield from _faults(instance, parsed)
        for one in published:
            if one.instance == name and one.cost is not None and bound is not None and one.cost < bound:
                yield Fault(name, "lower bound", f"{one.who} is said to have reached {one.cost:,}, less than the bound")
        yield None


def _faults(instance: SuiteInstance, parsed: Any) -> Iterator[Fault]:
    """Solvers start from the plain assignment: where that is not feasible, perhaps nothing is."""
    domain, name, bound = instance.domain, instance.entry.name, instance.entry.bound
    plain = domain.plain(parsed)
    if why := domain.verify(parsed, plain):
        yield Fault(name, "feasible", f"{domain.plain_called} is not feasible: {why}")
        return
    cost = domain.cost(parsed, plain)
    if bound is not None and cost < bound:
        yield Fault(name, "lower bound", f"{domain.plain_called} costs {cost:,}, less than it")
