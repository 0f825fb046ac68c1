"""What a submission says that it reaches: run files in its folder ``claims``, held against what was measured here."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import UsageError
from harness.checks.submission.findings import Code, Finding
from harness.checks.submission.folder import CLAIMS
from harness.measure import find_metric
from harness.policy import Policy
from harness.record import Row, RunFile, read_run
from harness.record.decisions import DECISIONS, holds_decisions
from harness.record.names import RunName

__all__ = ["Claim", "Compared", "compared", "read_claims"]

_AGAIN = "run the policy again, and put that run file in its place"


@dataclass(frozen=True)
class Claim:
    """A run file of this policy."""

    where: str
    run: RunFile
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Compared:
    """A claim beside what was measured."""

    where: str
    values: int
    """That it has of the policy."""
    measured: int
    """Of these, how many were measured here, too."""
    findings: tuple[Finding, ...]

    def line(self) -> str:
        """For people."""
        return f"{self.where}: {self.measured} of {self.values} values were measured here and compared"


def read_claims(policy: Policy) -> tuple[list[Claim], list[Finding]]:
    """Those that can be read and are about this policy; and what is wrong with the others, or is no claim at all."""
    folder = policy.folder / CLAIMS
    files = sorted(path for path in folder.rglob("*") if not path.is_dir())
    named = [path for path in files if RunName.parse(path.name)]
    claims: list[Claim] = []
    findings: list[Finding] = []
    decided: set[str] = set()
    for path in named:
        where = _shown(path, folder)
        try:
            run = read_run(path)
        except UsageError as error:
            findings.append(Finding(Code.CLAIM_UNREADABLE, where, error.message, error.hint or _AGAIN))
            continue
        decided |= {row.decisions_digest for row in run.rows if row.decisions_digest}
        rows = tuple(row for row in run.rows if row.policy == policy.name)
        if not rows:
            findings.append(Finding(Code.CLAIM_OF_ANOTHER, where, f"there is no row of {policy.name}", _AGAIN))
        elif any(row.policy_digest != policy.digest for row in rows):
            findings.append(
                Finding(Code.CLAIM_OF_ANOTHER, where, "these are rows of another version of the policy", _AGAIN)
            )
        else:
            claims.append(Claim(where, run, rows))
    beside = {folder / DECISIONS / f"{digest}.zst": digest for digest in decided}
    for path in files:
        if path not in named and not (path in beside and holds_decisions(folder, beside[path])):
            what = "no run file, nor the decisions that one of these names"
            do = "put run files here, as they are, and leave out what lies beside them"
            findings.append(Finding(Code.CLAIM_UNREADABLE, _shown(path, folder), what, do))
    return claims, findings


def compared(claim: Claim, measured: Sequence[Row], suite: str, llvm: str) -> Compared:
    """Where it is not what was ``measured`` here of the suite, by the compiler with this fingerprint."""
    header = claim.run.header
    if header.llvm != llvm:
        what = f"measured with another compiler, {header.llvm_version}"
        do = "measure it with the compiler that the project uses"
        return Compared(claim.where, len(claim.rows), 0, (Finding(Code.CLAIM_NOT_COMPARED, claim.where, what, do),))
    here = measured if header.suite == suite else ()
    known = {_key(row, row.metric): row for row in here} | {_key(row, None): row for row in here}
    mine = {row.policy for row in claim.rows}
    # A reference that is worse would make the policy better.
    beside = [row for row in claim.run.rows if row.policy not in mine]
    findings = []
    met = 0
    for row in (*claim.rows, *beside):
        own = known.get(_key(row, row.metric))
        if row.copy_ or own is None or (row.metric and not find_metric(row.metric).deterministic):
            continue
        met += row.policy in mine
        claimed = row.outcome, row.decisions_digest, row.object_digest, row.value
        if claimed != (own.outcome, own.decisions_digest, own.object_digest, own.value):
            who = "" if row.policy in mine else f" under {row.policy}"
            cell = f"{claim.where}: {row.benchmark} on {row.target.value}{who}"
            findings.append(Finding(Code.CLAIM_DIFFERS, cell, f"claimed {_value(row)}, measured {_value(own)}", _AGAIN))
    if not met:
        findings.append(Finding(Code.CLAIM_NOT_COMPARED, claim.where, "none of its cells was measured here"))
    return Compared(claim.where, len(claim.rows), met, tuple(findings))


def _shown(path: Path, folder: Path) -> str:
    return f"{CLAIMS}/{path.relative_to(folder)}"


def _key(row: Row, metric: str | None) -> tuple[str, str, str, int, str | None]:
    """Of a value; without a metric, of the cell that failed, or did not.

    Not of a version: a claim is one of this very version, and whoever says that the reference was another could say
    anything of it.
    """
    return row.policy, row.benchmark, row.target.value, row.seed, metric


def _value(row: Row) -> str:
    return f"{row.metric} {row.value}" if row.metric else row.outcome.value
