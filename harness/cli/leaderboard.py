"""``harness leaderboard``, and the standings that ``harness run`` ends with."""

from pathlib import Path
from typing import Any

from harness.cli.output import Column, Format, emit, note
from harness.measure import choose_metrics
from harness.paths import default_results
from harness.rank import standings
from harness.rank.question import questions
from harness.rank.standings import Question, Standing, standings_sql
from harness.record import open_index

__all__ = ["leaderboard", "print_standings"]


def _ratio(value: float) -> str:
    return f"{value:.4f}"


COLUMNS = (
    Column("rank", "rank", right=True),
    Column("policy", "policy"),
    Column("class", "class"),
    Column("strict", "strict", _ratio, right=True),
    Column("95 % interval", "interval"),
    Column("matched", "matched", _ratio, right=True),
    Column("coverage", "covered", right=True),
)


def leaderboard(results: Path | None, sql: bool, format_: Format, **restrictions: Any) -> int:
    """Print the standings, or with ``sql`` the queries behind them."""
    folder = results or default_results()
    if sql:
        with open_index(folder) as index:
            for question in _asked(index, restrictions):
                print(f"-- {question.suite}, {question.target}, track {question.track}, {question.metric}")
                print(f"{standings_sql(question)};\n")
        return 0
    print_standings(folder, format_, **restrictions)
    return 0


def print_standings(results: Path, format_: Format, **restrictions: Any) -> None:
    """One table for each suite, target and track; one list of them all as JSON or CSV."""
    with open_index(results) as index:
        tables = [(question, standings(index, question)) for question in _asked(index, restrictions)]
    if format_ is not Format.TABLE:
        emit([row.record() for _, table in tables for row in table], COLUMNS, format_)
        return
    for question, table in tables:
        print()
        emit([_shown(row) for row in table], COLUMNS, format_, title=_title(question, table))
    note("\nratios are geometric means of reference / policy: above 1 is better; ranks go by strict")


def _asked(index: Any, restrictions: dict[str, Any]) -> list[Question]:
    if metric := restrictions.get("metric"):
        choose_metrics([metric])
    return questions(index, **restrictions)


def _title(question: Question, table: list[Standing]) -> str:
    restricted = "".join(f", {word}" for word in (question.split, question.origin) if word)
    return (
        f"{question.suite} · {question.target} · track {question.track} · {question.metric} against "
        f"{question.reference}, {table[0].benchmarks} programs{restricted}"
    )


def _shown(row: Standing) -> dict[str, Any]:
    interval = None if row.low is None or row.high is None else f"{row.low:.4f} – {row.high:.4f}"
    return row.record() | {"interval": interval, "covered": f"{row.completed}/{row.benchmarks}"}
