"""``harness cache``: what it holds, and making room."""

import re
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from harness.base.answers import Answer, Column, Table
from harness.base.errors import UsageError
from harness.base.inventory import KEPT, Entry, entries_of, oldest_of, remove, undisturbed
from harness.base.paths import cache_root
from harness.base.reading import shown_size
from harness.cli.output import Format, note, observer, tell

__all__ = ["cache", "prune"]

_DAY = 86400.0
_PATIENCE = 2.0


def _age(seconds: float) -> str:
    """``3 h``, ``12 days``."""
    hours = round(seconds / 3600)
    return f"{hours} h" if hours < 48 else f"{hours // 24} days"


_COLUMNS = (
    Column("kind", "kind"),
    Column("entries", "entries", "{:,}".format, right=True),
    Column("size", "bytes", shown_size, right=True),
    Column("last used", "newest", _age, right=True),
    Column("oldest", "oldest", _age, right=True),
    Column("what", "what"),
)
_WHAT = {
    "again": "how often objects were made once more",
    "attempts": "objects of policies that were asked once, to be looked at",
    "besides": "results on inputs that only fresh verification compares",
    "block-costs": "llvm-mca's costs of blocks",
    "builds": "modules as Clang gives them, per unit",
    "cells": "outcomes and values",
    "code": "basic blocks of linked programs",
    "compilations": "what tools execute and hold in memory while they compile",
    "corpus-facts": "what programs of suites have that the corpus is compared with",
    "corpus-generated": "modules of csmith and llvm-stress, for the corpus",
    "corpus-imports": "corpora in mlgo-utils' layout, as they were imported",
    "corpus-packages": "modules of packages, for the corpus",
    "corpus-parts": "modules of the corpus, cut into functions with what they reach",
    "counted": "counts of objects, with how verification ended",
    "counter": "trials of the counter",
    "defaults": "what LLVM's own heuristics decide",
    "facts": "what modules have that some passes must not meet",
    "faithful": "whether a module is optimised through the harness as through opt",
    "fresh": "outcomes on fresh inputs",
    "frozen": "programs as one module each",
    "functions": "what single functions have of metrics",
    "guided": "objects of a bisection",
    "index": "database of the results folder",
    "inputs": "generated inputs",
    "instructions": "how many IR instructions modules have",
    "instance-files": "instances as they were fetched",
    "instances": "instances, compact",
    "judged": "sizes of modules under LLVM's heuristic, for trainers",
    "models": "models as C++",
    "native": "filters and libraries of the harness",
    "objects": "measured objects",
    "optimised": "modules between decisions and code generation",
    "own-policies": "where policies of your own were read from, by name",
    "own-suites": "where suites of your own were read from, by name",
    "packed": "source trees as one archive",
    "perturbed": "copies with other names and order",
    "policies": "policies that were built",
    "provisional": "decisions that are to be asked for again",
    "python-checks": "policies in Python that were read",
    "rates": "what a unit of work cost here, for estimates",
    "reference": "results of the programs built without optimisation",
    "refuted": "objects that failed on a fresh input: never removed",
    "replaced": "how many answers of policies could not be used",
    "solved": "what solvers answered",
    "tarballs": "sources as they were fetched",
    "trees": "sources, unpacked",
    "trials": "metrics under values that were tried",
    "triplets": "what stands with what in modules, for embeddings",
    "tried": "trial runs of what is to be timed",
    "twins": "whether what is timed is the code that was measured",
    "units": "modules of single source files",
    "verified": "how verification ended, by object",
    "verdicts": "verdicts and intervals of rows",
}


def cache(format_: Format) -> int:
    """Print how much there is of each kind."""
    root = cache_root()
    kinds: dict[str, list[Entry]] = defaultdict(list)
    for entry in _seen(root):
        kinds[entry.kind].append(entry)
    records = [_record(kind, found) for kind, found in kinds.items()]
    records.sort(key=lambda record: -int(record["bytes"]))
    count, size = sum(map(len, kinds.values())), sum(record["bytes"] for record in records)
    total = (f"{count:,} entries, {shown_size(size)}", "", "to make room: harness cache prune --to 10G")
    table = Table(records, _COLUMNS, str(root), below=total[:1])
    return tell(Answer((table,), notes=total[1:] if count else ("the cache is empty",)), format_)


def _record(kind: str, found: list[Entry]) -> dict[str, Any]:
    now = time.time()
    return {
        "kind": kind,
        "entries": len(found),
        "bytes": sum(entry.bytes for entry in found),
        "newest": max(now - max(entry.used for entry in found), 0.0),
        "oldest": max(now - min(entry.used for entry in found), 0.0),
        "what": _WHAT.get(kind.removeprefix("trusted-")),
    }


def prune(older_than: str | None, to: str | None, dry_run: bool) -> int:
    """Remove what nobody used for so long, and then the longest unused, until so much is left."""
    if older_than is None and to is None:
        raise UsageError("what may go?", hint="--older-than 30d, --to 10G, or both; --to 0 empties the cache")
    seconds = None if older_than is None else _seconds(older_than)
    most = None if to is None else _bytes(to)
    root = cache_root()
    if dry_run:
        entries = list(_seen(root))
        _report(oldest_of(entries, seconds, most), entries, "would be removed")
        return 0
    if not root.is_dir():
        note("the cache is empty")
        return 0
    with undisturbed(root):
        entries = list(_seen(root))
        gone = oldest_of(entries, seconds, most)
        progress = observer()
        try:
            progress.stage("prune", len(gone))
            remove(root, gone, lambda entry: progress.advance(1, entry.kind))
        finally:
            progress.close()
    _report(gone, entries, "removed")
    return 0


def _seen(root: Path) -> list[Entry]:
    """All entries; says where it is, when that takes long."""
    last = time.monotonic()

    def seen(kind: str) -> None:
        nonlocal last
        if time.monotonic() - last > _PATIENCE:
            last = time.monotonic()
            note(f"looking at {kind}")

    return list(entries_of(root, seen))


def _report(gone: list[Entry], entries: list[Entry], word: str) -> None:
    size = sum(entry.bytes for entry in gone)
    left = sum(entry.bytes for entry in entries) - size
    note(f"{len(gone):,} of {len(entries):,} entries {word}, {shown_size(size)}; {shown_size(left)} left")
    if any(entry.kind in KEPT for entry in entries):
        note(f"never removed: {', '.join(KEPT)}")


def _seconds(text: str) -> float:
    match = re.fullmatch(r"(\d{1,6})([hdw]?)", text, re.ASCII)
    if match is None:
        raise UsageError(f"{text!r} is no age", hint="--older-than 30d, 12h or 4w")
    return int(match[1]) * {"h": 3600.0, "d": _DAY, "": _DAY, "w": 7 * _DAY}[match[2]]


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,3})?)\s?([KMGT]?)i?B?", text, re.ASCII)
    if match is None:
        raise UsageError(f"{text!r} is no size", hint="--to 10G, 500M or 0")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2] or " "))
