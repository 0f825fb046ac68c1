"""``harness doctor``."""

from dataclasses import asdict

from harness.base.errors import HarnessError, PrerequisiteError
from harness.base.paths import cache_root
from harness.base.vocabulary import Target
from harness.checks.doctor import Prerequisite, examine
from harness.cli.output import Column, Format, emit, note
from harness.sandbox import enforcement
from harness.sandbox.bench import open_bench
from harness.verify import require_counter

__all__ = ["doctor"]

COLUMNS = (
    Column("", "mark"),
    Column("prerequisite", "name"),
    Column("found", "found"),
    Column("needed for", "needed_for"),
)


def doctor(format_: Format) -> int:
    """Exit code: 0 when nothing required is missing. Raises PrerequisiteError otherwise."""
    lines = [*examine(), *_counters(), *_sandbox()]
    missing = [line for line in lines if line.found is None and line.required]
    marks = [("ok" if line.found else "MISSING" if line.required else "absent") for line in lines]
    emit([asdict(line) | {"mark": mark} for line, mark in zip(lines, marks, strict=True)], COLUMNS, format_)
    if format_ is Format.TABLE:
        note(f"\ncache: {cache_root()}")
        for line in lines:
            if line.found is None:
                note(f"{line.name}: {line.remedy}")
    if missing:
        raise PrerequisiteError(
            f"missing: {', '.join(line.name for line in missing)}",
            hint="; ".join(dict.fromkeys(m.remedy for m in missing)),
        )
    return 0


def _counters() -> list[Prerequisite]:
    return [_counter(target) for target in Target]


def _counter(target: Target) -> Prerequisite:
    name, use = f"counter, {target.value}", "counting what programs execute (track speed)"
    try:
        require_counter(target, open_bench())
    except HarnessError as error:
        return Prerequisite(name, None, use, error.hint or error.message, required=False)
    return Prerequisite(name, "exact on a program of known counts", use, "-")


def _sandbox() -> list[Prerequisite]:
    """What isolates here what is not the harness's own, tried."""
    use = "isolating what is not ours"
    try:
        enforced = enforcement(open_bench().sandbox)
    except HarnessError as error:
        return [Prerequisite("sandbox", None, use, f"{error.message}\n  {error.hint or ''}".rstrip())]
    return [Prerequisite(f"sandbox: {entry.what}", entry.how, use, "-") for entry in enforced]
