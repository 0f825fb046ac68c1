"""Whether what LLVM decides itself, through a plugin of ours, gives plain clang's objects: on whole suites."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from harness.base.answers import Answer, Column, Table
from harness.base.engine import stage
from harness.base.errors import CellError
from harness.base.paths import at_home
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule, freeze
from harness.problems.programs.stages import fetch_sources, freeze_modules
from harness.problems.verbs import Context
from harness.sandbox.bench import Bench
from harness.suite.load import Program, choose, load_suite

__all__ = ["USUAL", "Checked", "Judge", "selftest"]

USUAL = ("cbench", "spec-like/sphinx")
"""What is checked unless suites are named: every kind of program, and one above 100,000 instructions."""

Module = tuple[Program, Target, Level]


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found on one module."""

    equal: bool
    """Whether the object is plain clang's."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """What else is worth knowing: of the problem's own columns."""


Judge = Callable[[FrozenModule, Bench], Checked]
"""May raise CellError."""


def selftest(context: Context, suites: Sequence[str], levels: Sequence[Level], judge: Judge, counted: str) -> Answer:
    """Judge every module of the suites, or of the usual ones, on both targets. Failed where objects differ.

    ``counted``: the problem's own columns, with blanks between them.
    """
    programs = [program for name in suites or USUAL for program in _programs(name)]
    modules = [(program, target, level) for program in programs for target in Target for level in levels]
    bench = context.bench()
    fetch_sources(programs, bench, context.engine, context.observer)
    freeze_modules(modules, bench, context.engine, context.observer)
    checked = stage("plugin", partial(_row, judge=judge, bench=bench), modules, context.engine, context.observer, _name)
    found = {_name(module): row for module, row in checked}
    rows = [found[_name(module)] for module in modules]
    differing = sum(not row["equal"] for row in rows)
    columns = (
        *(Column(name, name) for name in ("benchmark", "target", "level")),
        *(Column(name, name, "{:,}".format, right=True) for name in ("instructions", *counted.split())),
        Column("object", "verdict"),
    )
    note = f"{len(rows) - differing} of {len(rows)} objects are plain clang's"
    return Answer((Table(rows, columns),), notes=(note,), failed=bool(differing))


def _name(module: Module) -> str:
    program, target, level = module
    return f"{program.id} {target.value} -{level.value}"


def _row(module: Module, judge: Judge, bench: Bench) -> dict[str, object]:
    program, target, level = module
    frozen = freeze(program, target, level, bench)
    row: dict[str, object] = {"benchmark": program.id, "target": target.value, "level": level.value}
    row["instructions"] = frozen.instructions
    try:
        checked = judge(frozen, bench)
    except CellError as error:
        return row | {"equal": False, "verdict": f"{error.outcome.value}: {error.message}"}
    return {**row, **checked.counts, "equal": checked.equal, "verdict": "equal" if checked.equal else "DIFFERS"}


def _programs(name: str) -> tuple[Program, ...]:
    suite, _, benchmark = name.rpartition("/")
    if not suite or at_home(name).exists():  # a name, or a path
        suite, benchmark = name, ""
    return choose(load_suite(suite), [benchmark] if benchmark else [])
