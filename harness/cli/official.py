"""``harness official`` and ``harness verify``: results that nobody can edit."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from harness.base.answers import Answer, Column, Table
from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.base.paths import cache_root, checkout, default_results
from harness.cli.output import note
from harness.problems.protocol import Asked
from harness.problems.registry import benchmarks_of, declared_options, require_own
from harness.problems.verbs import Context
from harness.record.ledger import add_to_ledger, take_run, verify
from harness.record.rows import failed_rows
from harness.record.runfile import read_run, run_files
from harness.record.signature import sign
from harness.run.provenance import committed, uncommitted
from harness.run.run import execute_run
from harness.sandbox.bench import Bench
from harness.suite.hidden import commitment, read_secret

__all__ = ["Official", "official", "verified"]

_SOURCES = ("apt", "tarballs")
"""What of the usual cache is not made here, but fetched and checked."""
_RESULTS = "results"
_GONE, _PARTIAL = ".gone", ".partial"
"""How names end of what is being removed, and copied."""
_SHOWN = 5
"""Paths that an error lists."""
_FAULTS = (Column("where", "where"), Column("what", "what"))


@dataclass(frozen=True)
class Official:
    """What is asked for."""

    suite: str
    benchmarks: list[str]
    policies: list[str]
    secret: Path
    key: Path
    results: Path | None
    declared: Mapping[str, Any]


def official(context: Context, asked: Official) -> Answer:
    """Measure everything anew, verify it on hidden inputs and on perturbed copies, record it, and sign it.

    Raises UsageError on a checkout that differs from its commit, for a secret that can be guessed, and for a key that
    is none.
    """
    secret = read_secret(asked.secret)
    sign(b"whether this key signs", asked.key)  # now, and not when all is measured
    usual = context.bench()
    folder, sort = benchmarks_of(asked.suite)
    require_own("run", asked.declared, folder, asked.suite)
    known = declared_options("run").get(folder, {})
    stages = {"perturb": True, "seed_file": asked.secret}
    options = dict(asked.declared) | {name: value for name, value in stages.items() if name in known}
    request = sort.request(Asked(asked.suite, asked.benchmarks, asked.policies, options))
    place = _fresh_place([_clean_commit(), asked.suite, commitment(secret), request.identity])
    bench = _fresh(usual, place)
    with _alone(place):
        made = _recorded(place / _RESULTS)
        if made is None:
            execute_run(request, bench, context.engine, place / _RESULTS, context.observer, sys.argv[1:])
            made = _recorded(place / _RESULTS)
        if made is None:
            raise UsageError("the run that was measured is gone", where=str(place), hint="give the same command again")
        run = take_run(made, asked.results or default_results())
        last = add_to_ledger(run, asked.key)
        rows = read_run(run).rows
        gone = place.with_name(f"{place.name}{_GONE}")  # cut off behind this, nothing goes on with a part of it
        place.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
    cells = {(row.cell, row.policy, row.seed, row.copy_) for row in rows}
    failed = f"{len(failed_rows(rows))} of {len(cells)} cells failed"
    return Answer(
        summary=(f"official: {run.name}", f"last entry of the ledger: {last}"),
        notes=(failed, "publish that digest where nobody can change it: it shows whether entries were cut off"),
    )


def _recorded(results: Path) -> Path | None:
    """The run that was recorded there before the same command was cut off. One whose journal is there too may lack what
    belongs beside it: that goes on from the journal.
    """
    runs, _ = run_files(results)
    if not any(results.glob(".*.journal")):
        return runs[0] if runs else None
    for run in runs:
        run.unlink()
    return None


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Raises UsageError while another process makes this very run."""
    try:
        with FileLock(place / ".lock", timeout=0):
            yield
    except Timeout:
        raise UsageError("another process is making this run", where=str(place), hint="wait for it") from None


def _clean_commit() -> str:
    commit, dirty = committed()
    if dirty is not False or not commit:
        root = checkout()
        paths = uncommitted(root) if dirty and root is not None else []
        which = f": {', '.join(paths[:_SHOWN])}{'…' * (len(paths) > _SHOWN)}" if paths else ""
        hint = "commit or stash it: an official run names one; secrets and keys belong elsewhere"
        raise UsageError(f"the checkout differs from its commit{which}", hint=hint)
    return commit


def _fresh_place(identity: object) -> Path:
    """A cache of its own beside the usual one, where the same command goes on after it was cut off."""
    root = cache_root()
    return root.with_name(f"{root.name}-official") / digest_of([identity])[:16]


def _fresh(usual: Bench, place: Path) -> Bench:
    for gone in place.parent.glob(f"*{_GONE}"):
        shutil.rmtree(gone, ignore_errors=True)
    if not place.exists():
        said = "nothing that was made before is used: the harness's own tools are built first"
        elsewhere = os.environ.get("HARNESS_BUILDS")
        note(f"HARNESS_BUILDS is set: tools that were built before are taken from {elsewhere}" if elsewhere else said)
        place.mkdir(parents=True)
    for name in _SOURCES:
        if (usual.cache / name).is_dir() and not (place / name).exists():
            partial = place / f"{name}{_PARTIAL}"
            shutil.rmtree(partial, ignore_errors=True)
            shutil.copytree(usual.cache / name, partial, symlinks=True)
            partial.rename(place / name)
    return replace(usual, cache=place)


def verified(results: Path | None, signers: Path | None, last: str | None, allow_unsigned: bool) -> Answer:
    """Hold a results folder against its ledger."""
    folder = results or default_results()
    found = verify(folder, signers)
    faults = [asdict(fault) for fault in found.faults]
    if last is not None and found.last != last:
        faults.append(
            {"where": "official.jsonl", "what": f"its last entry is {found.last}: entries were cut off, or added"}
        )
    if not allow_unsigned:
        faults += [
            {"where": f"{run}.jsonl", "what": "no entry is about it: added, or never signed"} for run in found.unsigned
        ]
    signers_ = ", ".join(found.signers) or "nobody"
    return Answer(
        (Table(faults, _FAULTS),) if faults else (),
        notes=(f"signed by {signers_}", f"last entry: {found.last}"),
        document={**asdict(found), "faults": faults},
        summary=(f"official runs that are whole: {len(found.runs)}; faults: {len(faults)}",),
        failed=bool(faults),
    )
