"""``harness explain``."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.base.errors import UsageError
from harness.cli.output import Column, Format, emit, note, observer, say
from harness.measure.layout import TEXT, Change, layout_of
from harness.policy import Policy, load_policy
from harness.problems.inlining.explain.explain import Explanation, explain
from harness.problems.inlining.explain.sides import LLVM, Setting, find_policy, inlines, make_setting, prepare, side_of
from harness.problems.inlining.explain.sites import Met, Pair, symbol
from harness.problems.inlining.sites import Site, Who
from harness.problems.programs.tracks import REFERENCES
from harness.run.engines import local_engine
from harness.sandbox.bench import Bench, open_bench
from harness.toolchain.names import as_written

__all__ = ["explain_policy"]

_LONGEST = 44
"""Characters of a name in a table for people."""
_WHO = {
    Who.POLICY: "",
    Who.MANDATORY: "mandatory",
    Who.CAP: "growth cap",
    Who.ILLEGAL: "illegal",
    Who.REPLACED: "replaced",
}


def explain_policy(
    policy: str,
    benchmark: str,
    target: str,
    track: str,
    against: str | None,
    plot: Path | None,
    rows: int,
    trust: bool,
    format_: Format,
) -> int:
    """Exit code 0."""
    setting = make_setting(benchmark, target, track)
    one = find_policy(policy, setting)
    other = find_policy(against or _usual(one, setting), setting)
    if plot is not None and (not inlines(one) or not inlines(other)):
        raise UsageError("--plot shows call sites that were decided otherwise; these policies decide none")
    bench, engine = open_bench(trust=trust), local_engine(len(os.sched_getaffinity(0)))
    progress = observer()
    try:
        prepare(setting, (one, other), bench, engine, progress)
    finally:
        progress.close()
    found = explain(side_of(one, setting, bench), side_of(other, setting, bench))
    _say_if_reference_differs(found, setting, bench)
    if plot is not None:
        _draw(found, setting, plot, bench)
    if format_ is Format.TABLE:
        _tables(found, setting, rows or None, _names(found, bench))
    else:
        _data(found, setting, format_)
    return 0


def _usual(policy: Policy | None, setting: Setting) -> str:
    """What a policy is held against when nothing is named."""
    return LLVM if policy is not None and inlines(policy) else REFERENCES[setting.track][0]


def _say_if_reference_differs(found: Explanation, setting: Setting, bench: Bench) -> None:
    """Through the plugin, LLVM's heuristic is asked about other call sites than without it, and has a growth cap."""
    if found.against.name != LLVM:
        return
    reference = side_of(load_policy(REFERENCES[setting.track][0]), setting, bench)
    if reference.compiled.digest != found.against.compiled.digest:
        size = layout_of(reference.compiled.object).alloc
        note(f"size.alloc is {found.before.alloc:,} bytes under {LLVM}, and {size:,} under {reference.name}")


def _names(found: Explanation, bench: Bench) -> Mapping[str, str]:
    """Symbol → name for people, of all functions that can be shown."""
    ends = [symbol(name) for pair in found.pairs or () for name in (pair.site.caller, pair.site.callee)]
    return as_written([*ends, *found.before.functions, *found.after.functions], bench.toolchain)


def _draw(found: Explanation, setting: Setting, plot: Path, bench: Bench) -> None:
    from harness.problems.inlining.explain.graph import graph_figure, write_page

    title = f"{setting.program.id}, {setting.target.value}: {found.policy.name} against {found.against.name}"
    try:
        write_page(graph_figure(found, title, _names(found, bench)), plot)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", where=str(plot)) from None
    note(f"call graph in {plot}")


def _tables(found: Explanation, setting: Setting, most: int | None, names: Mapping[str, str]) -> None:
    policy, against = found.policy.name, found.against.name
    say(f"{setting.program.id} · {setting.target.value} · {policy} against {against}")
    if found.pairs is None:
        levels = {side.frozen.level.value for side in (found.policy, found.against)}
        differ = f"; they start from modules frozen at {' and '.join(sorted(levels))}" if len(levels) > 1 else ""
        say(f"call sites: they are not both policies that decide what to inline{differ}")
    else:
        say("\n".join(_counted(found)))
        sites = _grouped([_shown_site(found, pair, names) for pair in found.sites])
        if sites:
            _table(sites, _site_columns(policy, against), "\ncall sites, the most telling first", most)
    functions = [_shown_function(found, row, names) for row in found.functions]
    if functions:
        _table(functions, _byte_columns("function", policy, against, found), "\nbytes of functions that changed", most)
    rest = [_shown(found.between), _shown(Change(TEXT, found.before.text, found.after.text))]
    rest[1]["name"] = f"all of {TEXT}"
    equal = len({**found.before.functions, **found.after.functions}) - len(found.functions)
    emit(rest, _byte_columns("", policy, against, None), Format.TABLE, title=f"\nand {equal} functions of equal size")
    sections = [_shown(row) for row in found.sections]
    sections.append(_shown(Change("size.alloc", found.before.alloc, found.after.alloc)))
    emit(sections, _byte_columns("section", policy, against, None), Format.TABLE, title="\nbytes that are loaded")
    if found.policy.compiled.digest == found.against.compiled.digest:
        say("the two objects are the same")


def _table(records: Sequence[dict[str, Any]], columns: Sequence[Column], title: str, most: int | None) -> None:
    shown = records[:most]
    told = [column for column in columns if column.heading or any(record[column.field] for record in shown)]
    emit(shown, told, Format.TABLE, title=title)
    if most is not None and len(records) > most:
        say(f"… and {len(records) - most} more: --rows 0 shows all")


def _counted(found: Explanation) -> list[str]:
    policy, against = found.policy.name, found.against.name
    more = [pair for pair in found.pairs or () if pair.met is Met.DIFFERS and pair.b is not None and pair.b.inline]
    differs = found.count(Met.DIFFERS)
    lines = [
        f"call sites: {found.count(Met.EQUAL)} decided in the same way, {differs} otherwise "
        f"({len(more)} inlined only by {policy}, {differs - len(more)} only by {against})"
    ]
    for met, name in ((Met.ONLY_A, against), (Met.ONLY_B, policy)):
        if count := found.count(met):
            lines.append(
                f"  {count} exist only under {name}, {found.count(met, inlined=True)} of them inlined: "
                "they follow from other decisions"
            )
    return lines


def _shown_site(found: Explanation, pair: Pair, names: Mapping[str, str]) -> dict[str, Any]:
    record = _site_record(found, pair)
    return record | {
        "caller": _short(names[record["caller"]]),
        "callee": _short(names[record["callee"]]),
        "a": _said(pair.a),
        "b": _said(pair.b),
    }


def _grouped(sites: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Calls of one function in another that are decided alike: one line, ``0–3, 5``."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for site in sites:
        groups.setdefault(tuple(site[name] for name in ("caller", "callee", "a", "b")), []).append(site)
    return [group[0] | {"ordinal": _ranges(sorted(site["ordinal"] for site in group))} for group in groups.values()]


def _ranges(numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _said(site: Site | None) -> str | None:
    if site is None:
        return None
    why = f" ({_WHO[site.who]})" if _WHO[site.who] else ""
    return f"{'inline' if site.inline else 'no'}{why}"


def _site_columns(policy: str, against: str) -> tuple[Column, ...]:
    return (
        Column("caller", "caller"),
        Column("callee", "callee"),
        Column("ordinals", "ordinal"),
        Column(against, "a"),
        Column(policy, "b"),
        Column("Δ caller", "caller_delta", "{:+,}".format, right=True),
        Column("Δ callee", "callee_delta", "{:+,}".format, right=True),
    )


def _shown_function(found: Explanation, row: Change, names: Mapping[str, str]) -> dict[str, Any]:
    record = _function_record(found, row)
    calls = "" if found.pairs is None else f"{record['inlined_before']} → {record['inlined_after']}"
    gone = "gone" if row.after is None else "new" if row.before is None else ""
    return record | {"name": _short(names[row.name]), "note": gone, "calls": "" if calls == "0 → 0" else calls}


def _shown(row: Change) -> dict[str, Any]:
    return {"name": row.name, "before": row.before, "after": row.after, "delta": row.delta}


def _byte_columns(heading: str, policy: str, against: str, found: Explanation | None) -> tuple[Column, ...]:
    columns = (
        Column(heading, "name"),
        Column(against, "before", "{:,}".format, right=True),
        Column(policy, "after", "{:,}".format, right=True),
        Column("Δ bytes", "delta", "{:+,}".format, right=True),
    )
    if found is None:
        return columns
    inlined = (Column("inlined here", "calls", right=True),) if found.pairs is not None else ()
    return (*columns, *inlined, Column("", "note"))


def _data(found: Explanation, setting: Setting, format_: Format) -> None:
    tables = {
        "sites": [_site_record(found, pair) for pair in found.sites],
        "functions": [_function_record(found, row) for row in found.functions],
        "sections": [_shown(row) for row in found.sections],
    }
    if format_ is Format.CSV:  # one table: each record says which of the three it is of
        names = list(dict.fromkeys(name for rows in tables.values() for row in rows for name in row))
        records = [{"table": table, **dict.fromkeys(names), **row} for table, rows in tables.items() for row in rows]
        emit(records, (), format_)
        return
    whole = {
        "benchmark": setting.program.id,
        "target": setting.target.value,
        "track": setting.track,
        "policy": found.policy.name,
        "against": found.against.name,
        "sites_apply": found.pairs is not None,
        "size.text": [found.before.text, found.after.text],
        "size.alloc": [found.before.alloc, found.after.alloc],
        "between_functions": [found.before.between, found.after.between],
        "counts": _count_records(found),
        **tables,
    }
    print(json.dumps(whole, indent=2))


def _count_records(found: Explanation) -> dict[str, int]:
    return {met.name.lower(): found.count(met) for met in Met}


def _site_record(found: Explanation, pair: Pair) -> dict[str, Any]:
    caller, callee = symbol(pair.site.caller), symbol(pair.site.callee)
    return {
        "caller": caller,
        "callee": callee,
        "ordinal": pair.site.ordinal,
        "met": pair.met.name.lower(),
        **_of_side("before", pair.a),
        **_of_side("after", pair.b),
        "caller_delta": found.moved.get(caller, 0),
        "callee_delta": found.moved.get(callee, 0),
    }


def _of_side(prefix: str, site: Site | None) -> dict[str, Any]:
    if site is None:
        return {f"{prefix}_inline": None, f"{prefix}_who": None}
    return {f"{prefix}_inline": site.inline, f"{prefix}_who": site.who.name.lower()}


def _function_record(found: Explanation, row: Change) -> dict[str, Any]:
    before, after = found.inlined_into(row.name)
    return _shown(row) | {"inlined_before": before, "inlined_after": after}


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
