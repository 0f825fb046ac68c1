"""What was decided of the functions of a module: the plugin's log, the body of a decisions file, and one as the other.

``native/regalloc/decisions.h`` says what the lines of a log are.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from harness.problems.programs.logs import NAME, lines_of

__all__ = ["LISTED", "Function", "LogError", "body_fault", "functions_of", "log_of", "parse_log"]

LISTED = "listed"
"""The priority function that is a list of what was decided."""
_BEGIN = re.compile(rf"f (?! )({NAME}) ([0-9a-f]{{1,16}}) ([a-z0-9-]{{1,40}})")
_PRIORITY = re.compile(r"p ([0-9a-f]{1,12}) ([0-9a-f]{1,8}) ([0-9a-f]{1,8})")
_EVICTION = re.compile(r"v ([0-9a-f]{1,12}) ([0-9a-f]{1,8}) (?:[0-9a-f]|1[0-9a-f]|20)")
_QUESTIONS = re.compile(r"e ([0-9a-f]{1,12})(?: ([0-9a-f]{1,12}))?")
_END = re.compile(r"end ([0-9a-f]{1,8})")
_MOST_LINES, _MOST_FUNCTIONS = 5_000_000, 100_000
"""The plugin has the first, too. A policy can forge a log that it would not have written."""


class LogError(ValueError):
    """A log that the plugin would not have written."""


@dataclass(frozen=True, slots=True)
class Function:
    """What was decided of one function."""

    name: str
    """As in the log: ``%xx`` for what is no printable ASCII."""
    digest: str
    """Of its code before allocation, in hexadecimal."""
    priority: str
    """A priority function of the plugin's, or ``listed``."""
    given: tuple[tuple[int, int, int], ...] = ()
    """Listed: (question, virtual register, priority), where it is not Greedy's own."""
    questions: int = 0
    """Listed: how often Greedy asked for a priority."""
    evicted: tuple[tuple[int, int, int], ...] = ()
    """Listed: (question, virtual register, slot), where it is not Greedy's own."""
    evictions: int = 0
    """Listed: how often Greedy asked what to evict, where the policy was asked about that."""


def parse_log(text: str) -> tuple[dict[str, Any], int]:
    """The body of a decisions file, and how many answers were unusable.

    It is ``{"functions": [[NAME, DIGEST, FUNCTION, QUESTIONS, [GIVEN, …]], …]}``, numbers in hexadecimal; a function
    in which the policy was asked about evictions has two items more: how often, and ``[EVICTED, …]``.

    Raises LogError, naming the line.
    """
    functions: list[list[Any]] = []
    known: set[str] = set()
    current: list[Any] | None = None
    evicted: list[str] = []
    replaced = None
    for number, line in enumerate(lines_of(text), start=1):
        if number > _MOST_LINES:
            raise LogError(f"more than {_MOST_LINES} lines")
        if replaced is not None:
            raise LogError(f"line {number} comes after the end")
        if current is None and (found := _BEGIN.fullmatch(line)):
            name, digest, function = found.groups()
            if name in known:
                raise LogError(f"line {number} is of a function that was there before")
            if len(known) == _MOST_FUNCTIONS:
                raise LogError(f"more than {_MOST_FUNCTIONS} functions")
            known.add(name)
            functions.append([name, digest, function, "0", []])
            current = functions[-1] if function == LISTED else None
        elif current is not None and _PRIORITY.fullmatch(line):
            current[4].append(line[2:])
        elif current is not None and _EVICTION.fullmatch(line):
            evicted.append(line[2:])
        elif current is not None and (found := _QUESTIONS.fullmatch(line)):
            current[3] = found[1]
            if found[2] is not None or evicted:
                current += [found[2] or "0", evicted]
            evicted = []
            if (fault := _list_fault(current)) is not None:
                raise LogError(f"the function that ends in line {number}: {fault}")
            current = None
        elif current is None and (found := _END.fullmatch(line)):
            replaced = int(found[1], 16)
        else:
            raise LogError(f"line {number} is no decision")
    if replaced is None:
        raise LogError("it has no end")
    return {"functions": functions}, replaced


def body_fault(body: dict[str, Any]) -> str | None:
    """Why this does not have the form of a body; None where it has. Whether it fits a module the plugin says."""
    functions = body.get("functions")
    if set(body) != {"functions"} or not isinstance(functions, list):
        return "they are functions"
    if len(functions) > _MOST_FUNCTIONS:
        return f"more than {_MOST_FUNCTIONS} functions"
    lines = 0
    for one in functions:
        if not isinstance(one, list) or len(one) not in (5, 7):
            return f"not a function: {one!r:.100}"
        name, digest, function, questions, given, *more = one
        asked, evicted = more or ("0", [])
        words = (name, digest, function, questions, asked)
        if not all(isinstance(word, str) for word in words) or not _QUESTIONS.fullmatch(f"e {questions} {asked}"):
            return f"not a function: {one!r:.100}"
        if not _BEGIN.fullmatch(f"f {name} {digest} {function}"):
            return f"not a function: {one!r:.100}"
        if not _are_lines(given, "p", _PRIORITY):
            return f"not the priorities of a function: {given!r:.100}"
        if not _are_lines(evicted, "v", _EVICTION):
            return f"not the evictions of a function: {evicted!r:.100}"
        if (fault := _list_fault(one)) is not None:
            return f"function {name}: {fault}"
        lines += len(given) + len(evicted)
    if lines > _MOST_LINES:
        return f"more than {_MOST_LINES} decisions"
    names = [one[0] for one in functions]
    return "a function is there twice" if len(set(names)) < len(names) else None


def _are_lines(listed: object, sort: str, form: re.Pattern[str]) -> bool:
    return isinstance(listed, list) and all(
        isinstance(each, str) and form.fullmatch(f"{sort} {each}") is not None for each in listed
    )


def _list_fault(one: list[Any]) -> str | None:
    """Decisions are in the order of the questions, and of questions that there were."""
    _, _, function, questions, given, *more = one
    asked, evicted = more or ("0", [])
    if function != LISTED and (more or given or int(questions, 16)):
        return "it has a function of the plugin's, and decisions besides"
    sorts: tuple[tuple[str, list[str], str], ...] = (("priorities", given, questions), ("evictions", evicted, asked))
    for sort, listed, many in sorts:
        steps = [int(each.partition(" ")[0], 16) for each in listed]
        if any(later <= earlier for earlier, later in pairwise(steps)):
            return f"its {sort} are out of order"
        if steps and steps[-1] >= int(many, 16):
            return f"one of its {sort} is of a question that was not asked"
    return None


def functions_of(body: dict[str, Any]) -> Iterator[Function]:
    """In their order."""
    for name, digest, function, questions, given, *more in body["functions"]:
        asked, evicted = more or ("0", [])
        numbers = (_numbers(given), int(questions, 16), _numbers(evicted), int(asked, 16))
        yield Function(name, digest, function, *numbers)


def _numbers(lines: list[str]) -> tuple[tuple[int, int, int], ...]:
    words = (each.split() for each in lines)
    return tuple((int(step, 16), int(register, 16), int(what, 16)) for step, register, what in words)


def log_of(body: dict[str, Any]) -> str:
    """The log that gives this body; the plugin follows it."""
    lines: list[str] = []
    for name, digest, function, questions, given, *more in body["functions"]:
        asked, evicted = more or ("", [])
        lines.append(f"f {name} {digest} {function}")
        if function == LISTED:
            listed = (*(f"p {each}" for each in given), *(f"v {each}" for each in evicted))
            lines += [*listed, f"e {questions} {asked}".rstrip()]
    return "".join(f"{line}\n" for line in [*lines, "end 0"])
