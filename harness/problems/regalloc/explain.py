"""``harness explain`` of a policy that allocates registers: what each function spills, reloads, splits, copies and
executes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from harness.apply import optimise, run_step
from harness.base.answers import Answer, Column, Table
from harness.base.errors import CellError, UsageError
from harness.basic_blocks.profile import OUTSIDE
from harness.problems.programs.bytes import beginning, one_table, shortened
from harness.problems.programs.problems import plan_of
from harness.problems.programs.sides import Setting, Side, sides_of
from harness.problems.programs.take import Made, take_metrics
from harness.problems.regalloc.features import RANGE_FEATURES
from harness.problems.regalloc.log import functions_of
from harness.problems.regalloc.replay import OTHERS
from harness.problems.regalloc.trajectories.collect import Allocated, trajectory
from harness.problems.verbs import Asked, Context
from harness.sandbox.bench import Bench
from harness.toolchain.names import as_written

__all__ = ["explain_allocation"]

_STATIC = ("spills", "reloads", "mca.static")
_EXECUTED = ("instructions", "loads", "stores", "spills.executed", "reloads.executed", "mca.cycles")
_REMARKS = "remarks.yaml"
_REMARK = re.compile(r"^Function: +'?([^'\n]+)'?$", re.MULTILINE)
_COPIES = re.compile(r"NumVRCopies: +'(\d+)'")
_SHOWN = ("accesses", "mca.cycles", "instructions", "spills", "reloads", "splits", "copies")
"""What the table for people has of each function."""
_WHOLE = "the whole program"
_Figures = Mapping[str, Mapping[str, float | None]]
"""Metric → function → value; None of what is not known."""


def explain_allocation(context: Context, asked: Asked) -> Answer:
    """Function by function, against another policy. Raises UsageError for a word that means nothing."""
    if asked.prune:
        raise UsageError("--prune is for lists of passes")
    setting, side, against, bench = sides_of(context, asked)
    before, after = (_figures(one, setting, bench) for one in (against, side))
    return _answer(setting, against, side, before, after, asked.rows, bench)


def _figures(side: Side, setting: Setting, bench: Bench) -> _Figures:
    """``accesses`` are loads and stores, ``splits`` live ranges that came of a split, ``copies`` are LLVM's remarks:
    none is known of what another allocator than Greedy allocated."""
    plan = plan_of(side.decisions, setting.target)
    made = Made(setting.program, setting.target, side.frozen, plan, side.compiled)
    taken = take_metrics(made, [*_STATIC, *_EXECUTED], bench).functions
    loads, stores = taken.get("loads", {}), taken.get("stores", {})
    accesses = {name: loads.get(name, 0) + stores.get(name, 0) for name in {*loads, *stores}}
    allocated = trajectory(side.decisions, side.frozen, bench)
    found: dict[str, Mapping[str, float | None]] = {**taken, "accesses": accesses, "splits": _splits(allocated)}
    del found["loads"], found["stores"]
    told = _copies(made, bench)
    by_greedy = {unquote(one.name) for one in allocated if one.allocation not in OTHERS}
    names = {name for values in found.values() for name in values} - {OUTSIDE}
    found["copies"] = {name: told.get(name, 0 if name in by_greedy else None) for name in names}
    return found


def _splits(allocated: Sequence[Allocated]) -> Mapping[str, int]:
    """Live ranges of each function that came of a split, as a policy would have seen them."""
    place = [tensor.name for tensor in RANGE_FEATURES].index("is_split")
    return {
        unquote(one.name): len({asked.register for asked in one.questions if asked.features[place]})
        for one in allocated
    }


def _copies(made: Made, bench: Bench) -> Mapping[str, int]:
    """Copies between registers that Greedy left in each function of which it says anything: it says nothing where it
    left no copy, spill or reload. Other allocators say nothing of theirs."""
    generate = made.plan.generate
    options = ("-fsave-optimization-record=yaml", f"-foptimization-record-file={_REMARKS}")
    more = (*options, "-foptimization-record-passes=regalloc")
    step = replace(generate, arguments=(*more, *generate.arguments), leaves=(*generate.leaves, _REMARKS))
    with bench.store.scratch() as folder:
        try:
            run_step(step, optimise(made.frozen, made.plan, bench).bitcode, folder, bench)
        except CellError:  # an allocator without remarks leaves no file
            return {}
        text = (folder / _REMARKS).read_text(errors="replace")
    whole = [remark for remark in text.split("\n...\n") if "\nName:            SpillReloadCopies\n" in remark]
    pairs = ((_REMARK.search(remark), _COPIES.search(remark)) for remark in whole)
    return {name[1]: int(copies[1]) if copies else 0 for name, copies in pairs if name}


def _answer(
    setting: Setting, against: Side, side: Side, before: _Figures, after: _Figures, rows: int | None, bench: Bench
) -> Answer:
    names = sorted({name for figures in (before, after) for one in figures.values() for name in one})
    written = as_written(names, bench.toolchain)
    decided = _decided(side, [name for name in names if name != OUTSIDE])
    records = [_record(name, before, after, decided) for name in names]
    moved = [one for one in records if any(one[f"{metric}_delta"] for metric in _SHOWN)]
    moved.sort(key=lambda one: (-abs(one["accesses_delta"]), -abs(one["mca.cycles_delta"]), one["name"]))
    total = _total(records, decided)
    document: dict[str, Any] = {
        "benchmark": setting.program.id,
        "target": setting.target.value,
        "track": setting.track,
        "policy": side.name,
        "against": against.name,
        "total": total,
        "functions": records,
    }
    title = f"{setting.program.id} · {setting.target.value} · {side.name} against {against.name}"
    shown = [_shown(one, written) for one in [total, *moved]]
    tables = (_table(shown, title, None if rows is None else rows + 1), one_table({"functions": records}))
    equal = len(records) - len(moved)
    return Answer(tables, (f"{equal} of {len(records)} functions are the same in all of this",), document)


def _table(records: Sequence[dict[str, Any]], title: str, most: int | None) -> Table:
    columns = [Column("function", "name"), Column("decided", "decided")]
    for metric in _SHOWN:
        columns += [
            Column(metric, f"{metric}_after", _number, right=True),
            Column("Δ", f"{metric}_delta", _signed, right=True),
        ]
    return beginning(records, columns, title, most)


def _number(value: float) -> str:
    return f"{round(value):,}"


def _signed(value: float) -> str:
    return f"{round(value):+,}" if round(value) else ""


def _shown(record: dict[str, Any], written: Mapping[str, str]) -> dict[str, Any]:
    """As people see it: no difference where there is none, or none is known."""
    name = record["name"]
    no_difference = {f"{metric}_delta": 0 for metric in _SHOWN if record[f"{metric}_delta"] is None}
    return record | no_difference | {"name": shortened(written.get(name, name))}


def _record(name: str, before: _Figures, after: _Figures, decided: Mapping[str, str]) -> dict[str, Any]:
    record: dict[str, Any] = {"name": name, "decided": decided.get(name, "")}
    for metric in sorted({*before, *after}):
        record |= _compared(metric, *(figures.get(metric, {}).get(name, 0) for figures in (before, after)))
    return record


def _total(records: Sequence[dict[str, Any]], decided: Mapping[str, str]) -> dict[str, Any]:
    """Of the whole program: nothing of what is not known of one of its functions."""
    total: dict[str, Any] = {"name": _WHOLE, "decided": decided.get(_WHOLE, "")}
    metrics = [field.removesuffix("_delta") for field in records[0] if field.endswith("_delta")] if records else []
    for metric in metrics:
        sides = ([one[f"{metric}_{side}"] for one in records] for side in ("before", "after"))
        total |= _compared(metric, *(None if None in values else sum(values) for values in sides))
    return total


def _compared(metric: str, before: float | None, after: float | None) -> dict[str, float | None]:
    delta = None if before is None or after is None else after - before
    return {f"{metric}_before": before, f"{metric}_after": after, f"{metric}_delta": delta}


def _decided(side: Side, names: Sequence[str]) -> Mapping[str, str]:
    """Function → what allocates it, or how many decisions in it are not Greedy's own; nothing of one where all are.

    ``names``: the functions of the program, which all have what the policy names, if it names one for all.
    """
    body = side.decisions.body
    if "functions" not in body:
        (named,) = body.values()
        return dict.fromkeys((_WHOLE, *names), named)
    found: dict[str, str] = {}
    for one in functions_of(body):
        differing, asked = (one.evicted, one.evictions) if one.evictions else (one.given, one.questions)
        found[unquote(one.name)] = f"{len(differing):,} of {asked:,}" if asked else one.priority
    return found
