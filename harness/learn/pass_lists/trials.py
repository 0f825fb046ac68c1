"""Trying lists of passes on one program."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from harness.apply import Compiled, compile_plan, require_repeatable
from harness.apply.plan import reference_plan
from harness.base.errors import CellError
from harness.freeze import FrozenModule, facts_of
from harness.problems.passes.actions import ActionTable
from harness.problems.passes.listed import decisions_of, plan_of_list
from harness.problems.passes.session import Line, Session, SessionLost, StepLimits
from harness.problems.programs.take import Made, require_right
from harness.sandbox.bench import Bench
from harness.toolchain.elf import allocated_bytes

__all__ = ["GOALS", "Actions", "Goal", "Trials"]

Actions = tuple[int, ...]
_LIMITS = StepLimits(seconds=10)


@dataclass(frozen=True)
class Goal:
    """What is to become small: a metric, as a session has it and as an object of stock LLVM has it."""

    in_session: Callable[[Line], int]
    of_object: Callable[[Compiled], int]


GOALS: Mapping[str, Goal] = {
    "size.alloc": Goal(lambda line: line.object_size().alloc, lambda compiled: allocated_bytes(compiled.object)),
    "ir.instructions": Goal(Line.count, lambda compiled: compiled.ir_instructions),
}
"""Metric → what is to become small."""


class Trials:
    """One program, and the size that each list gives: bytes of its object, or another goal. A context: a session is
    open in it.
    """

    def __init__(
        self, name: str, frozen: FrozenModule, table: ActionTable, bench: Bench, goal: str = "size.alloc"
    ) -> None:
        """``name``: of the program, for people. ``goal``: one of ``GOALS``."""
        self.name = name
        self._frozen, self._bench, self._goal = frozen, bench, GOALS[goal]
        self._pipelines = table.pipelines(facts_of(frozen.bitcode, bench))
        self._known: dict[Actions, int | None] = {}
        self._session: Session | None = None
        self.done = 0
        """Lists that were tried."""

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End the session."""
        self._close()

    def reference(self) -> int:
        """The size that clang -Oz gives."""
        plan = reference_plan(self._frozen.level, self._frozen.target)
        return self._goal.of_object(compile_plan(self._frozen, plan, self._bench))

    def size(self, actions: Sequence[int]) -> int | None:
        """The size after these actions; None where a pass crashes, hangs or takes all memory."""
        wanted = tuple(actions)
        if wanted not in self._known:
            self.done += 1
            self._known[wanted] = self._tried(wanted)
        return self._known[wanted]

    def autophase(self) -> list[int]:
        """The 56 counts of the module before any pass. Raises SessionLost."""
        line = self._open().line()
        found = [int(count) for count in line.autophase()]
        line.drop()
        return found

    def is_right(self, actions: Sequence[int]) -> bool:
        """Whether stock opt makes the same size of this list, whenever it is asked, and the program gives the right
        outputs, if it has some.

        A list of which that is not so has no size from then on.
        """
        frozen = self._frozen
        plan = plan_of_list(decisions_of(actions, self._pipelines, frozen), frozen.target)
        try:
            compiled = compile_plan(frozen, plan, self._bench)
            if frozen.program is not None:
                require_right(Made(frozen.program, frozen.target, frozen, plan, compiled), self._bench)
            if self._goal.of_object(compiled) == self.size(actions):
                require_repeatable(frozen, plan, self._bench)
                return True
        except CellError:
            pass
        self._known[tuple(actions)] = None
        return False

    def _tried(self, actions: Actions) -> int | None:
        try:
            line = self._open().line()
            if actions:
                line.apply(*actions)
            size = self._goal.in_session(line)
            line.drop()
        except SessionLost:
            self._close()
            return None
        return size

    def _open(self) -> Session:
        if self._session is None:
            frozen = self._frozen
            self._session = Session(frozen.bitcode, self._pipelines, self._bench, level=frozen.level, limits=_LIMITS)
        return self._session

    def _close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None
