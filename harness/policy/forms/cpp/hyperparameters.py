"""The tunable constants of a C++ heuristic: ``// [hyperparam]: name, int|float, low, high, default``.

The harness turns each into a variable of that name, and sets it before the first question.
"""

import re
from collections.abc import Set as AbstractSet

from harness.base.errors import UsageError
from harness.policy.forms.parameters import Hyperparameter, Value

__all__ = ["parse_hyperparameters", "require_no_options"]

_MARK = re.compile(r"^[ \t]*+//[ \t]*+\[hyperparam\](.*+)$", re.MULTILINE)
_FORM = "// [hyperparam]: name, int|float, low, high, default"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
# Whatever begins here also matches, closed or not, and possessively: no character is looked at twice. A number may
# have apostrophes between its digits.
_NOT_CODE = re.compile(
    r"""(?P<number>\b[0-9](?:'?[0-9A-Za-z_.])*+)"""
    r"""|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?"""
    r"""|\b(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16}+)\([^)]*+(?:\)(?!(?P=mark)")[^)]*+)*+(?:\)(?P=mark)")?"""
    r"""|"(?:[^"\\\n]++|\\.)*+"?|'(?:[^'\\\n]++|\\.)*+'?""",
    re.DOTALL,
)
_OPTION = re.compile(r"\bcl\s*+::\s*+(opt|list|bits|alias|cat|OptionCategory)\b")
_SHOWN = 80
_LARGEST_INT = 2**31 - 1
_MOST = 64
_WORDS = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl
    concept const const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto harness hook if inline int llvm long main mutable namespace new noexcept not
    not_eq nullptr operator or or_eq policy private protected public register reinterpret_cast requires return short
    signed sizeof static static_assert static_cast std struct switch template this thread_local throw true try typedef
    typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq"""
_TAKEN = frozenset(_WORDS.split())


def parse_hyperparameters(
    text: str, where: str, reserved: AbstractSet[str] = frozenset()
) -> tuple[Hyperparameter, ...]:
    """All of them, in the order of the file; none is called as one of ``reserved``.

    Raises UsageError, naming the line, for one that is malformed.
    """
    found: dict[str, Hyperparameter] = {}
    for mark in _MARK.finditer(text):
        line = text.count("\n", 0, mark.start()) + 1
        one = _parse(mark[1].strip(" \t"), line, f"{where}:{line}", reserved)
        if one.name in found:
            raise UsageError(
                f"hyperparameter {one.name!r} is declared in line {found[one.name].line} already",
                where=f"{where}:{line}",
            )
        found[one.name] = one
        if len(found) > _MOST:
            raise UsageError(f"more than {_MOST} hyperparameters", where=where)
    return tuple(found.values())


def _parse(text: str, line: int, where: str, reserved: AbstractSet[str]) -> Hyperparameter:
    words = [word.strip() for word in text.removeprefix(":").split(",")]
    if not text.startswith(":") or len(words) != 5 or words[1] not in ("int", "float"):
        raise UsageError("not a hyperparameter", where=where, hint=f"write {_FORM}")
    name, kind, *numbers = words
    if not _NAME.fullmatch(name) or name in _TAKEN or name in reserved:
        raise UsageError(
            f"{name[:_SHOWN]!r} cannot be a hyperparameter's name",
            where=where,
            hint="a C++ identifier that is no keyword",
        )
    is_int = kind == "int"
    low, high, default = (_number(word, is_int, where) for word in numbers)
    if low > high:
        raise UsageError(f"hyperparameter {name!r}: low, {low}, is above high, {high}", where=where)
    one = Hyperparameter(name, is_int, low, high, default, line)
    if not one.accepts(default):
        raise UsageError(f"hyperparameter {name!r}: its default, {default}, is not within {low} to {high}", where=where)
    return one


def _number(word: str, is_int: bool, where: str) -> Value:
    try:
        value = int(word) if is_int else float(word)
    except ValueError:
        kind = "int" if is_int else "float"
        raise UsageError(f"{word[:_SHOWN]!r} is no {kind}", where=where, hint=f"write {_FORM}") from None
    if abs(value) > _LARGEST_INT or value != value:
        raise UsageError(f"{word[:_SHOWN]} is too large", where=where)
    return value


def require_no_options(text: str, where: str) -> None:
    """Raise UsageError for a hand-written ``cl::opt``: a name that LLVM has already kills the compiler."""
    code = _NOT_CODE.sub(lambda found: "0" if found["number"] else " " + "\n" * found[0].count("\n"), text)
    if found := _OPTION.search(code):
        line = code.count("\n", 0, found.start()) + 1
        raise UsageError(
            f"cl::{found[1]}: LLVM options are the harness's",
            where=f"{where}:{line}",
            hint=f"declare the constant as `{_FORM}` and use it by its name",
        )
