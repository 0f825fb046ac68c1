"""``harness leaderboard``, and the standings that ``harness run`` ends with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from harness.cli.output import Column, Format, emit, note
from harness.errors import UsageError
from harness.flow.request import parse_targets, parse_word
from harness.measure import find_metric
from harness.paths import default_results
from harness.rank import campaigns, standings
from harness.rank.contest import percent
from harness.rank.isolation import trusted_policies
from harness.rank.question import Question, questions
from harness.rank.standings import Standing, standings_sql
from harness.rank.words import campaign_lines, rank_range, reason_lines
from harness.record import open_index
from harness.vocabulary import Origin, Split, Track

__all__ = ["answers", "asked", "leaderboard", "print_standings"]

Answer = TypeVar("Answer")


def _ratio(value: float) -> str:
    return f"{value:.4f}"


COLUMNS = (
    Column("rank", "ranks", right=True),
    Column("policy", "policy"),
    Column("class", "class"),
    Column("strict", "strict", _ratio, right=True),
    Column("95 % interval", "interval"),
    Column("matched", "matched", _ratio, right=True),
    Column("covered", "covered", right=True),
    Column("W/T/L", "decided", right=True),
    Column("MDE", "seen", right=True),
)


def leaderboard(results: Path | None, sql: bool, format_: Format, **restrictions: Any) -> int:
    """Print the standings, or with ``sql`` the queries behind them."""
    folder = results or default_results()
    if sql:
        with open_index(folder) as index:
            for question in asked(index, restrictions):
                print(f"-- {question.suite}, {question.target}, track {question.track}, {question.metric}")
                print(f"{standings_sql(question)};\n")
        return 0
    print_standings(folder, format_, **restrictions)
    return 0


def print_standings(results: Path, format_: Format, **restrictions: Any) -> None:
    """One table for each suite, target and track; one list of them all as JSON or CSV.

    Raises UsageError when there is none: nothing is recorded, or nothing of the reference.
    """
    with open_index(results) as index:
        tables = answers(asked(index, restrictions), lambda question: standings(index, question))
        timed = [campaigns(index, question) for question, _ in tables]
        trusted = sorted({policy for question, _ in tables for policy in trusted_policies(index, question)})
    if format_ is not Format.TABLE:
        emit([row.record() for _, table in tables for row in table], COLUMNS, format_)
        return
    for (question, table), found in zip(tables, timed, strict=True):
        print()
        emit([_shown(row) for row in table], COLUMNS, format_, title=_title(question, table))
        for line in (*campaign_lines(found, (row.pairs for row in table)), *reason_lines(table)):
            print(line)
    if trusted:
        note(f"\nmeasured without the sandbox (--trust): {', '.join(trusted)}")
    note(
        "\nratios are geometric means of reference / policy: above 1 is better; ranks go by strict, and who cannot be "
        "told apart shares them\nW/T/L: programs better than the reference, not different, worse or failed; "
        "MDE: the smallest difference that would be seen"
    )


def asked(index: Any, restrictions: dict[str, Any]) -> list[Question]:
    """The questions that the options leave open. Raises UsageError for a word that means nothing."""
    if metric := restrictions.get("metric"):
        find_metric(metric)
    for what, kind in (("track", Track), ("split", Split), ("origin", Origin)):
        if word := restrictions.get(what):
            parse_word(kind, word, what)
    parse_targets(restrictions["targets"])
    return questions(index, **restrictions)


def answers(asked: list[Question], answer: Callable[[Question], Answer]) -> list[tuple[Question, Answer]]:
    """The questions that have an answer. The others are remarked on; if none has one, the first error is raised."""
    found: list[tuple[Question, Answer]] = []
    faults: list[UsageError] = []
    for question in asked:
        try:
            found.append((question, answer(question)))
        except UsageError as error:
            faults.append(error)
    if faults and not found:
        raise faults[0]
    for fault in faults:
        note(f"left out: {fault.message}")
    return found


def _title(question: Question, table: list[Standing]) -> str:
    restricted = "".join(f", {word}" for word in question.restrictions)
    return (
        f"{question.suite} · {question.target} · track {question.track} · {question.metric} against "
        f"{question.reference}, {table[0].benchmarks} programs{restricted}"
    )


def _shown(row: Standing) -> dict[str, Any]:
    known = row.completed and row.low is not None and row.high is not None
    interval = f"{row.low:.4f} – {row.high:.4f}" if known else None
    return row.record() | {
        "strict": row.strict if row.completed else None,  # that of the programs that it failed says nothing alone
        "ranks": rank_range(row),
        "interval": interval,
        "covered": f"{row.completed}/{row.benchmarks}",
        "decided": f"{row.wins}/{row.ties}/{row.losses}",
        "seen": percent(row.mde),
    }
