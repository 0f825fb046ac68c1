"""The gate: whether a pull request is a submission that may be merged, and what the submission does on a suite."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.base.engine import Engine
from harness.base.errors import UsageError
from harness.base.progress import Observer
from harness.checks.gate.repository import Repository
from harness.checks.gate.request import Request, export, read_request
from harness.checks.submission.findings import Code, Finding, errors_of
from harness.checks.submission.ratios import Ratio, ratios_of
from harness.checks.submission.validate import Report, validate
from harness.policy import Policy
from harness.policy.load import read_policy
from harness.policy.manifest import Training
from harness.problems.protocol import Asked
from harness.problems.registry import benchmarks_of, benchmarks_of_track
from harness.record.rows import Row, failed_rows
from harness.run.run import execute_run
from harness.sandbox.bench import Bench

__all__ = ["Passed", "Wanted", "gate"]


_OF_CELLS = frozenset({"track", "targets", "seeds"})
"""Fields of a manifest by which it has other cells, though it decides alike in those that it had."""
_VERSIONS = 50
"""Commits of the base in which a submission is looked at, of those that changed it: the newest."""


@dataclass(frozen=True)
class Wanted:
    """What is asked of the gate."""

    base: str
    head: str
    suite: str | None = None
    """Measured where the request is in order; None: the usual one of the policy's track."""
    benchmarks: tuple[str, ...] = ()
    only_plan: bool = False


@dataclass(frozen=True)
class Passed:
    """What the gate says."""

    request: Request
    validation: Report | None
    """None where nothing was run of the submission."""
    plan: tuple[str, ...]
    """What is measured beyond that, in lines."""
    suite: str
    reference: str | None
    ratios: tuple[Ratio, ...] = ()
    before: tuple[Ratio, ...] = ()
    """The same of the version that the base has."""
    failed: tuple[str, ...] = ()
    """Cells of the suite that the policy fails on: failures count in *strict*, and are no reason against a merge."""
    besides: tuple[Finding, ...] = ()
    """Of both versions together."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Of the request and of the submission."""
        return (*self.request.findings, *(self.validation.findings if self.validation else ()), *self.besides)

    @property
    def errors(self) -> int:
        """Findings that stand in the way."""
        return errors_of(self.findings)


def gate(
    repository: Repository,
    wanted: Wanted,
    bench: Bench,
    engine: Engine,
    observer: Observer,
    say: Callable[[Passed], None],
) -> Passed:
    """``say``: is told what was found and planned before anything of the plan is measured.

    Raises UsageError for commits that are not there, and what a run raises that the request is not to blame for.
    """
    request = read_request(repository, wanted.base, wanted.head)
    nothing = Passed(request, None, (), "", None)
    if errors_of(request.findings) or request.name is None:
        return nothing
    with bench.store.scratch() as place:
        folder = export(repository, request.head, request.name, place / "head")
        old = export(repository, request.base, request.name, place / "base")
        if folder is None:
            return nothing
        report = validate(folder, bench, engine, observer, newer=True)
        done = replace(nothing, validation=report)
        if report.errors:
            return done
        policy, earlier = read_policy(folder, newer=True), _policy_in(old)
        for commit, had in _versions(repository, request.base, request.name, bench):
            if _same_version(policy, had):
                version = f"version {policy.manifest.version} of the base, in its commit {commit[:12]}"
                what = f"it decides from something else than {version}"
                besides = Finding(Code.SAME_VERSION, "version", what, "raise the version")
                return replace(done, besides=(besides,))
        measuring = _Measuring(wanted, bench, engine, observer, place / "results")
        return measuring.measure(done, policy, earlier, say)


def _versions(repository: Repository, base: str, name: str, bench: Bench) -> Iterator[tuple[str, Policy]]:
    """What the base has had of a submission, with the commits that brought it: results may have rows of all of them."""
    for commit in repository.commits_of(f"submissions/{name}", base, _VERSIONS):
        with bench.store.scratch() as place:
            if (policy := _policy_in(export(repository, commit, name, place))) is not None:
                yield commit, policy


def _same_version(one: Policy, other: Policy) -> bool:
    return one.digest != other.digest and one.manifest.version == other.manifest.version


def _said_otherwise(old: Policy, policy: Policy) -> Iterator[tuple[str, str]]:
    """Fields that no digest is of and that standings read, where they are others now; and what they were."""
    for name in (*sorted(_OF_CELLS), "trained_on", "ceiling", "training"):
        was, now = (getattr(one.manifest, name) for one in (old, policy))
        if was != now:
            yield name, _shown(was)


def _shown(value: object) -> str:
    """A field of a manifest, in one line."""
    if isinstance(value, Training):
        value = tuple(f"{field} {one}" for field, one in value.model_dump(exclude_none=True).items())
    if value is None or isinstance(value, tuple):
        return ", ".join(map(str, value or ())) or "empty"
    return str(value)


def _policy_in(folder: Path | None) -> Policy | None:
    """The version that was written there, if it can be read."""
    try:
        return read_policy(folder, newer=True) if folder else None
    except UsageError:
        return None


@dataclass(frozen=True)
class _Measuring:
    wanted: Wanted
    bench: Bench
    engine: Engine
    observer: Observer
    results: Path

    def measure(self, done: Passed, policy: Policy, old: Policy | None, say: Callable[[Passed], None]) -> Passed:
        _, sort = benchmarks_of_track(policy.manifest.track)
        trial = sort.trial(policy.manifest.track)
        suite = self.wanted.suite or trial.suite
        reference = trial.reference
        done = replace(done, suite=suite, reference=reference)
        said = tuple(_said_otherwise(old, policy)) if old is not None else ()
        if old is not None and old.digest == policy.digest and not {name for name, _ in said} & _OF_CELLS:
            words = (f"{name} was {was}" for name, was in said)
            done = replace(done, plan=(f"nothing: what {policy.name} decides from is as it was", *words))
            say(done)
            return done
        _, sort = benchmarks_of(suite)
        options = trial.options if suite == trial.suite else {}
        asked = Asked(suite, self.wanted.benchmarks, [policy, *([reference] if reference else [])], options)
        request = sort.request(asked)
        done = replace(done, plan=tuple(request.outlook(self.bench, self.engine.workers)))
        say(done)
        if self.wanted.only_plan:
            return done
        rows = self._rows(asked)
        before: Sequence[Row] = ()
        if old is not None:
            before = self._rows(replace(asked, policies=[old, *asked.policies[1:]]))
        failed = [row for row in failed_rows(rows) if row.policy == policy.name]
        return replace(
            done,
            ratios=tuple(ratios_of(rows, policy.name, reference)),
            before=tuple(ratios_of(before, policy.name, reference)),
            failed=tuple(f"{row.benchmark} on {row.target.value}: {row.outcome.value}: {row.detail}" for row in failed),
        )

    def _rows(self, asked: Asked) -> Sequence[Row]:
        _, sort = benchmarks_of(asked.suite)
        request = sort.request(asked)
        return execute_run(request, self.bench, self.engine, self.results, self.observer, ("gate",)).rows
