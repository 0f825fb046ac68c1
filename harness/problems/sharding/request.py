"""A request for a run of solvers, checked: names become instances and policies; together, cells."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from harness.base.errors import UsageError
from harness.base.vocabulary import PolicyKind
from harness.policy import Policy, all_policies
from harness.policy.load import choose_policies
from harness.problems.sharding.cell import SolverCell
from harness.problems.sharding.suite import LoadedSharding, Problem, load_sharding_suite

__all__ = ["SOLVER_CORES", "SolveRequest", "make_solve_request"]

SOLVER_CORES = 2
"""That a solver has where nothing else is said."""


@dataclass(frozen=True)
class SolveRequest:
    """Everything that a run of solvers is asked for."""

    suite: LoadedSharding
    problems: tuple[Problem, ...]
    policies: tuple[Policy, ...]
    time_scale: float
    cores: tuple[int, ...]
    """Those that every solver runs on, one solver at a time."""
    named: bool
    """Whether the instances were named: each must be there then."""

    @cached_property
    def cells(self) -> tuple[SolverCell, ...]:
        """One for each instance and policy."""
        return tuple(
            SolverCell(problem, policy, self.time_scale, self.cores)
            for problem in self.problems
            for policy in self.policies
        )


def make_solve_request(
    suite: str,
    benchmarks: Iterable[str] = (),
    policies: Iterable[str | Policy] = (),
    time_scale: float = 1.0,
    cores: int | None = None,
) -> SolveRequest:
    """Check every name. Raises UsageError for the first that means nothing.

    Without policies: every baseline and submission that solves instances.
    """
    loaded = load_sharding_suite(suite)
    named = list(policies)
    chosen = choose_policies(policy for policy in named if isinstance(policy, str))
    chosen += [policy for policy in named if isinstance(policy, Policy)]
    chosen = chosen or [policy for policy in all_policies() if policy.manifest.kind is PolicyKind.SHARDING]
    for policy in chosen:
        if policy.manifest.kind is not PolicyKind.SHARDING:
            raise UsageError(
                f"{policy.name} is a policy of kind {policy.manifest.kind.value!r}, and {loaded.name} is a suite of "
                "sharding instances",
                hint="`harness policies` shows which solve instances",
            )
    wanted = list(benchmarks)
    return SolveRequest(loaded, loaded.choose(wanted), tuple(chosen), time_scale, _cores(cores), named=bool(wanted))


def _cores(wanted: int | None) -> tuple[int, ...]:
    """The first of those that the harness may use."""
    there = sorted(os.sched_getaffinity(0))
    if wanted is not None and wanted > len(there):
        raise UsageError(
            f"a solver cannot have {wanted} cores: this machine has {len(there)}", hint="give fewer with --cores"
        )
    return tuple(there[: wanted or SOLVER_CORES])
