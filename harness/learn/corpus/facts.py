"""What is known of a unit and its functions, as ``native/corpus`` says it: values, checked where they come in."""

from pydantic import Field, TypeAdapter, ValidationError

from harness.base.errors import UsageError
from harness.problems.passes.session.observations import AUTOPHASE
from harness.suite.fields import Model

__all__ = ["RL_RANGES", "FunctionFacts", "ModuleFacts", "facts_of", "flaw"]

RL_RANGES = (120, 500)
"""Live ranges of the functions that RL4ReAl learns from and decides on; both ends are in."""
_LONGEST_LINE = 1 << 26


class FunctionFacts(Model):
    """Of a function that the module defines."""

    name: str = Field(max_length=1 << 16)
    digest: str = Field(pattern=r"^[0-9a-f]{32}$")
    """Of opcodes, kinds of types and control flow: near-duplicates have the same."""
    instructions: int = Field(ge=0)
    blocks: int = Field(ge=0)
    calls: int = Field(ge=0)
    """Call sites that are no intrinsics."""
    local: bool
    """Whether nothing outside the file can name it."""
    noinline: bool
    optnone: bool
    sized: bool
    """Whether it is minsize."""
    fast: bool
    """Whether an instruction has fast-math flags."""
    ranges: int | None = Field(ge=0)
    """Virtual registers that are live somewhere before allocation at -O3; None where -O3 leaves no such function."""

    @property
    def is_allocatable(self) -> bool:
        """Whether it is of the size that RL4ReAl takes."""
        least, most = RL_RANGES
        return self.ranges is not None and least <= self.ranges <= most


class ModuleFacts(Model):
    """Of a module."""

    triple: str = Field(max_length=100)
    instructions: int = Field(ge=0)
    """IR instructions of blocks that can be reached."""
    autophase: tuple[int, ...] = Field(min_length=len(AUTOPHASE), max_length=len(AUTOPHASE))
    functions: tuple[FunctionFacts, ...]


_MODULE = TypeAdapter(ModuleFacts)


def facts_of(line: bytes, where: str) -> ModuleFacts:
    """The facts in a line of the tool's. Raises UsageError for anything else."""
    if len(line) > _LONGEST_LINE:
        raise UsageError("its facts are too long", where=where)
    try:
        return _MODULE.validate_json(line)
    except (ValidationError, RecursionError):
        raise UsageError("what is said of it are no facts", where=where) from None


def flaw(facts: ModuleFacts, *, sized: bool = True) -> str | None:
    """Why the module is not taken, in one word, by the rules of ``harness.freeze.guards``; None where it is.

    ``noinline`` is the source's own here, since no package's flags are used: it is counted, not refused. ``sized``:
    whether the functions must be minsize.
    """
    if not facts.functions:
        return "empty"
    if any(one.optnone for one in facts.functions):
        return "optnone"
    if sized and not all(one.sized for one in facts.functions):
        return "flags"
    return "fast-math" if any(one.fast for one in facts.functions) else None
