"""States as CompilerGym writes them: ``benchmark,reward,walltime,commandline``, as its leaderboard takes them."""

import csv
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from harness.base.errors import UsageError

__all__ = ["CompilerEnvState", "CompilerEnvStateReader", "CompilerEnvStateWriter", "ValidationResult"]

_FIELDS = ("benchmark", "reward", "walltime", "commandline")
_PREFIX = "benchmark://"


@dataclass(frozen=True, slots=True)
class CompilerEnvState:
    """Where an episode is."""

    benchmark: str
    """``benchmark://cbench-v1/qsort``."""
    commandline: str = ""
    """``opt -mem2reg -sroa input.bc -o output.bc``."""
    walltime: float | None = field(default=None, compare=False)
    """Seconds since the episode began."""
    reward: float | None = None
    """Of the episode so far; None: there is no reward space."""

    @property
    def has_reward(self) -> bool:
        """Whether a reward is there."""
        return self.reward is not None


class CompilerEnvStateWriter:
    """Writes states as CSV. A context."""

    def __init__(self, f: TextIO, header: bool = True) -> None:
        """``f``: a text file that is open for writing."""
        self.f = f
        self._writer = csv.writer(f, lineterminator="\n")
        if header:
            self._writer.writerow(_FIELDS)

    def write_state(self, state: CompilerEnvState, flush: bool = False) -> None:
        """Append one."""
        numbers = ["" if value is None else value for value in (state.reward, state.walltime)]
        self._writer.writerow([state.benchmark, *numbers, state.commandline])
        if flush:
            self.f.flush()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the file."""
        self.f.close()


class CompilerEnvStateReader:
    """Reads what ``CompilerEnvStateWriter`` and CompilerGym itself have written; an iterable of states.

    A first column without a name, in which pandas writes an index, is left out.
    """

    def __init__(self, f: TextIO) -> None:
        """``f``: a text file that is open for reading."""
        self.f = f

    def __iter__(self) -> Iterator[CompilerEnvState]:
        """Raises UsageError, naming the line, for one that is no state."""
        where = getattr(self.f, "name", "states")
        indexed = False
        for number, columns in enumerate(_lines(self.f, str(where)), start=1):
            if number == 1:
                indexed = tuple(columns) == ("", *_FIELDS)
            fields = columns[1:] if indexed else columns
            if not fields or (number == 1 and tuple(fields) == _FIELDS):
                continue
            if len(fields) != len(_FIELDS):
                raise UsageError(f"line {number}: a state has {', '.join(_FIELDS)}", where=str(where))
            benchmark, reward, walltime, commandline = fields
            uri = benchmark if benchmark.startswith(_PREFIX) else f"{_PREFIX}{benchmark}"
            numbers = [_number(text, f"line {number}", str(where)) for text in (walltime, reward)]
            yield CompilerEnvState(uri, commandline, *numbers)

    @classmethod
    def read_paths(cls, paths: Iterable[str | Path]) -> Iterator[CompilerEnvState]:
        """The states of several files, one after the other."""
        for path in paths:
            with Path(path).open(encoding="utf-8", newline="") as file:
                yield from cls(file)


def _lines(file: TextIO, where: str) -> Iterator[list[str]]:
    """Raises UsageError for what is no CSV."""
    try:
        yield from csv.reader(file)
    except (csv.Error, UnicodeDecodeError) as error:
        raise UsageError(f"not CSV: {error}", where=where) from None


def _number(text: str, line: str, where: str) -> float | None:
    try:
        value = float(text) if text.strip() else None
    except ValueError:
        value = math.nan
    if value is not None and not math.isfinite(value):
        raise UsageError(f"{line}: {text[:40]!r} is no number", where=where)
    return value


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """Whether a state holds: its list gives the reward that it says, and a program that behaves."""

    state: CompilerEnvState
    reward_validated: bool = False
    actions_replay_failed: bool = False
    reward_validation_failed: bool = False
    benchmark_semantics_validated: bool = False
    benchmark_semantics_validation_failed: bool = False
    walltime: float = 0.0
    error_details: str = ""

    def okay(self) -> bool:
        """Whether nothing speaks against it."""
        return not (
            self.actions_replay_failed or self.reward_validation_failed or self.benchmark_semantics_validation_failed
        )
