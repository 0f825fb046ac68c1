"""Rows and run files made by tests, for what reads them."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from harness.base.digest import canonical_json, digest_bytes, digest_of
from harness.base.vocabulary import SIZE, Isolation, Level, Outcome, PolicyClass, Target
from harness.measure import find_metric
from harness.record.names import digits_of
from harness.record.rows import CONTROL, Block, Campaign, Conditions, Control, Row, Sample
from harness.record.runfile import write_run

__all__ = [
    *("block", "blocks", "campaign", "header", "object_name", "older_file", "row", "run_file"),
    "written_by_another",
]

LLVM = "a" * 64


def object_name(name: str) -> str:
    """The digest that stands for an object with a short name, and in a block for the control itself."""
    return name if name == CONTROL or re.fullmatch("[0-9a-f]{64}", name) else digest_of(name)


def row(
    benchmark: str = "one", policy: str = "Oz", value: float | None = 100, *, llvm: str = LLVM, **fields: Any
) -> Row:
    """One measurement; without a value, a cell that ended badly. The cell's key follows from what it is."""
    metric = find_metric(fields.get("metric") or "size.alloc")
    unit = metric.unit_on(Target(fields.get("target", Target.X86_64)))
    outcome = {"outcome": Outcome.OK, "metric": "size.alloc", "unit": unit, "value": value}
    if value is None:
        outcome = {"outcome": Outcome.WRONG_OUTPUT, "detail": "workload small: output differs"}
    common: dict[str, Any] = {
        "benchmark": benchmark,
        "target": Target.X86_64,
        "track": SIZE,
        "problem": "levels",
        "form": "level",
        "policy_class": PolicyClass.FIXED,
        "policy": policy,
        "policy_digest": digest_of(policy),
        "seed": 0,
        "level": Level.OZ,
        "isolation": Isolation.SANDBOX,
        "frozen_digest": digest_of(["frozen", benchmark]),
        "decisions_digest": digest_of(["decisions", policy]),
        "object_digest": digest_of(["object", benchmark, policy]),
    }
    chosen = {**common, **outcome, **fields}
    if chosen["object_digest"] is not None:
        chosen["object_digest"] = object_name(chosen["object_digest"])
    identity = [
        str(chosen[name]) for name in ("benchmark", "target", "policy", "policy_digest", "seed", "frozen_digest")
    ]
    return Row(**{"cell": digest_of(["cell", *identity, llvm]), **chosen})


def header(rows: list[Row], **fields: Any) -> dict[str, Any]:
    """A header that fits the rows."""
    names = sorted({r.benchmark for r in rows})
    host = {"cpu": "Test", "cores": 2, "kernel": "6", "governor": None, "load": 0.1, "sandbox": "bubblewrap"}
    return {
        "suite": "made",
        "suite_version": "1",
        "track": SIZE,
        "started": "2026-01-01T00:00:00+00:00",
        "finished": "2026-01-01T00:01:00+00:00",
        "command": ("harness", "run"),
        "harness_version": "0",
        "commit": None,
        "dirty": None,
        "llvm_version": "22.1.0",
        "llvm": LLVM,
        "runtime": {"x86-64": "b" * 64},
        "host": host,
        "jobs": 1,
        "compile_timeout": 60.0,
        "benchmarks": {n: {"split": "train", "origin": "own", "program_digest": digest_of(n)} for n in names},
        **fields,
    }


def run_file(
    results: Path, rows: list[Row], campaigns: Sequence[Campaign] = (), blocks: Sequence[Block] = (), **fields: Any
) -> Path:
    """A finished run with these rows."""
    results.mkdir(parents=True, exist_ok=True)
    return write_run(results, header(rows, **fields), rows, campaigns, blocks)


KINDS = {"levels": "level", "passes": "pass-sequence", "inlining": "inliner"}


def older_file(results: Path, rows: list[Row], schema: int, **fields: Any) -> Path:
    """A finished run with these rows, as it was written in an older schema."""
    path = run_file(results, rows, **fields)
    first, *lines = path.read_bytes().splitlines()
    unnamed = {**json.loads(first)["header"], "schema_version": schema}
    del unnamed["run"]
    older = []
    for line in map(json.loads, lines):
        line.pop("form", None)
        older.append(
            canonical_json({**{k: v for k, v in line.items() if k != "problem"}, "kind": KINDS[line["problem"]]})
        )
    body = b"".join(line + b"\n" for line in sorted(older))
    digest = digest_bytes(canonical_json(unnamed) + b"\n" + body)
    stem = f"{path.stem.rpartition('-')[0]}-{digest[: digits_of(schema)]}"
    path.unlink()
    path = results / f"{stem}.jsonl"
    path.write_bytes(canonical_json({"header": {**unnamed, "run": stem}}) + b"\n" + body)
    return path


def campaign(name: str = "c1", started: str = "2026-01-01T00:00:00+00:00", *marks: str, **fields: Any) -> Campaign:
    """A campaign whose control is in order; with ``marks``, one that cannot be used."""
    chosen: dict[str, Any] = {
        "campaign": name,
        "started": started,
        "finished": started,
        "core": 1,
        "slice": 0.005,
        "precision": 0.005,
        "budget": 600.0,
        "seconds": 12.5,
        "blocks": 30,
        "control": Control(ratio=1.0004, low=0.9989, high=1.0019, pairs=30),
        "marks": marks,
    }
    return Campaign(**{**chosen, **fields})


def block(seconds: Mapping[str, float], number: int = 0, benchmark: str = "one", **fields: Any) -> Block:
    """One block: object → CPU seconds. Its layout is its number."""
    still: dict[str, Any] = dict.fromkeys(("seconds", "waited", "others", "busy", "steal", "idle", "suspended"), 0.0)
    conditions = Conditions(**still, pressure=None, load=0.5, frequency=None, throttled=0)
    chosen: dict[str, Any] = {
        "campaign": "c1",
        "benchmark": benchmark,
        "target": Target.X86_64,
        "workload": "long",
        "inputs": digest_of(["inputs", benchmark]),
        "number": number,
        "layout": number,
        "passes": 1,
        "samples": tuple(
            Sample(object=object_name(name), cpu=cpu, wall=2 * cpu, preemptions=0, first=first)
            for first, (name, cpu) in enumerate(seconds.items())
        ),
        "conditions": conditions,
    }
    return Block(**{**chosen, **fields})


def blocks(
    seconds: Mapping[str, float], count: int = 15, benchmark: str = "one", noise: float = 0.002, **fields: Any
) -> list[Block]:
    """A program's blocks, with a control (the first object's copy); each time off by up to about ``noise``."""
    random = Random(digest_of([benchmark, count, sorted(seconds), fields.get("campaign", "")]))
    first = next(iter(seconds.values()))
    return [
        block(
            {name: cpu * math.exp(random.gauss(0, noise)) for name, cpu in {**seconds, CONTROL: first}.items()},
            number,
            benchmark,
            **fields,
        )
        for number in range(count)
    ]


def written_by_another(path: Path, body: bytes | None = None, **changes: Any) -> Path:
    """A run file with other rows or header fields whose name fits them: not torn, only written so."""
    first, _, rows = path.read_bytes().partition(b"\n")
    body = rows if body is None else body
    fields = {**json.loads(first)["header"], **changes}
    unnamed = {name: value for name, value in fields.items() if name != "run"}
    digest = digest_bytes(canonical_json(unnamed) + b"\n" + body)
    name, _, old = path.stem.rpartition("-")
    stem = f"{name}-{digest[: len(old)]}"
    line = canonical_json({"header": {**unnamed, "run": changes.get("run", stem)}})
    folder = path.parent / "other"
    folder.mkdir(exist_ok=True)
    made = folder / f"{stem}.jsonl"
    made.write_bytes(line + b"\n" + body)
    return made
