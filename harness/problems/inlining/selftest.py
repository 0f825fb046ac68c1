"""Whether LLVM's own heuristic, through the inlining plugin, gives plain clang's objects: on whole suites."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from harness.base.answers import Answer, Column, Table
from harness.base.engine import Engine, stage
from harness.base.errors import CellError
from harness.base.progress import Observer
from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.problems.inlining.check import default_decisions, is_faithful
from harness.problems.inlining.sites import Who, counts
from harness.problems.programs.stages import fetch_sources, freeze_modules
from harness.problems.verbs import Context
from harness.sandbox.bench import Bench
from harness.suite.load import Program, choose, load_suite

__all__ = ["Checked", "check_modules", "selftest"]

_COLUMNS = (
    Column("benchmark", "benchmark"),
    Column("target", "target"),
    Column("level", "level"),
    Column("instructions", "instructions", "{:,}".format, right=True),
    Column("decisions", "decisions", "{:,}".format, right=True),
    Column("capped", "capped", "{:,}".format, right=True),
    Column("object", "verdict"),
)
_USUAL = ("cbench", "spec-like/sphinx")
"""What is checked unless suites are named: every kind of program, and one above 100,000 instructions."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One module."""

    benchmark: str
    target: str
    level: str
    instructions: int
    """Of the module as frozen."""
    decisions: int
    """Call sites that LLVM's heuristic decided."""
    capped: int
    """Call sites that the growth cap decided: there the plugin cannot be like clang, which has none."""
    equal: bool
    detail: str = ""


def check_modules(
    programs: Sequence[Program], targets: Sequence[Target], levels: Sequence[Level], bench: Bench, engine: Engine,
    observer: Observer,
) -> list[Checked]:  # fmt: skip
    """Every program, target and level, in this order. Raises what keeps a program from being frozen."""
    modules = [(program, target, level) for program in programs for target in targets for level in levels]
    fetch_sources(programs, bench, engine, observer)
    freeze_modules(modules, bench, engine, observer)
    checked = stage("plugin", partial(_check, bench=bench), modules, engine, observer, _name)
    found = {_name(module): answer for module, answer in checked}
    return [found[_name(module)] for module in modules]


def _name(module: tuple[Program, Target, Level]) -> str:
    program, target, level = module
    return f"{program.id} {target.value} -{level.value}"


def _check(module: tuple[Program, Target, Level], bench: Bench) -> Checked:
    program, target, level = module
    frozen = freeze(program, target, level, bench)
    where = (program.id, target.value, level.value, frozen.instructions)
    try:
        decided = counts(default_decisions(frozen, bench).body)
        return Checked(*where, decided[Who.POLICY], decided[Who.CAP], is_faithful(frozen, bench))
    except CellError as error:
        return Checked(*where, 0, 0, False, f"{error.outcome.value}: {error.message}")


def selftest(context: Context, suites: list[str]) -> Answer:
    """Compare the inlining plugin, with LLVM's own heuristic in it, with plain clang. Failed where they differ."""
    programs = [program for name in suites or _USUAL for program in _programs(name)]
    levels = (Level.OZ, Level.O3)
    found = check_modules(programs, tuple(Target), levels, context.bench(), context.engine, context.observer)
    rows = [asdict(one) | {"verdict": "equal" if one.equal else one.detail or "DIFFERS"} for one in found]
    differing = [one for one in found if not one.equal]
    note = f"{len(found) - len(differing)} of {len(found)} objects are plain clang's"
    return Answer((Table(rows, _COLUMNS),), notes=(note,), failed=bool(differing))


def _programs(name: str) -> tuple[Program, ...]:
    suite, _, benchmark = name.rpartition("/")
    if not suite or Path(name).expanduser().exists():  # a name, or a path
        suite, benchmark = name, ""
    return choose(load_suite(suite), [benchmark] if benchmark else [])
