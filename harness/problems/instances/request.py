"""A request for a run of solvers, checked: names become instances and policies; together, cells."""

import hashlib
import hmac
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from harness.base.errors import UsageError
from harness.base.store import Store
from harness.base.text import duration
from harness.base.vocabulary import Target
from harness.measure import choose_metrics
from harness.policy import Policy
from harness.policy.load import choose_policies
from harness.policy.usual import EVERY, Usual, every_policy, usual_policies
from harness.problems.instances.cell import SolverCell, with_key
from harness.problems.instances.domain import Domain
from harness.problems.instances.files import MissingFileError, load_instance, require_file
from harness.problems.instances.suite import LoadedInstances, SuiteInstance, load_instances
from harness.problems.instances.training import made_on
from harness.problems.protocol import Conclusion, Session
from harness.record.rows import BenchmarkFacts, InstanceFacts, Solving
from harness.record.seed import seed_of
from harness.sandbox.bench import Bench
from harness.suite.hidden import commitment

__all__ = ["SOLVER_CORES", "SolveRequest", "make_solve_request"]

_COPIES = "renumbered"
SOLVER_CORES = 2
"""That a solver has where nothing else is said."""


@dataclass(frozen=True)
class SolveRequest:
    """Everything that a run of solvers is asked for: ``harness.problems.protocol.Request``."""

    suite: LoadedInstances
    instances: tuple[SuiteInstance, ...]
    policies: tuple[Policy, ...]
    time_scale: float
    cores: tuple[int, ...]
    """Those that every solver runs on, one solver at a time."""
    named: bool
    """Whether the instances were named: each must be there then."""
    repeats: int = 1
    """Runs of each solver on each instance."""
    perturb: bool = False
    """Whether each instance is solved once more, under other numbers."""
    secret: bytes | None = None
    """What these follow from; None: from a seed that the run draws, and records."""
    remarks: tuple[str, ...] = ()
    """See ``harness.problems.protocol.Request``."""
    targets: ClassVar[tuple[Target, ...]] = (Target.X86_64,)
    alone: ClassVar[bool] = True

    @property
    def track(self) -> str:
        """See ``harness.problems.protocol.Request``."""
        return self.suite.domain.name

    @cached_property
    def measured(self) -> tuple[str, ...]:
        """See ``harness.problems.protocol.Request``."""
        return tuple(metric.name for metric in choose_metrics((), self.track))

    @cached_property
    def cells(self) -> tuple[SolverCell, ...]:
        """One for each instance, policy, run and copy, the copies without their seeds."""
        numbers = [(number, 0) for number in range(self.repeats)] + ([(0, 1)] if self.perturb else [])
        return tuple(
            SolverCell(instance, policy, self.time_scale, self.cores, number, copy, metrics=self.measured)
            for number, copy in numbers
            for instance in self.instances
            for policy in self.policies
        )

    @property
    def identity(self) -> object:
        """See ``harness.problems.protocol.Request``."""
        return [
            [(cell.name, cell.instance.digest, cell.policy.digest) for cell in self.cells],
            [self.time_scale, len(self.cores), self.suite.definition.version],
            self.hidden,
        ]

    @property
    def hidden(self) -> str | None:
        """Commitment to the secret that copies follow from, if there is one."""
        return None if self.secret is None else commitment(self.secret)

    @property
    def on_cores(self) -> str:
        """For people."""
        return f"{len(self.cores)} core{'s' if len(self.cores) > 1 else ''}"

    def outlook(self, bench: Bench, _workers: int) -> list[str]:
        """See ``harness.problems.protocol.Request``."""
        to_do = [cell for cell in self.cells if cell.copy or with_key(cell, bench).known(bench) is None]
        return [
            f"{len(self.cells)} cells: {len(to_do)} to do, {len(self.cells) - len(to_do)} cached",
            f"at most {duration(sum(cell.seconds for cell in to_do))}, one solver at a time on {self.on_cores}",
        ]

    def beginning(self, _bench: Bench) -> None:
        """See ``harness.problems.protocol.Request``: solvers take the time that they are given."""
        return

    def header(self, _bench: Bench) -> Mapping[str, Any]:
        """See ``harness.problems.protocol.Request``: all of it is known at the end."""
        return {}

    def tasks(self, session: Session) -> Sequence[SolverCell]:
        """Those of the instances that can be had; they are parsed where they are new.

        Raises PrerequisiteError where one that was named cannot be had, or none can.
        """
        session.found["missing"] = missing = _missing(self, session)
        there = [cell for cell in self.cells if cell.instance.entry.name not in missing]
        drawn = seed_of(session.recorder.journal, _COPIES) if self.perturb and self.secret is None else ""
        secret = self.secret or bytes.fromhex(drawn)
        session.found["renumbered"] = drawn or None
        return [
            with_key(replace(cell, seed=_seed(secret, cell)) if cell.copy else cell, session.bench) for cell in there
        ]

    def ready(self, pending: Sequence[SolverCell], _session: Session) -> Sequence[SolverCell]:
        """Nothing is to be done."""
        return pending

    def took(self, _tasks: int, _seconds: float, _bench: Bench) -> None:
        """Solvers take the time that they have."""

    def conclude(self, _done: Sequence[tuple[SolverCell, Any]], session: Session) -> Conclusion:
        """Nothing is left to do; says which instances are missing."""
        missing: dict[str, MissingFileError] = session.found["missing"]
        notes = [f"time scale {self.time_scale:g}, one solver at a time on {self.on_cores}", *_missing_lines(missing)]
        if missing:
            count = f"{len(missing)} of {len(self.instances)} instances"
            notes.append(f"  {count} were not run: put their files into a folder of HARNESS_DATA")
        header = _header(self, missing, session.found["renumbered"], session.bench.store)
        return Conclusion(header, notes=tuple(notes), failed=bool(missing))

    def filed(self, _file: Path | None, _session: Session) -> list[str]:
        """Nothing stands beside the run file."""
        return []


def _missing(request: SolveRequest, session: Session) -> dict[str, MissingFileError]:
    """The instances that cannot be had, each with the reason."""
    missing: dict[str, MissingFileError] = {}
    session.observer.stage("load", len(request.instances))
    for instance in request.instances:
        try:
            load_instance(instance, session.bench.store)
            require_file(instance, session.bench.store)  # for the solvers: what was parsed before may be gone
        except MissingFileError as error:
            if request.named or len(missing) + 1 == len(request.instances):
                raise
            missing[instance.entry.name] = error
        session.observer.advance(1, instance.id)
    return missing


def _missing_lines(missing: Mapping[str, MissingFileError]) -> list[str]:
    """Each reason once, whatever file it is about."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for name, error in missing.items():
        by_reason[error.reason].append(name)
    return [f"  MISSING: {', '.join(names)}: {reason}" for reason, names in by_reason.items()]


def _header(
    request: SolveRequest, missing: Mapping[str, MissingFileError], drawn: str | None, store: Store
) -> dict[str, Any]:
    there = [instance for instance in request.instances if instance.entry.name not in missing]
    return {
        "benchmarks": {instance.entry.name: _facts(instance) for instance in there},
        "trained_on": made_on(request.policies, there),
        "hidden": request.hidden if request.perturb else None,
        "solving": Solving(
            time_scale=request.time_scale,
            cores=len(request.cores),
            instances={
                p.entry.name: InstanceFacts(
                    seconds=p.entry.seconds, best=p.entry.best, bound=p.entry.bound, plain=_plain(p, store)
                )
                for p in there
            },
            missing={name: error.message for name, error in missing.items()},
            renumbered=drawn,
        ),
    }


def _seed(secret: bytes, cell: SolverCell) -> str:
    """Of one copy: it follows from the secret, the instance and the number alone."""
    label = f"{_COPIES}/{cell.instance.id}/{cell.copy}"
    return hmac.digest(secret, label.encode(), hashlib.sha256).hex()


def _plain(instance: SuiteInstance, store: Store) -> int | None:
    """The plain assignment's cost; None where it is not feasible."""
    domain, parsed = instance.domain, load_instance(instance, store)
    plain = domain.plain(parsed)
    return domain.cost(parsed, plain) if domain.verify(parsed, plain) is None else None


def _facts(instance: SuiteInstance) -> BenchmarkFacts:
    entry = instance.entry
    return BenchmarkFacts(split=entry.split, origin=instance.origin.value, program_digest=instance.digest)


def make_solve_request(
    domain: Domain[Any],
    suite: str,
    benchmarks: Iterable[str] = (),
    policies: Iterable[str | Policy] = (),
    time_scale: float = 1.0,
    cores: int | None = None,
    repeats: int = 1,
    secret: bytes | None = None,
    *,
    perturb: bool = False,
) -> SolveRequest:
    """Check every name. Raises UsageError for the first that means nothing.

    Without policies: the usual ones; ``["all"]``: every baseline and submission that solves such instances. The
    ``secret`` is of the copies of ``perturb``.
    """
    loaded = load_instances(domain, suite)
    named = list(policies)
    usual = Usual(()) if named else usual_policies(domain.name)
    if named == [EVERY]:
        named = [*every_policy(domain.name)]
    chosen = choose_policies(policy for policy in named if isinstance(policy, str))
    chosen += [policy for policy in named if isinstance(policy, Policy)]
    chosen += usual.policies
    for policy in chosen:
        if policy.manifest.problem != domain.name:
            raise UsageError(
                f"{policy.name} is a policy of problem {policy.manifest.problem!r}, and {loaded.name} is a suite of "
                f"{domain.called}",
                hint="`harness policies` shows which solve instances",
            )
    if perturb and not domain.renumbers:
        raise UsageError(f"{domain.called} have no copies under other numbers", hint="leave out --perturb")
    if secret is not None and not perturb:
        raise UsageError(f"of {domain.called} a secret makes copies alone", hint="give --perturb too")
    wanted = list(benchmarks)
    return SolveRequest(
        loaded,
        loaded.choose(wanted),
        tuple(chosen),
        time_scale,
        _cores(cores),
        named=bool(wanted),
        repeats=repeats,
        perturb=perturb,
        secret=secret,
        remarks=usual.remarks,
    )


def _cores(wanted: int | None) -> tuple[int, ...]:
    """The first of those that the harness may use."""
    there = sorted(os.sched_getaffinity(0))
    if wanted is not None and wanted > len(there):
        raise UsageError(
            f"a solver cannot have {wanted} cores: this machine has {len(there)}", hint="give fewer with --cores"
        )
    return tuple(there[: wanted or SOLVER_CORES])
