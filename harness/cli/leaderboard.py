"""``harness leaderboard``, and the standings that ``harness run`` ends with."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from harness.base.errors import UsageError
from harness.base.paths import default_results
from harness.base.vocabulary import Origin, Split, Track
from harness.cli.output import Column, Format, emit, note, say
from harness.measure import find_metric
from harness.problems.programs.request import parse_targets, parse_word
from harness.rank import campaigns, standings
from harness.rank.contest import percent
from harness.rank.doubts import doubts
from harness.rank.isolation import hurried_policies, trusted_policies
from harness.rank.question import Question, is_of_solvers, questions
from harness.rank.standings import Standing, standings_sql
from harness.rank.words import campaign_lines, rank_range, reason_lines
from harness.record import open_index
from harness.sandbox.bench import ASKED_AGAIN_AFTER

if TYPE_CHECKING:
    from harness.problems.sharding.standings import SolverTable

__all__ = ["answers", "asked", "leaderboard", "print_standings"]

Answer = TypeVar("Answer")


def _ratio(value: float) -> str:
    return f"{value:.4f}"


def _seconds(value: float) -> str:
    return f"{value:.2f}"


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
    Column("decide, s", "decide_cpu", _seconds, right=True),
)


def leaderboard(
    results: Path | None, sql: bool, format_: Format, *, published: bool, instances: bool, **restrictions: Any
) -> int:
    """Print the standings, or with ``sql`` the queries behind them."""
    folder = results or default_results()
    if sql:
        with open_index(folder) as index:
            for question in asked(index, restrictions):
                say(f"-- {question.suite}, {question.target}, track {question.track}, {question.metric}")
                say(f"{_sql(question)};\n")
        return 0
    if instances:
        return _print_instances(folder, format_, published=published, **restrictions)
    print_standings(folder, format_, published=published, **restrictions)
    return 0


def print_standings(results: Path, format_: Format, *, published: bool = True, **restrictions: Any) -> None:
    """One table for each suite, target and track; one list of them all as JSON or CSV.

    ``published``: with what others have published of sharding instances. Raises UsageError when there is no table:
    nothing is recorded, or nothing of the reference.
    """
    with open_index(results) as index:
        every = asked(index, restrictions)
        of_solvers = [question for question in every if is_of_solvers(question)]
        solved = _solved(index, of_solvers, published=published)
        of_programs = [question for question in every if not is_of_solvers(question)]
        tables = answers(of_programs, lambda question: standings(index, question))
        timed = [campaigns(index, question) for question, _ in tables]
        trusted = sorted({policy for question in every for policy in trusted_policies(index, question)})
        hurried = sorted({policy for question in every for policy in hurried_policies(index, question)})
        doubtful = doubts(index, every)
    for line in doubtful:
        note(f"warning: {line}")
    if format_ is not Format.TABLE:
        records = [row.record() for _, table in tables for row in table]
        emit(records + [row.record() for _, table in solved for row in table.standings], COLUMNS, format_)
        return
    for (question, table), found in zip(tables, timed, strict=True):
        say()
        emit([_shown(row) for row in table], COLUMNS, format_, title=_title(question, table))
        for line in (*campaign_lines(found, (row.pairs for row in table)), *reason_lines(table)):
            say(line)
    if solved:
        from harness.cli.solver_tables import print_solver_table

        for _, solver_table in solved:
            print_solver_table(solver_table)
    if trusted:
        note(f"\nmeasured without the sandbox (--trust): {', '.join(trusted)}")
    if hurried:
        note(f"\nin runs that asked policies again sooner than after {ASKED_AGAIN_AFTER:g} s: {', '.join(hurried)}")
    if tables:
        note(
            "\nratios are geometric means of reference / policy: above 1 is better; ranks go by strict, and who cannot "
            "be told apart shares them\nW/T/L: programs better than the reference, not different, worse or failed; "
            "MDE: the smallest difference that would be seen; decide: CPU seconds of deciding on a program, the median"
        )
    if solved:
        from harness.cli.solver_tables import solver_legend

        solver_legend()


def _print_instances(results: Path, format_: Format, *, published: bool, **restrictions: Any) -> int:
    """What each solver gave on each instance."""
    from harness.cli.solver_tables import print_instances

    with open_index(results) as index:
        of_solvers = [question for question in asked(index, restrictions) if is_of_solvers(question)]
        if not of_solvers:
            raise UsageError("these are no results of solvers", hint="give a suite of instances with --suite")
        solved = _solved(index, of_solvers, published=published)
    print_instances([table for _, table in solved], format_)
    return 0


def _sql(question: Question) -> str:
    if not is_of_solvers(question):
        return standings_sql(question)
    from harness.problems.sharding.entries import solver_sql

    return solver_sql(question)


def _solved(index: Any, of_solvers: list[Question], *, published: bool) -> "list[tuple[Question, SolverTable]]":
    """The tables of solvers. What makes them is imported only where there are some: most runs have none."""
    if not of_solvers:
        return []
    from harness.problems.sharding.standings import solver_standings

    return answers(of_solvers, lambda question: solver_standings(index, question, published=published))


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
