"""All that is asked of a submission, in the order in which it costs more."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.base.engine import Engine
from harness.base.errors import UsageError
from harness.base.progress import Observer
from harness.checks.submission.claims import Claim, Compared, compared, read_claims
from harness.checks.submission.findings import Code, Finding, bounded, errors_of
from harness.checks.submission.folder import faults_of_folder, faults_of_manifest
from harness.checks.submission.hidden import faults_of_text
from harness.checks.submission.ratios import Ratio, ratios_of
from harness.checks.submission.trial import Tried, as_tried, repeats, tried
from harness.policy import Policy
from harness.policy.load import MANIFEST, read_policy
from harness.problems.registry import benchmarks_of_track
from harness.record import Row
from harness.sandbox.bench import Bench

__all__ = ["Report", "validate"]


@dataclass(frozen=True)
class Report:
    """Of one submission."""

    name: str
    digest: str | None
    """Of the policy; None where it cannot be read."""
    about: str
    """Its manifest in a line."""
    findings: tuple[Finding, ...]
    rows: tuple[Row, ...]
    """What was measured, the reference's among them."""
    reference: str | None
    claims: tuple[Compared, ...]
    """Those that could be read, where all went well before them."""
    runs: int
    seconds: float

    @property
    def errors(self) -> int:
        """Findings that stand in the way."""
        return errors_of(self.findings)

    @property
    def ratios(self) -> tuple[Ratio, ...]:
        """What was measured, beside the reference."""
        return tuple(ratios_of(self.rows, self.name, self.reference))

    @property
    def verdict(self) -> str:
        """One line."""
        warnings = len(self.findings) - self.errors
        counts = f"{self.errors} error{'s' * (self.errors != 1)}, {warnings} warning{'s' * (warnings != 1)}"
        return f"{self.name}: {'not valid' if self.errors else 'valid'}: {counts}"

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "policy": self.name,
            "digest": self.digest,
            "valid": not self.errors,
            "findings": [finding.record() for finding in self.findings],
            "rows": [row.line() for row in self.rows],
            "reference": self.reference,
            "claims": [{"where": one.where, "values": one.values, "measured": one.measured} for one in self.claims],
            "runs": self.runs,
            "seconds": round(self.seconds, 1),
        }


def validate(folder: Path, bench: Bench, engine: Engine, observer: Observer, *, newer: bool = False) -> Report:
    """Look at the folder, read the manifest, build, decide, replay, repeat, compare with what is claimed.

    ``newer``: it may be another version of a submission that comes with the harness. Stops where what follows would say
    nothing: of what is no folder, at once. Raises PrerequisiteError where this machine lacks something.
    """
    started = time.monotonic()
    folder = folder.parent if folder.name == MANIFEST else folder
    policy, claims, findings = _read(folder, newer=newer)
    done = Tried((), (), 0)
    reference = None
    held: tuple[Compared, ...] = ()
    if policy is not None and not errors_of(findings):
        _, sort = benchmarks_of_track(policy.manifest.track)
        trial = sort.trial(policy.manifest.track)
        reference = trial.reference
        done = tried(policy, trial, sort, bench, engine, observer)
        findings += done.findings
        if not errors_of(done.findings):
            llvm = bench.toolchain.fingerprint.llvm
            same = repeats(policy) and as_tried(policy).digest == policy.digest
            measured = done.rows if same else ()  # by chance, or with a part of its budget, it finds something else
            held = tuple(compared(claim, measured, trial.suite, llvm) for claim in claims)
            findings += [finding for one in held for finding in one.findings]
    return Report(
        folder.name if folder.name not in ("", "..") else folder.resolve().name,
        policy.digest if policy else None,
        _about(policy) if policy else "",
        tuple(_ordered(bounded(findings))),
        done.rows,
        reference,
        held,
        done.runs,
        time.monotonic() - started,
    )


def _read(folder: Path, *, newer: bool) -> tuple[Policy | None, list[Claim], list[Finding]]:
    findings = faults_of_folder(folder)
    if errors_of(findings):
        return None, [], findings
    folder = folder.resolve()
    try:
        policy = read_policy(folder, newer=newer)
    except UsageError as error:
        where = (error.where or MANIFEST).replace(f"{folder}/", "").removeprefix(f"{folder}: ")
        return None, [], [*findings, Finding(Code.UNREADABLE, where, error.message, error.hint or "")]
    claims, faults = read_claims(policy)
    return policy, claims, [*findings, *faults_of_manifest(policy), *faults_of_text(policy), *faults]


def _about(policy: Policy) -> str:
    manifest = policy.manifest
    question = f", question {manifest.question}" if manifest.question else ""
    return (
        f"{manifest.name} {manifest.version}: problem {manifest.problem}{question}, form {manifest.form}, "
        f"class {manifest.policy_class.value}, track {manifest.track}"
    )


def _ordered(findings: Iterable[Finding]) -> list[Finding]:
    """Errors first, then by code; within it as they were found."""
    return sorted(findings, key=lambda finding: (finding.severity.value, finding.code.value))
