"""``harness leaderboard``, and the standings that ``harness run`` ends with."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from harness.base.errors import UsageError
from harness.base.paths import default_results
from harness.base.vocabulary import Origin, Split
from harness.cli.opened import opened_index
from harness.cli.output import Format, emit, note, say, show
from harness.measure import find_metric
from harness.policy.tracks import all_tracks
from harness.problems.programs.request import parse_targets, parse_word
from harness.problems.protocol import Benchmarks
from harness.problems.registry import benchmarks_of_track, declared_options, owners_of, restricting, suite_called
from harness.rank.doubts import doubts
from harness.rank.isolation import hurried_policies, packages_of, trusted_policies
from harness.rank.question import ALL, Question, fingerprints, questions
from harness.record.backing import Backing, backings_of
from harness.sandbox.bench import ASKED_AGAIN_AFTER
from harness.suite.together import ALL_SUITES, headline, members

__all__ = ["answers", "asked", "backing_called", "leaderboard", "print_standings"]

Answer = TypeVar("Answer")


def leaderboard(
    results: Path | None,
    sql: bool,
    format_: Format,
    declared: Mapping[str, Any],
    backing: str | None = None,
    **restrictions: Any,
) -> int:
    """Print the standings, or with ``sql`` the queries behind them. ``backing``: of runs with at least this one."""
    folder = results or default_results()
    least = backing_called(backing)
    if sql:
        with opened_index(folder, least) as index:
            for question in _about(asked(index, folder, restrictions), declared):
                say(f"-- {question.suite}, {question.target}, track {question.track}, {question.metric}")
                say(f"{_sort(question).standings_sql(question)};\n")
        return 0
    print_standings(folder, format_, declared, backing=least, **restrictions)
    return 0


def print_standings(
    results: Path,
    format_: Format,
    declared: Mapping[str, Any] | None = None,
    *,
    legend: bool = True,
    backing: Backing = Backing.CLAIMED,
    **restrictions: Any,
) -> None:
    """One table for each suite, target and track; one list of them all as JSON or CSV.

    ``declared``: what was given of the options that problems declare for ``leaderboard``; ``legend``: whether what the
    columns mean follows; ``backing``: of runs with at least this one. Raises UsageError when there
    is no table: nothing is recorded, or nothing of the reference.
    """
    given = declared or {}
    with opened_index(results, backing) as index:
        every = _about(asked(index, results, restrictions), given)
        tables = answers(every, lambda question: _sort(question).standings(index, question, given))
        trusted = sorted({policy for question in every for policy in trusted_policies(index, question)})
        hurried = sorted({policy for question in every for policy in hurried_policies(index, question)})
        packages = sorted({name for question in every for name in packages_of(index, question)})
        doubtful = doubts(index, every)
        behind = backings_of(index)
    for line in doubtful:
        note(f"warning: {line}")
    if format_ is not Format.TABLE:
        emit([record for _, table in tables for record in table.records], tables[0][1].columns, format_)
        return
    for _, table in tables:
        say()
        show(table)
    if set(behind) != {Backing.CLAIMED}:
        said = ", ".join(f"{count} {name}" for name, count in behind.items())
        note(f"\nruns: {said}; --backing official shows signed ones alone")
    if trusted:
        note(f"\nmeasured without the sandbox (--trust): {', '.join(trusted)}")
    if packages:
        note(f"\nwith code of other packages in the harness, which no sandbox holds: {', '.join(packages)}")
    if hurried:
        note(f"\nin runs that asked policies again sooner than after {ASKED_AGAIN_AFTER:g} s: {', '.join(hurried)}")
    for words in dict.fromkeys(_sort(question).legend for question, _ in tables) if legend else ():
        note(f"\n{words}")


def _sort(question: Question) -> Benchmarks:
    """What the question's benchmarks are."""
    return benchmarks_of_track(question.track)[1]


def _about(every: Sequence[Question], declared: Mapping[str, Any]) -> list[Question]:
    """The questions, programs first; of one sort alone where an option was given that asks for it."""
    wanted = {
        owner for name in declared if restricting("leaderboard", name) for owner in owners_of("leaderboard", name)
    }
    if not wanted:
        return list(every)
    chosen = [question for question in every if benchmarks_of_track(question.track)[0] in wanted]
    if not chosen:
        name = next(name for name in declared if restricting("leaderboard", name))
        spelt = next(options[name] for options in declared_options("leaderboard").values() if name in options).spelt[0]
        suites = ", ".join(dict.fromkeys(question.suite for question in every))
        raise UsageError(
            f"{spelt} says nothing here: these are results of {_sort(every[0]).called} ({suites})",
            hint="give another suite with --suite",
        )
    return chosen


def backing_called(word: str | None) -> Backing:
    """What stands behind the runs that are asked for, at least. Raises UsageError for a word that means nothing."""
    return Backing.CLAIMED if word is None else parse_word(Backing, word, "backing")


def asked(index: Any, results: Path, restrictions: dict[str, Any]) -> list[Question]:
    """The questions that the options leave open. Raises UsageError for a word that means nothing."""
    if not fingerprints(index):
        raise UsageError("there are no results yet", where=str(results), hint="run `harness run --suite cbench` first")
    if metric := restrictions.get("metric"):
        find_metric(metric)
    for what, kind in (("track", all_tracks()), ("split", [*Split, ALL]), ("origin", Origin)):
        if word := restrictions.get(what):
            parse_word(kind, word, what)
    parse_targets(restrictions["targets"])
    suite = suite_called(restrictions.get("suite"))
    restrictions = {**restrictions, "suite": suite}
    if suite not in (None, ALL_SUITES):
        return questions(index, **restrictions)
    found = questions(index, **restrictions | {"suite": None})
    mine = members(ALL_SUITES)
    if suite == ALL_SUITES:
        found = [question for question in found if {*question.suites} <= {*mine}]
        if not found:
            raise UsageError(f"no results of any of the suites {', '.join(mine)}", hint="`harness run --suite all`")
    # In the place of the suites that are shown together
    joint = {(one.track, one.target, one.conditions) for one in found if one.suite == ALL_SUITES}
    return [
        one
        for one in found
        if one.suite in headline() or one.suite not in mine or (one.track, one.target, one.conditions) not in joint
    ]


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
