"""What the values of a suite's definition may be: names, paths, flags, words for people."""

import math
import re
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator

from harness.base.text import closest, is_printable, printable_line

__all__ = [
    *("Argument", "ExitStatus", "Flag", "Line", "Link", "Model", "Name", "Package", "Prose", "RelativePath", "Sha256"),
    *("Tarball", "Value", "relative", "require_version"),
]

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}\Z")
# What a program may ask of the preprocessor and of the language's dialect, and nothing else:
# an optimisation flag here would leak into every policy's module. Some give a meaning to what
# programs older than the rule do: arithmetic and pointers that wrap, a cast that goes to the nearest value.
_FLAG = re.compile(
    r"-(std=[\w+:]+|f(no-)?(signed-char|unsigned-char|common|strict-aliasing)"
    r"|fwrapv(-pointer)?|fno-strict-float-cast-overflow|Wno-[\w-]+|w)\Z"
)
_LINK = re.compile(r"-l[\w+.-]+\Z")
_LONGEST_NAME = 255
"""Bytes of a file's name, as the kernel has it."""
_LONGEST_PATH = 1000
_LONGEST_LINE = 500


def _name(value: str) -> str:
    if not _NAME.match(value):
        raise ValueError(f"{value!r} is not a name: use up to 64 lower-case letters, digits, '.', '_' and '-'")
    return value


def _line(value: str) -> str:
    if not is_printable(value):
        raise ValueError(f"{printable_line(value, 80)!r} has a line feed, a control character or an invisible mark")
    return value


def _prose(value: str) -> str:
    if not is_printable(value, lines=True):
        raise ValueError(f"{printable_line(value, 80)!r} has a control character or an invisible mark")
    return value


def relative(value: str) -> str:
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or not value or "\\" in value:
        raise ValueError(f"{value!r} must be a relative path that stays inside its folder")
    _line(value)
    if len(value) > _LONGEST_PATH or any(len(part.encode()) > _LONGEST_NAME for part in path.parts):
        raise ValueError(f"{value[:40]!r}… is too long for a file's name")
    if value[0] in "-@":
        raise ValueError(f"{value!r} would be an option: a name may not begin with '-' or '@'")
    return value


def _argument(value: str) -> str:
    if "\0" in value:
        raise ValueError(f"{value!r} has a NUL character, which no command line can hold")
    return value


def _flag(value: str) -> str:
    if not _FLAG.match(value):
        raise ValueError(
            f"flag {value!r} is not allowed: a program may set its language standard, char signedness, "
            "-fcommon, -f[no-]strict-aliasing, -fwrapv, -fwrapv-pointer, -fno-strict-float-cast-overflow and warnings "
            "only"
        )
    return value


def _link(value: str) -> str:
    if not _LINK.match(value):
        raise ValueError(f"link flag {value!r} is not allowed: only libraries of the form -lNAME")
    return value


def require_version(package: str | None, version: str | None, tarball: str | None) -> None:
    """Raise ValueError where the tarball is not called as Debian calls this release."""
    begins = f"{package}_{version}"
    if tarball is not None and not tarball.startswith((f"{begins}.orig", f"{begins}.tar.")):
        raise ValueError(
            f"tarball {tarball!r} is not of version {version!r} of {package}: its name begins with '{begins}.orig.tar.'"
        )


def _exit_status(value: int) -> int:
    if 126 <= value <= 192:
        raise ValueError(f"exit status {value} cannot be told from a signal or a program that does not start")
    return value


_CHECKS = (
    *("alignment", "array-bounds", "bool", "bounds", "builtin", "enum", "float-cast-overflow", "float-divide-by-zero"),
    *("function", "integer-divide-by-zero", "local-bounds", "nonnull-attribute", "null", "object-size"),
    *("pointer-overflow", "return", "returns-nonnull-attribute", "shift", "shift-base", "shift-exponent"),
    *("signed-integer-overflow", "unreachable", "vla-bound", "vptr"),
)
"""Of clang's ``-fsanitize=undefined``."""


def _sanitizer_check(value: str) -> str:
    if value not in _CHECKS:
        meant = closest(value, _CHECKS)
        words = f"; did you mean {meant!r}?" if meant else f"; there are: {', '.join(_CHECKS)}"
        raise ValueError(f"{value!r} is no check of UndefinedBehaviorSanitizer{words}")
    return value


def _filled_in(value: str) -> str:
    if value.strip() == "…":
        raise ValueError("still to be filled in")
    return value


def _value(value: object) -> int | float | str:
    """Told by hand: of a union pydantic names what each of its kinds lacks."""
    if isinstance(value, str):
        if not 0 < len(value) <= _LONGEST_LINE:
            raise ValueError(f"must have from 1 to {_LONGEST_LINE} characters, not {len(value)}")
        return _filled_in(_line(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, float):
        raise ValueError("must be a number or text in quotes")
    if not math.isfinite(value):
        raise ValueError(f"must be a finite number, not {value}")
    return value


ExitStatus = Annotated[int, Field(ge=0, le=255), AfterValidator(_exit_status)]
Name = Annotated[str, AfterValidator(_name)]
SanitizerCheck = Annotated[str, Field(max_length=100), AfterValidator(_sanitizer_check)]
Line = Annotated[str, Field(min_length=1, max_length=_LONGEST_LINE), AfterValidator(_line), AfterValidator(_filled_in)]
"""Words for people in one line, all of which can be seen."""
Value = Annotated[int | float | str, PlainValidator(_value, json_schema_input_type=int | float | Line)]
"""Of a hyperparameter."""
Prose = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(_prose)]
"""The same in any number of lines."""
Argument = Annotated[str, Field(max_length=10_000), AfterValidator(_argument)]
"""One word of a command line."""
RelativePath = Annotated[str, AfterValidator(relative)]
Tarball = Annotated[str, Field(pattern=r"^\w[\w.+~-]*$", max_length=_LONGEST_NAME)]
Flag = Annotated[str, Field(max_length=100), AfterValidator(_flag)]
Link = Annotated[str, Field(max_length=100), AfterValidator(_link)]
Package = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9+.-]+$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Model(BaseModel):
    """Frozen, and strict about keys: a misspelt key is an error, not a default."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
