"""``harness explain`` of a policy that chooses passes: what each pass did, and where bytes moved."""

from collections.abc import Sequence
from typing import Any

from harness.base.answers import Answer, Column, Table
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.measure.layout import Comparison, layout_of
from harness.problems.passes.effects import MOST_SECONDS, MOST_TESTS, Effect, Pruned, effects, pruned
from harness.problems.passes.llvm22 import NAMED
from harness.problems.passes.session import SessionLost
from harness.problems.programs.bytes import byte_record, byte_tables, one_table, totals
from harness.problems.programs.sides import Setting, Side, sides_of
from harness.problems.verbs import Asked, Context
from harness.sandbox.bench import Bench
from harness.toolchain.names import as_written

__all__ = ["explain_passes"]

_LONGEST = 70
"""Characters of a pass in the table for people."""


def explain_passes(context: Context, asked: Asked) -> Answer:
    """What each pass did, and how the object differs. Raises UsageError for a word that means nothing."""
    setting, side, against, bench = sides_of(context, asked)
    passes = [str(name) for name in side.decisions.body["passes"]]
    try:
        found = effects(passes, side.frozen, bench, context.observer)
        shorter = pruned(passes, side.frozen, bench, context.observer) if asked.prune else None
    except SessionLost as lost:
        raise CellError(Outcome.COMPILE_ERROR, f"{side.name} on {setting.program.id}: {lost.message}") from None
    return _answer(setting, side, against, found, shorter, asked.rows, bench)


def _answer(
    setting: Setting,
    side: Side,
    against: Side,
    found: Sequence[Effect],
    shorter: Pruned | None,
    rows: int | None,
    bench: Bench,
) -> Answer:
    compared = Comparison(layout_of(against.compiled.object), layout_of(side.compiled.object))
    records = {
        "passes": _records(found),
        "functions": [byte_record(row) for row in compared.functions],
        "sections": [byte_record(row) for row in compared.sections],
    }
    names = as_written([*compared.before.functions, *compared.after.functions], bench.toolchain)
    tables = [
        _passes_table(setting, side, records["passes"], shorter),
        *byte_tables(compared, against.name, side.name, records["functions"], names, rows),
        one_table(records),
    ]
    document: dict[str, Any] = {
        "benchmark": setting.program.id,
        "target": setting.target.value,
        "track": setting.track,
        "policy": side.name,
        "against": against.name,
        **totals(compared),
        **records,
    }
    if shorter is not None:
        document["pruned"] = {"passes": list(shorter.passes), "complete": shorter.complete, "tried": shorter.tried}
    return Answer(tuple(tables), _notes(found, compared), document)


def _notes(found: Sequence[Effect], compared: Comparison) -> tuple[str, ...]:
    """A session is opt in memory; where it is not, the table must not be believed unheard."""
    last, measured = found[-1].alloc, compared.after.alloc
    differs = f"passes one by one end at size.alloc {last:,}, and the list at once at {measured:,}"
    return () if last == measured else (differs,)


def _records(found: Sequence[Effect]) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    before = found[0]
    for effect in found:
        records.append(
            {
                "position": effect.position,
                "pass": effect.pipeline or None,
                "changed": effect.changed,
                "instructions": effect.instructions,
                "instructions_delta": effect.instructions - before.instructions,
                "alloc": effect.alloc,
                "alloc_delta": effect.alloc - before.alloc,
            }
        )
        before = effect
    return records


def _passes_table(setting: Setting, side: Side, records: Sequence[dict[str, Any]], shorter: Pruned | None) -> Table:
    columns = (
        Column("#", "position", right=True),
        Column("pass", "shown"),
        Column("IR", "instructions", "{:,}".format, right=True),
        Column("Δ IR", "ir", right=True),
        Column("size.alloc", "alloc", "{:,}".format, right=True),
        Column("Δ bytes", "bytes", right=True),
    )
    shown = [
        record
        | {
            "shown": _called(record["pass"]) if record["pass"] else f"frozen at -{side.frozen.level.value}",
            "ir": _moved(record, "instructions_delta"),
            "bytes": _moved(record, "alloc_delta"),
        }
        for record in records
    ]
    idle = sum(not record["changed"] for record in records[1:])
    below = [f"{idle} of {len(records) - 1} passes changed nothing"] if idle else []
    if shorter is not None:
        below += _told(shorter, len(records) - 1)
    title = f"{setting.program.id} · {setting.target.value} · passes of {side.name}"
    return Table(records, columns, title, shown=shown, below=tuple(below), for_people=True)


def _told(shorter: Pruned, passes: int) -> list[str]:
    limits = f"{MOST_TESTS} lists or {MOST_SECONDS / 60:g} minutes"
    end = "" if shorter.complete else f"; the search did not come to its end within {limits}: fewer may do"
    head = f"{len(shorter.passes)} of {passes} passes give the same object ({shorter.tried} lists tried{end}):"
    return ["", head, *(f"  {_called(name)}" for name in shorter.passes)]


def _called(pipeline: str) -> str:
    """By the name of an action that is this pipeline, where one has a name."""
    name = next((name for name, text in NAMED.items() if text == pipeline), pipeline)
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _moved(record: dict[str, Any], name: str) -> str:
    return f"{record[name]:+,}" if record["changed"] else ""
