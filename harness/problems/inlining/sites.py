"""Decisions on call sites: the plugin's log, the body of a decisions file, and one as the other.

The log is text. ``f NAME`` makes a function known, numbered from 0 on; ``CALLER CALLEE ORDINAL DECISION WHO`` is
what was decided of the call sites, in the order in which the inliner met them (``native/inline/sites.h``).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from harness.problems.programs.logs import NAME, lines_of

__all__ = ["LogError", "Site", "Who", "body_fault", "body_of", "counts", "log_of", "parse_log", "sites_of"]

_FUNCTION = re.compile(f"f ({NAME})")
_DECISION = re.compile(r"(0|[1-9]\d{0,8}) (0|[1-9]\d{0,8}) (0|[1-9]\d{0,8}) ([01]) ([pmcir])")
_MOST_LINES, _MOST_FUNCTIONS = 2_000_000, 100_000
"""A policy can forge a log that the plugin would not have written."""
_SITE = 5


class Who(StrEnum):
    """What decided of a call site."""

    POLICY = "p"
    """The policy."""
    MANDATORY = "m"
    """A rule: an attribute says always or never; LLVM's own heuristic decides where a function calls itself."""
    CAP = "c"
    """The growth cap: the module has grown too much, and nothing more is inlined."""
    ILLEGAL = "i"
    """Nothing: it cannot be inlined, or is never reached."""
    REPLACED = "r"
    """LLVM's own heuristic: the policy's answer was not usable."""


@dataclass(frozen=True, slots=True)
class Site:
    """A call site and what became of it. ``caller``, ``callee`` and ``ordinal`` are its identity."""

    caller: str
    callee: str
    ordinal: int
    """How often the inliner had asked about calls of ``callee`` in ``caller`` before."""
    inline: bool
    who: Who

    @property
    def chosen(self) -> bool:
        """Decided by choice: no rule, cap or impossibility had a say."""
        return self.who in (Who.POLICY, Who.REPLACED)


class LogError(ValueError):
    """A log that the plugin would not have written."""


def parse_log(text: str) -> dict[str, Any]:
    """The body of a decisions file: ``functions``, and ``sites`` as ``[caller, callee, ordinal, inline, who]``.

    Functions are as in the log: ``%xx`` for what is no printable ASCII. Raises LogError, naming the line.
    """
    functions: dict[str, None] = {}
    sites: list[list[int | str]] = []
    asked: Counter[tuple[int, int]] = Counter()
    for number, line in enumerate(lines_of(text), start=1):
        if number > _MOST_LINES:
            raise LogError(f"more than {_MOST_LINES} lines")
        if known := _FUNCTION.fullmatch(line):
            if known[1] in functions:
                raise LogError(f"line {number} makes a function known again")
            if len(functions) == _MOST_FUNCTIONS:
                raise LogError(f"more than {_MOST_FUNCTIONS} functions")
            functions[known[1]] = None
            continue
        found = _DECISION.fullmatch(line)
        if found is None:
            raise LogError(f"line {number} is neither a function nor a decision")
        caller, callee, ordinal, inline = (int(word) for word in found.groups()[:4])
        who = found[5]
        if max(caller, callee) >= len(functions):
            raise LogError(f"line {number} is of a function that is not known yet")
        if asked[caller, callee] != ordinal:
            raise LogError(f"line {number} is out of order")
        if who == Who.ILLEGAL and inline:
            raise LogError(f"line {number} inlines what cannot be inlined")
        asked[caller, callee] += 1
        sites.append([caller, callee, ordinal, inline, who])
    return {"functions": list(functions), "sites": sites}


def body_fault(body: dict[str, Any]) -> str | None:
    """Why this does not have the form of a body; None where it has. Whether it fits a module the plugin says."""
    functions, sites = body.get("functions"), body.get("sites")
    if set(body) != {"functions", "sites"} or not isinstance(functions, list) or not isinstance(sites, list):
        return "they are functions and call sites"
    if len(functions) > _MOST_FUNCTIONS:
        return f"more than {_MOST_FUNCTIONS} functions"
    if not all(isinstance(name, str) and _FUNCTION.fullmatch(f"f {name}") for name in functions):
        return "a function is a name of printable ASCII without blanks, with %xx for what is none"
    if len(set(functions)) != len(functions):
        return "a function is there twice"
    if len(sites) > _MOST_LINES:
        return f"more than {_MOST_LINES} call sites"
    return next((f"not a decision: {site!r:.100}" for site in sites if not _is_site(site, len(functions))), None)


def _is_site(site: Any, functions: int) -> bool:
    if not isinstance(site, list) or len(site) != _SITE or not all(type(number) is int for number in site[:-1]):
        return False
    if _DECISION.fullmatch(" ".join(map(str, site))) is None:
        return False
    return bool(max(site[:2]) < functions)


def log_of(body: dict[str, Any]) -> str:
    """The log that gives this body; the plugin follows it."""
    lines = [f"f {name}" for name in body["functions"]]
    lines += [" ".join(map(str, site)) for site in body["sites"]]
    return "".join(f"{line}\n" for line in lines)


def sites_of(body: dict[str, Any]) -> list[Site]:
    """The call sites in their order."""
    names = body["functions"]
    return [
        Site(names[caller], names[callee], ordinal, bool(inline), Who(who))
        for caller, callee, ordinal, inline, who in body["sites"]
    ]


def body_of(sites: Sequence[Site]) -> dict[str, Any]:
    """The body of a decisions file, from call sites in their order."""
    numbers: dict[str, int] = {}
    rows = [
        [
            numbers.setdefault(site.caller, len(numbers)),
            numbers.setdefault(site.callee, len(numbers)),
            site.ordinal,
            int(site.inline),
            site.who.value,
        ]
        for site in sites
    ]
    return {"functions": list(numbers), "sites": rows}


def counts(body: dict[str, Any]) -> dict[Who, int]:
    """How many call sites each of them decided."""
    found = Counter(Who(site[4]) for site in body["sites"])
    return {who: found[who] for who in Who}
