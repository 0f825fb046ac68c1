"""What a run file's header says of fresh verification, and the words for it."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Fresh", "FreshProgram", "UnfitInput", "fresh_words"]


class Model(BaseModel):
    """Frozen, and strict about keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class UnfitInput(Model):
    """A fresh input that no object may be judged by."""

    attempt: int
    """From 1."""
    workload: str
    inputs: str
    """Digest of the workload with its input files."""
    reason: str


class FreshProgram(Model):
    """One program's fresh workload."""

    attempt: int | None = None
    """Number of the seed's attempt that counts; None where all attempts were unfit."""
    workload: str | None = None
    """The suite's workload that it was made of, with ``fresh-`` before its name."""
    inputs: str | None = None
    """Digest of the workload with its input files."""
    objects: int = 0
    """Distinct objects that this run verified on it, those that failed included."""
    failed: int = 0
    """Those of them that failed."""
    unfit: tuple[UnfitInput, ...] = ()


class Fresh(Model):
    """Fresh verification of a run: every object that no run has verified so before, on one new input a program."""

    seed: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None
    """128 random bits in hexadecimal, drawn when the run first started; None: it was switched off (``--no-fresh``)."""
    programs: dict[str, FreshProgram] = {}
    """Those of which this run verified an object."""
    without: tuple[str, ...] = ()
    """The run's programs without generated input: none of their objects was verified so."""

    @property
    def objects(self) -> int:
        """Objects that were verified."""
        return sum(program.objects for program in self.programs.values())

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Programs of which every input that was tried is unfit."""
        return tuple(name for name, program in self.programs.items() if program.attempt is None)


def fresh_words(fresh: Fresh | None) -> str:
    """One line for people."""
    if fresh is None:
        return "none: the run is older than it"
    if fresh.seed is None:
        return "switched off (--no-fresh)"
    judged = sum(program.attempt is not None for program in fresh.programs.values())
    objects = f"{_count(fresh.objects, 'object')} of {_count(judged, 'program')} verified on new inputs"
    words = [f"{objects}, seed {fresh.seed}" if fresh.programs else "nothing new to verify"]
    words += [f"{count} failed" for count in [sum(p.failed for p in fresh.programs.values())] if count]
    words += [f"unfit inputs: {_unfit(fresh.programs)}"] if any(p.unfit for p in fresh.programs.values()) else []
    words += [f"no input fits: {', '.join(fresh.unjudged)}"] if fresh.unjudged else []
    words += [f"without generated input: {', '.join(fresh.without)}"] if fresh.without else []
    return "; ".join(words)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _unfit(programs: Mapping[str, FreshProgram]) -> str:
    return ", ".join(f"{len(program.unfit)} of {name}" for name, program in programs.items() if program.unfit)
