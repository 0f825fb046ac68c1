"""What proves a metric's values: taken once a cell, and only when a metric asks for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property

from harness.basic_blocks import Code, Counts, Profile, profile
from harness.measure.compiling import Compilation
from harness.measure.missing import NotMeasurableError
from harness.verify import CountedRun

__all__ = ["Evidence", "Need", "NotMeasurableError", "Took"]


class Need(Enum):
    """A kind of evidence."""

    OBJECT = auto()
    """The object alone."""
    RUNS = auto()
    """Counted runs of the ``count`` workloads."""
    CODE = auto()
    """The object's basic blocks."""
    CAMPAIGN = auto()
    """Timed runs beside the reference's: taken of all cells together, when they are done."""
    COMPILING = auto()
    """How the object came to be: what the steps of the plan took, and what is between them."""
    COMPILING_AGAIN = auto()
    """The steps of the plan, run once more where a metric counts or watches them."""
    DECIDING = auto()
    """What the policy took to decide. It is gone when the cell is done, unless it is kept."""
    STEPS = auto()
    """What the policy did to decide, step by step. Others than such policies have none."""
    ANSWER = auto()
    """What a solver printed, and when: nothing is compiled."""

    @property
    def of_object(self) -> bool:
        """Whether equal objects give equal evidence."""
        others = (Need.COMPILING, Need.COMPILING_AGAIN, Need.DECIDING, Need.STEPS, Need.ANSWER)
        return self not in others


@dataclass(frozen=True, slots=True)
class Took:
    """What a run of one object took in a campaign: medians over its blocks, in seconds."""

    cpu: float
    wall: float


@dataclass(frozen=True)
class Evidence:
    """Of one cell. What was not asked for is empty."""

    runs: Sequence[CountedRun] = ()
    code: Code | str = ""
    """The blocks, or why they are not known."""
    compilation: Compilation | None = None
    """The steps that made the object."""

    @property
    def compiled_again(self) -> Compilation:
        """The steps, to be run once more. Raises NotMeasurableError where they are not known."""
        if self.compilation is None:
            raise NotMeasurableError("the steps that made the object are not known")
        return self.compilation

    @property
    def blocks(self) -> Code:
        """The object's code. Raises NotMeasurableError."""
        if isinstance(self.code, str):
            raise NotMeasurableError(self.code)
        return self.code

    @cached_property
    def totals(self) -> Mapping[str, int]:
        """``instructions``, ``loads``, ``stores`` of all runs together. Raises NotMeasurableError."""
        kinds = ("instructions", "loads", "stores")
        counted = self._counts()
        return {kind: sum(counts.total[kind] for counts in counted) for kind in kinds}

    @cached_property
    def profile(self) -> Profile:
        """Executions of every block, all runs together. Raises NotMeasurableError."""
        code = self.blocks
        counted = self._counts()
        for run in self.runs:
            if run.altered:
                raise NotMeasurableError(run.altered)
        found = profile(code, counted)
        if found.in_blocks + found.padding != found.inside:
            raise NotMeasurableError(
                f"the blocks' executions sum to {found.in_blocks + found.padding} instructions of the object, "
                f"and {found.inside} were counted"
            )
        return found

    def _counts(self) -> list[Counts]:
        counted = []
        for run in self.runs:
            if run.counts is None:
                raise NotMeasurableError(run.problem)
            counted.append(run.counts)
        return counted
