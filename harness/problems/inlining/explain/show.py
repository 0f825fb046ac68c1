"""``harness explain``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.base.answers import Answer, Column, Table
from harness.base.errors import UsageError
from harness.measure.layout import Change, layout_of
from harness.policy import Policy, load_policy
from harness.problems.inlining.explain.explain import Explanation, explain
from harness.problems.inlining.explain.sides import LLVM, find_policy, inlines, prepare, side_of
from harness.problems.inlining.explain.sites import Met, Pair, symbol
from harness.problems.inlining.sites import Site, Who
from harness.problems.programs.bytes import beginning, byte_record, byte_tables, one_table, shortened, totals
from harness.problems.programs.sides import Setting, make_setting
from harness.problems.programs.tracks import REFERENCES
from harness.problems.verbs import Asked, Context
from harness.sandbox.bench import Bench
from harness.toolchain.names import as_written

__all__ = ["explain_policy"]

_WHO = {
    Who.POLICY: "",
    Who.MANDATORY: "mandatory",
    Who.CAP: "growth cap",
    Who.ILLEGAL: "illegal",
    Who.REPLACED: "replaced",
}


def explain_policy(context: Context, asked: Asked) -> Answer:
    """What differs, and by how much. Raises UsageError for a word that means nothing."""
    if asked.prune:
        raise UsageError("--prune shortens lists of passes", hint="harness bisect finds the decisions that matter")
    setting = make_setting(asked.benchmark, asked.target, asked.track)
    one = find_policy(asked.policy, setting)
    other = find_policy(asked.against or _usual(one, setting), setting)
    if other == one:
        raise UsageError(f"{asked.policy!r} is compared with itself", hint="name another policy with --against")
    if asked.plot is not None and (not inlines(one) or not inlines(other)):
        raise UsageError("--plot shows call sites that were decided otherwise; these policies decide none")
    bench = context.bench()
    prepare(setting, (one, other), bench, context.engine, context.observer)
    found = explain(side_of(one, setting, bench), side_of(other, setting, bench))
    notes = _if_reference_differs(found, setting, bench)
    if asked.plot is not None:
        notes += _drawn(found, setting, asked.plot, bench)
    records = _records(found)
    tables, summary = _tables(found, setting, records, asked.rows, _names(found, bench))
    tables.append(one_table(records))
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
    return (f"size.alloc is {found.bytes.before.alloc:,} bytes under {LLVM}, and {size:,} under {reference.name}",)


def _names(found: Explanation, bench: Bench) -> Mapping[str, str]:
    """Symbol → name for people, of all functions that can be shown."""
    ends = [symbol(name) for pair in found.pairs or () for name in (pair.site.caller, pair.site.callee)]
    return as_written([*ends, *found.bytes.before.functions, *found.bytes.after.functions], bench.toolchain)


def _drawn(found: Explanation, setting: Setting, plot: Path, bench: Bench) -> tuple[str, ...]:
    from harness.problems.inlining.explain.graph import graph_figure, write_page

    title = f"{setting.program.id}, {setting.target.value}: {found.policy.name} against {found.against.name}"
    try:
        write_page(graph_figure(found, title, _names(found, bench)), plot)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", where=str(plot)) from None
    return (f"call graph in {plot}",)


def _tables(
    found: Explanation,
    setting: Setting,
    records: Mapping[str, list[dict[str, Any]]],
    most: int | None,
    names: Mapping[str, str],
) -> tuple[list[Table], tuple[str, ...]]:
    """For people; and what is said behind them."""
    policy, against = found.policy.name, found.against.name
    lines = [f"{setting.program.id} · {setting.target.value} · {policy} against {against}"]
    tables: list[Table] = []
    if found.pairs is None:
        levels = {side.frozen.level.value for side in (found.policy, found.against)}
        differ = f"; they start from modules frozen at {' and '.join(sorted(levels))}" if len(levels) > 1 else ""
        lines.append(f"call sites: not compared, for a policy that decides no call sites is among the two{differ}")
    else:
        lines += _counted(found)
        met = zip(records["sites"], found.sites, strict=True)
        sites = _grouped([_shown_site(record, pair, names) for record, pair in met])
        if sites:
            columns = _site_columns(policy, against)
            tables.append(beginning(sites, columns, "call sites, the most telling first", most))
    functions = [record | {"calls": _calls(record)} for record in records["functions"]]
    inlined = (Column("inlined here", "calls", right=True),) if found.pairs is not None else ()
    tables += byte_tables(found.bytes, against, policy, functions, names, most, *inlined)
    same = found.policy.compiled.digest == found.against.compiled.digest
    heading = Table((), (), below=tuple(lines), for_people=True)
    return [heading, *tables], ("the two objects are the same",) if same else ()


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


def _shown_site(record: dict[str, Any], pair: Pair, names: Mapping[str, str]) -> dict[str, Any]:
    return record | {
        "caller": shortened(names[record["caller"]]),
        "callee": shortened(names[record["callee"]]),
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


def _calls(record: Mapping[str, Any]) -> str:
    before, after = record["inlined_before"], record["inlined_after"]
    return f"{before} → {after}" if before or after else ""


def _records(found: Explanation) -> dict[str, list[dict[str, Any]]]:
    return {
        "sites": [_site_record(found, pair) for pair in found.sites],
        "functions": [_function_record(found, row) for row in found.bytes.functions],
        "sections": [byte_record(row) for row in found.bytes.sections],
    }


def _document(found: Explanation, setting: Setting, tables: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {
        "benchmark": setting.program.id,
        "target": setting.target.value,
        "track": setting.track,
        "policy": found.policy.name,
        "against": found.against.name,
        "sites_apply": found.pairs is not None,
        **totals(found.bytes),
        "counts": {met.name.lower(): found.count(met) for met in Met},
        **tables,
    }


def _site_record(found: Explanation, pair: Pair) -> dict[str, Any]:
    caller, callee = symbol(pair.site.caller), symbol(pair.site.callee)
    return {
        "caller": caller,
        "callee": callee,
        "ordinal": pair.site.ordinal,
        "met": pair.met.name.lower(),
        **_of_side("before", pair.a),
        **_of_side("after", pair.b),
        "caller_delta": found.bytes.moved[caller],
        "callee_delta": found.bytes.moved[callee],
    }


def _of_side(prefix: str, site: Site | None) -> dict[str, Any]:
    if site is None:
        return {f"{prefix}_inline": None, f"{prefix}_who": None}
    return {f"{prefix}_inline": site.inline, f"{prefix}_who": site.who.name.lower()}


def _function_record(found: Explanation, row: Change) -> dict[str, Any]:
    before, after = found.inlined_into(row.name)
    return byte_record(row) | {"inlined_before": before, "inlined_after": after}
