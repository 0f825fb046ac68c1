"""``harness generators``: what inputs of a suite's workloads can be made of."""

import json
import re
from pathlib import Path
from typing import Any

from harness.base.errors import UsageError
from harness.cli.output import Column, Format, emit, note, say
from harness.suite.generators import Described, check_parameters, described, generate, names

__all__ = ["generators"]

_LIST = (
    Column("generator", "name"),
    Column("makes", "text", lambda text: _first_sentence(str(text))),
    Column("parameters and defaults", "parameters", lambda given: _toml(given)[2:-2] or "–"),
)
_LONGEST = 110


def generators(name: str | None, sample: Path | None, seed: int, given: list[str], format_: Format) -> int:
    """Print all generators, or one; write a sample of it."""
    if name is None:
        if sample is not None or given:
            raise UsageError("which generator?", hint="harness generators NAME --sample FILE")
        emit([_record(described(one)) for one in names()], _LIST, format_)
        return 0
    one = described(name)
    params = _parameters(one, given)
    if sample is not None:
        content = generate(name, seed, params)
        try:
            with sample.open("xb") as file:
                file.write(content)
        except FileExistsError:
            raise UsageError("this is there already, and nothing was written", where=str(sample)) from None
        except OSError as error:
            raise UsageError(f"cannot be written: {error.strerror or error}", where=str(sample)) from None
        note(f"{len(content):,} bytes in {sample}")
    elif format_ is not Format.TABLE:
        emit([_record(one)], _LIST, format_)
        return 0
    else:
        say(one.text.replace("``", "`"))
        say()
    made = f'generator = "{name}", seed = {seed}, params = {_toml(one.parameters | params)}'
    say(f'inputs = [{{ file = "input", {made} }}]')
    return 0


def _record(one: Described) -> dict[str, Any]:
    return {"name": one.name, "text": one.text, "parameters": one.parameters, "seeded": one.seeded}


def _first_sentence(text: str) -> str:
    """For a line of a table."""
    first = re.split(r"(?<=[^.])\.(?=\s|\Z)", " ".join(text.replace("``", "`").split()), maxsplit=1)[0]
    return first if len(first) <= _LONGEST else f"{first[:_LONGEST].rpartition(' ')[0]} …"


def _toml(values: dict[str, Any]) -> str:
    return f"{{ {', '.join(f'{name} = {json.dumps(value)}' for name, value in values.items())} }}"


def _parameters(one: Described, given: list[str]) -> dict[str, int | str | bool]:
    """``NAME=VALUE`` as values of the parameters' types. Raises UsageError for what the generator does not take."""
    found: dict[str, int | str | bool] = {}
    for word in given:
        name, equals, value = word.partition("=")
        known = f"parameters of {one.name}: {', '.join(one.parameters) or 'none'}"
        if not equals:
            raise UsageError(f"--param {word}: write NAME=VALUE", hint=known)
        if name not in one.parameters:
            raise UsageError(f"--param {word}: {one.name} has no parameter {name!r}", hint=known)
        default = one.parameters[name]
        try:
            found[name] = _valued(value, default)
        except ValueError:
            kind = "true or false" if isinstance(default, bool) else "a whole number"
            raise UsageError(f"--param {word}: {name} is {kind}") from None
    check_parameters(one.name, found)
    return found


def _valued(value: str, default: int | str | bool) -> int | str | bool:
    if isinstance(default, bool):
        if value not in ("true", "false"):
            raise ValueError(value)
        return value == "true"
    return int(value) if isinstance(default, int) else value
