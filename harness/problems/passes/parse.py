"""``passes.txt``: from text to tokens, each a pass name or a nested pipeline.

One or more passes a line, separated by blanks or commas; ``#`` starts a comment. Command lines of
other tools may be pasted: ``opt -mem2reg -sroa input.bc -o output.bc`` and ``-passes='…'`` are read
for their passes.
"""

import re
from dataclasses import dataclass

__all__ = ["SequenceError", "Token", "parse_passes"]

_FILE = re.compile(r"\S+\.(bc|ll)\Z")


class SequenceError(ValueError):
    """The text is not a pass list; the message says where."""


@dataclass(frozen=True, slots=True)
class Token:
    """One pass or nested pipeline, and the line that it stands on."""

    text: str
    line: int


def parse_passes(text: str) -> list[Token]:
    """The passes of a ``passes.txt``. Raises SequenceError for unbalanced brackets and strange characters."""
    tokens: list[Token] = []
    for number, line in enumerate(re.split(r"\r\n?|\n", text), start=1):  # splitlines knows more line ends than editors
        content = line.split("#", 1)[0].replace("'", " ").replace('"', " ")
        tokens += [Token(part, number) for part in _without_command(_split(content, number))]
    return tokens


def _split(content: str, line: int) -> list[str]:
    """Split at blanks and commas outside brackets; blanks inside brackets are dropped."""
    parts, current, open_brackets = [], "", []
    for character in content:
        if not (character.isspace() or "!" <= character <= "~"):
            raise SequenceError(f"line {line}: the character {character!r} has no place in a pass list")
        if character in "(<":
            open_brackets.append(character)
        elif character in ")>" and (not open_brackets or open_brackets.pop() != {")": "(", ">": "<"}[character]):
            raise SequenceError(f"line {line}: {character!r} closes nothing")
        if (character.isspace() or character == ",") and not open_brackets:
            parts.append(current)
            current = ""
        elif not character.isspace():
            current += character
    if open_brackets:
        raise SequenceError(f"line {line}: {open_brackets[-1]!r} is never closed")
    return [part for part in (*parts, current) if part]


def _without_command(parts: list[str]) -> list[str]:
    """Drop what belongs to a pasted opt command line and strip the dashes of its options."""
    kept: list[str] = []
    skip = False
    for part in parts:
        if skip or part in {"opt", "-S"} or _FILE.match(part):
            skip = False
        elif part == "-o":
            skip = True
        else:
            kept.append(re.sub(r"^--?(passes=)?", "", part))
    return [part for part in kept if part]
