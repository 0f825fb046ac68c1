"""Guards against flags that a package's own build leaks into the frozen module.

A leaked ``noinline`` or fast-math flag would decide the comparison before any policy does.
"""

import json
import re
from collections.abc import Collection, Iterator

from harness.base.errors import UsageError
from harness.base.vocabulary import Level

__all__ = ["check_module"]

_ATTRIBUTES = re.compile(rb"\nattributes (#\d+) = \{(.*)\}")
_DEFINITION = re.compile(rb'\ndefine [^\n]*?@("[^"]+"|[\w.$-]+)\([^\n]*?(#\d+)')
_FAST_WORDS = b" (?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) "
_FAST_WORD = re.compile(_FAST_WORDS)
_FAST_MATH = re.compile(
    rb"\n  (?:%\S+ = )?(?:tail |notail |musttail )?"
    rb"(?:fadd|fsub|fmul|fdiv|frem|fneg|fcmp|fptrunc|fpext|call|select|phi)" + _FAST_WORDS
)
_NUMBER = re.compile(r"\.\d+\Z")
"""What linking puts behind the name of a local function that another unit has too."""
_CLANGS_OWN = frozenset({"__clang_call_terminate"})
"""Functions that clang itself makes noinline: this one in every C++ module with exceptions."""
_SHOWN = 4
"""Functions that a message names; its hint has all."""
_REQUIRED = {Level.OZ: (b"minsize", b"optsize"), Level.OS: (b"optsize",)}


def check_module(ir: bytes, level: Level, allowed_noinline: Collection[str], where: str) -> None:
    """Refuse a module whose functions carry what the level would not give them.

    ``ir`` is the module's text, ``allowed_noinline`` the functions that the source itself marks.
    Raises UsageError that names the function and the remedy; all functions at once that are noinline.
    """
    attributes = {match[1]: set(match[2].split()) for match in _matches(_ATTRIBUTES, b"\nattributes #", ir)}
    definitions = list(_matches(_DEFINITION, b"\ndefine ", ir))
    noinline: dict[str, None] = {}
    for match in definitions:
        name = match[1].strip(b'"').decode("utf-8", "replace")
        own = attributes.get(match[2], set())
        for required in _REQUIRED.get(level, ()):
            if required not in own:
                raise _leak(name, f"lacks {required.decode()} at -{level.value}: its flags lower the level", where)
        if level is Level.O0:
            continue
        if b"optnone" in own:
            raise _leak(name, "is optnone: no policy could optimise it", where)
        if b"noinline" in own and not {name, _NUMBER.sub("", name)} & {*_CLANGS_OWN, *allowed_noinline}:
            noinline[_NUMBER.sub("", name)] = None
    if noinline:
        raise _noinline(list(noinline), allowed_noinline, where)
    if fast := next(_fast_math(ir), None):
        before = [match[1] for match in definitions if match.start() < fast.start()]
        name = before[-1].strip(b'"').decode("utf-8", "replace") if before else "?"
        raise _leak(name, f"has a fast-math instruction ({fast[0].strip().decode()} …): outputs would differ", where)


def _matches(pattern: re.Pattern[bytes], beginning: bytes, ir: bytes) -> Iterator[re.Match[bytes]]:
    """Matches of a pattern that begins with a literal. Modules have millions of characters, and
    ``bytes.find`` is ten times as fast as ``re`` at passing over them."""
    position = ir.find(beginning)
    while position >= 0:
        if match := pattern.match(ir, position):
            yield match
        position = ir.find(beginning, position + 1)


def _fast_math(ir: bytes) -> Iterator[re.Match[bytes]]:
    """Instructions with fast-math flags: only lines that have one of the words are looked at, and once each."""
    position = 0
    while word := _FAST_WORD.search(ir, position):
        if match := _FAST_MATH.match(ir, ir.rfind(b"\n", position, word.start())):
            yield match
        position = ir.find(b"\n", word.end())
        if position < 0:
            return


def _noinline(functions: list[str], listed: Collection[str], where: str) -> UsageError:
    """All of them, so that the list in the suite is written once."""
    first, more = functions[:_SHOWN], len(functions) - _SHOWN
    named = f"{', '.join(map(repr, first))}{f' and {more} more' if more > 0 else ''}"
    one = len(functions) == 1
    return UsageError(
        f"a flag leaks into the frozen module: function{'' if one else 's'} {named} {'is' if one else 'are'} noinline, "
        "and the suite does not say that the source asks for it",
        where=where,
        hint="if the source itself says noinline, list all under `noinline` in suite.toml: "
        f"noinline = {json.dumps([*listed, *functions])}",
    )


def _leak(function: str, what: str, where: str, hint: str | None = None) -> UsageError:
    return UsageError(
        f"a flag leaks into the frozen module: function {function!r} {what}",
        where=where,
        hint=hint or "remove the flag from the program's definition",
    )
