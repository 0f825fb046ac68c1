"""``harness selftest``."""

import json
from statistics import median

from harness.base.text import duration
from harness.checks.noise import IDENTICAL, Found, NoiseReport, noise
from harness.cli.output import Column, Format, emit, note, observer, say
from harness.sandbox.bench import open_bench
from harness.timing.schedule import Plan

__all__ = ["selftest"]

FOUND_COLUMNS = (
    Column("binary", "binary"),
    Column("called slower", "worse", right=True),
    Column("called faster", "better", right=True),
    Column("neither", "neither", right=True),
    Column("unusable", "unusable", right=True),
)
RESOLUTION_COLUMNS = (
    Column("pairs", "pairs", right=True),
    Column("seconds", "seconds", "{:.1f}".format, right=True),
    Column("difference found in 4 of 5", "difference", "{:.2%}".format, right=True),
)


def selftest(campaigns: int, seconds: float, plan: Plan, trust: bool, format_: Format) -> int:
    """Try what the timing is worth on this machine. Exit code 0 whatever it is worth."""
    progress = observer()
    try:
        report = noise(campaigns, seconds, plan, open_bench(trust=trust), progress)
    except KeyboardInterrupt:
        note("interrupted: nothing is kept")
        return 130
    finally:
        progress.close()
    if format_ is Format.JSON:
        print(json.dumps(report.record(), indent=2))
        return 0
    total = len(report.campaigns)
    pairs = sorted(one.pairs for one in report.campaigns)
    took = median(one.seconds for one in report.campaigns)
    emit([vars_of(found) for found in report.found], FOUND_COLUMNS, format_, title=f"{total} campaigns")
    if report.resolutions:
        emit(
            [{"pairs": r.pairs, "seconds": r.seconds, "difference": r.difference} for r in report.resolutions],
            RESOLUTION_COLUMNS,
            format_,
            title="\nwhat pairs of this program can tell apart here",
        )
    begin, end = report.load
    note(
        f"\na campaign: {pairs[0]} to {pairs[-1]} pairs, {took:.0f} s; the program takes {report.program_seconds:.2f} s"
    )
    note(f"load {begin:.1f} at the beginning, {end:.1f} at the end")
    for line in in_words(report):
        say(line)
    return 0


def in_words(report: NoiseReport) -> list[str]:
    """What the figures mean for someone who wants to compare two policies here."""
    total = len(report.campaigns)
    found = {one.binary: one for one in report.found}
    identical = found[IDENTICAL]
    called = identical.worse + identical.better
    lines = [
        "",
        f"Two runs of the same binary differ by {report.spread:.1%} here, typically, when they take turns.",
        f"Identical binaries were called different in {called} of {total} campaigns.",
    ]
    lines += [_power(found[name], total) for name in found if name != IDENTICAL]
    if identical.unusable:
        marks = {mark.split(":")[0] for one in report.campaigns for mark in one.marks}
        lines.append(f"{identical.unusable} of {total} campaigns could not be used: {'; '.join(sorted(marks))}.")
    least = next((r for r in report.resolutions if r.difference <= 0.01), None)
    if least:
        lines.append(
            f"To find a difference of 1 % in four of five cases takes {least.pairs} pairs here: "
            f"{duration(least.seconds)} for two programs of {report.program_seconds:.2f} s."
        )
    elif report.resolutions:
        last = report.resolutions[-1]
        lines.append(
            f"Not even {last.pairs} pairs tell 1 % apart here, only {last.difference:.1%}: "
            "use a quieter machine, or a larger --budget."
        )
    return lines


def _power(found: Found, total: int) -> str:
    wrong = f" (and faster in {found.better})" if found.better else ""
    return f"A binary made {found.binary} was called slower in {found.worse} of {total}{wrong}."


def vars_of(found: Found) -> dict[str, object]:
    """As a record."""
    names = ("binary", "worse", "better", "neither", "unusable")
    return {name: getattr(found, name) for name in names}
