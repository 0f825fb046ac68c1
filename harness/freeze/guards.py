"""Guards against flags that a package's own build leaks into the frozen module.

A leaked ``noinline`` or fast-math flag would decide the comparison before any policy does.
"""

import re
from collections.abc import Collection

from harness.errors import UsageError
from harness.vocabulary import Level

__all__ = ["check_module"]

_ATTRIBUTES = re.compile(rb"^attributes (#\d+) = \{(.*)\}", re.MULTILINE)
_DEFINITION = re.compile(rb'^define [^\n]*?@("[^"]+"|[\w.$-]+)\([^\n]*?(#\d+)', re.MULTILINE)
_FAST_MATH = re.compile(
    rb"^  (?:%\S+ = )?(?:tail |notail |musttail )?(?:fadd|fsub|fmul|fdiv|frem|fneg|fcmp|call|select|phi)"
    rb" (?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) ",
    re.MULTILINE,
)
_CLANGS_OWN = frozenset({"__clang_call_terminate"})
"""Functions that clang itself makes noinline: this one in every C++ module with exceptions."""
_REQUIRED = {Level.OZ: (b"minsize", b"optsize"), Level.OS: (b"optsize",)}


def check_module(ir: bytes, level: Level, allowed_noinline: Collection[str], where: str) -> None:
    """Refuse a module whose functions carry what the level would not give them.

    ``ir`` is the module's text, ``allowed_noinline`` the functions that the source itself marks.
    Raises UsageError that names the function and the remedy.
    """
    attributes = {match[1]: set(match[2].split()) for match in _ATTRIBUTES.finditer(ir)}
    for match in _DEFINITION.finditer(ir):
        name = match[1].strip(b'"').decode("utf-8", "replace")
        own = attributes.get(match[2], set())
        for required in _REQUIRED.get(level, ()):
            if required not in own:
                raise _leak(name, f"lacks {required.decode()} at -{level.value}: its flags lower the level", where)
        if level is Level.O0:
            continue
        if b"optnone" in own:
            raise _leak(name, "is optnone: no policy could optimise it", where)
        if b"noinline" in own and name not in _CLANGS_OWN and name not in allowed_noinline:
            hint = "if the source itself says noinline, list the function under `noinline` in suite.toml"
            raise _leak(name, "is noinline, and the suite does not say that its source asks for it", where, hint)
    if fast := _FAST_MATH.search(ir):
        before = [m[1] for m in _DEFINITION.finditer(ir, 0, fast.start())]
        name = before[-1].strip(b'"').decode("utf-8", "replace") if before else "?"
        raise _leak(name, f"has a fast-math instruction ({fast[0].strip().decode()} …): outputs would differ", where)


def _leak(function: str, what: str, where: str, hint: str | None = None) -> UsageError:
    return UsageError(
        f"a flag leaks into the frozen module: function {function!r} {what}",
        where=where,
        hint=hint or "remove the flag from the program's definition",
    )
