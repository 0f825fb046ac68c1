"""The lines of a run file, each checked alone: one canonical JSON object of bounded size, strictly of its schema.

Canonical (``harness.base.digest.canonical_json``) means that a content has one text: no key stands twice, no blanks, no
``NaN``, no number written in another way.
"""

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.base.digest import canonical_json
from harness.base.errors import UsageError
from harness.base.upgrade import row_of_6
from harness.record.rows import Block, Campaign, Header, History, Row

__all__ = ["LONGEST_LINE", "Line", "canonical_object", "checked", "parse_header", "parse_line"]

LONGEST_LINE = 4 << 20
"""Bytes. The header of a suite with thousands of programs has one."""
_HINT = "whatever wrote it is not this harness: move it out of the results folder, or restore the file"

Line = Row | Campaign | Block | History
Checked = TypeVar("Checked", bound=BaseModel)


class _Enclosed(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)


class _Block(_Enclosed):
    block: Block


class _Campaign(_Enclosed):
    campaign: Campaign


class _History(_Enclosed):
    history: History


class _Header(_Enclosed):
    header: Header


def parse_line(line: bytes, where: str, schema: int) -> Line:
    """What the line of a file of this schema says. Raises UsageError that names the field."""
    fields = canonical_object(line, where)
    if line.startswith(b'{"block":'):
        return checked(_Block, line, where).block
    if line.startswith(b'{"campaign":{'):
        return checked(_Campaign, line, where).campaign
    if line.startswith(b'{"history":'):
        return checked(_History, line, where).history
    if schema < 7:
        try:
            line = canonical_json(row_of_6(fields))
        except ValueError as error:
            raise UsageError(str(error), where=where, hint=_HINT) from None
    return checked(Row, line, where)


def parse_header(line: bytes, where: str) -> Header:
    """The first line. Raises UsageError that names the field."""
    return checked(_Header, line, where).header


def canonical_object(line: bytes, where: str, hint: str = _HINT) -> dict[str, Any]:
    """The JSON object in the line. Raises UsageError for anything but the canonical text of one."""
    if len(line) > LONGEST_LINE:
        raise UsageError(f"a line of {len(line):,} bytes; the longest may have {LONGEST_LINE:,}", where=where)
    try:
        value = json.loads(line)
        canonical = canonical_json(value)
    except RecursionError:
        raise UsageError("nested too deeply", where=where, hint=hint) from None
    except ValueError as error:  # no JSON, no UTF-8, a number of thousands of digits, NaN or infinite
        raise UsageError(f"not JSON: {str(error).splitlines()[0]}", where=where, hint=hint) from None
    if not isinstance(value, dict):
        raise UsageError("not a JSON object", where=where, hint=hint)
    if canonical != line:
        raise UsageError(_not_canonical(line), where=where, hint=hint)
    return value


def checked(model: type[Checked], line: bytes, where: str) -> Checked:
    """The line by its schema, strictly: neither ``true`` nor ``"12"`` is a number. Raises UsageError with the field."""
    try:
        return model.model_validate_json(line, strict=True)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in fault["loc"] if not str(part).startswith("constrained-"))
        raise UsageError(f"{place}: {fault['msg']}".removeprefix(": "), where=where, hint=_HINT) from None


def _not_canonical(line: bytes) -> str:
    twice: list[str] = []

    def pairs(found: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in found]
        twice.extend(name for name in names if names.count(name) > 1)

    json.loads(line, object_pairs_hook=pairs)
    if twice:
        return f"the field {twice[0][:100]!r} stands there twice"
    return "not the canonical text of what it says: blanks, the order of fields, or how a number is written"
