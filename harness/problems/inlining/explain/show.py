"""``harness explain``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.base.answers import Answer, Column, Table
from harness.base.errors import UsageError
from harness.measure.layout import TEXT, Change, layout_of
from harness.policy import Policy, load_policy
from harness.problems.inlining.explain.explain import Explanation, explain
from harness.problems.inlining.explain.sides import LLVM, Setting, find_policy, inlines, make_setting, prepare, side_of
from harness.problems.inlining.explain.sites import Met, Pair, symbol
from harness.problems.inlining.sites import Site, Who
from harness.problems.programs.tracks import REFERENCES
from harness.problems.verbs import Context
from harness.sandbox.bench import Bench
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
    context: Context,
    policy: str,
    benchmark: str,
    target: str,
    track: str,
    against: str | None,
    plot: Path | None,
    rows: int,
) -> Answer:
    """What differs, and by how much. Raises UsageError for a word that means nothing."""
    setting = make_setting(benchmark, target, track)
    one = find_policy(policy, setting)
    other = find_policy(against or _usual(one, setting), setting)
    if plot is not None and (not inlines(one) or not inlines(other)):
        raise UsageError("--plot shows call sites that were decided otherwise; these policies decide none")
    bench = context.bench()
    prepare(setting, (one, other), bench, context.engine, context.observer)
    found = explain(side_of(one, setting, bench), side_of(other, setting, bench))
    notes = _if_reference_differs(found, setting, bench)
    if plot is not None:
        notes += _drawn(found, setting, plot, bench)
    tables, summary = _tables(found, setting, rows or None, _names(found, bench))
    records = _records(found)
    tables.append(_one_table(records))
    return Answer(tuple(tables), notes, _document(found, setting, records), summary=summary)


def _usual(policy: Policy | None, setting: Setting) -> str:
    """What a policy is held against when nothing is named."""
    return LLVM if policy is not None and inlines(policy) else REFERENCES[setting.track][0]


def _if_reference_differs(found: Explanation, setting: Setting, bench: Bench) -> tuple[str, ...]:
    """Through the plugin, LLVM's heuristic is asked about other call sites than without it, and has a growth cap."""
    if found.against.name != LLVM:
        return ()
    reference = side_of(load_policy(REFERENCES[setting.track][0]), setting, bench)
    if reference.compiled.digest == found.against.compiled.digest:
        return ()
    size = layout_of(reference.compiled.object).alloc
    return (f"size.alloc is {found.before.alloc:,} bytes under {LLVM}, and {size:,} under {reference.name}",)


def _names(found: Explanation, bench: Bench) -> Mapping[str, str]:
    """Symbol → name for people, of all functions that can be shown."""
    ends = [symbol(name) for pair in found.pairs or () for name in (pair.site.caller, pair.site.callee)]
    return as_written([*ends, *found.before.functions, *found.after.functions], bench.toolchain)


def _drawn(found: Explanation, setting: Setting, plot: Path, bench: Bench) -> tuple[str, ...]:
    from harness.problems.inlining.explain.graph import graph_figure, write_page

    title = f"{setting.program.id}, {setting.target.value}: {found.policy.name} against {found.against.name}"
    try:
        write_page(graph_figure(found, title, _names(found, bench)), plot)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", where=str(plot)) from None
    return (f"call graph in {plot}",)


def _tables(
    found: Explanation, setting: Setting, most: int | None, names: Mapping[str, str]
) -> tuple[list[Table], tuple[str, ...]]:
    """For people; and what is said behind them."""
    policy, against = found.policy.name, found.against.name
    lines = [f"{setting.program.id} · {setting.target.value} · {policy} against {against}"]
    tables: list[Table] = []
    if found.pairs is None:
        levels = {side.frozen.level.value for side in (found.policy, found.against)}
        differ = f"; they start from modules frozen at {' and '.join(sorted(levels))}" if len(levels) > 1 else ""
        lines.append(f"call sites: they are not both policies that decide what to inline{differ}")
    else:
        lines += _counted(found)
        sites = _grouped([_shown_site(found, pair, names) for pair in found.sites])
        if sites:
            columns = _site_columns(policy, against)
            tables.append(_table(sites, columns, "call sites, the most telling first", most))
    functions = [_shown_function(found, row, names) for row in found.functions]
    if functions:
        columns = _byte_columns("function", policy, against, found)
        tables.append(_table(functions, columns, "bytes of functions that changed", most))
    rest = [_shown(found.between), _shown(Change(TEXT, found.before.text, found.after.text))]
    rest[1]["name"] = f"all of {TEXT}"
    equal = len({**found.before.functions, **found.after.functions}) - len(found.functions)
    title = f"and {equal} functions of equal size"
    tables.append(_table(rest, _byte_columns("", policy, against, None), title, None))
    sections = [_shown(row) for row in found.sections]
    sections.append(_shown(Change("size.alloc", found.before.alloc, found.after.alloc)))
    tables.append(_table(sections, _byte_columns("section", policy, against, None), "bytes that are loaded", None))
    same = found.policy.compiled.digest == found.against.compiled.digest
    heading = Table((), (), below=tuple(lines), for_people=True)
    return [heading, *tables], ("the two objects are the same",) if same else ()


def _table(records: Sequence[dict[str, Any]], columns: Sequence[Column], title: str, most: int | None) -> Table:
    shown = records[:most]
    told = [column for column in columns if column.heading or any(record[column.field] for record in shown)]
    more = most is not None and len(records) > most
    below = (f"… and {len(records) - (most or 0)} more: --rows 0 shows all",) if more else ()
    return Table(records, told, title, shown=shown, below=below, for_people=True)


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


def _records(found: Explanation) -> dict[str, list[dict[str, Any]]]:
    return {
        "sites": [_site_record(found, pair) for pair in found.sites],
        "functions": [_function_record(found, row) for row in found.functions],
        "sections": [_shown(row) for row in found.sections],
    }


def _one_table(tables: Mapping[str, list[dict[str, Any]]]) -> Table:
    """For CSV: each record says which of the three it is of."""
    names = list(dict.fromkeys(name for rows in tables.values() for row in rows for name in row))
    records = [{"table": table, **dict.fromkeys(names), **row} for table, rows in tables.items() for row in rows]
    return Table(records, (), shown=())


def _document(found: Explanation, setting: Setting, tables: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {
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
