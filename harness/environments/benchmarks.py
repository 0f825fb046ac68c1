"""From names of benchmarks to frozen modules, for environments."""

from collections.abc import Sequence

from harness.base.errors import UsageError
from harness.base.progress import SilentObserver
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule, freeze
from harness.problems.programs.stages import fetch_sources
from harness.run.engines import InProcess
from harness.sandbox.bench import Bench
from harness.suite.load import Program, load_suite, suite_names

__all__ = ["frozen_of", "modules_of", "suite_of"]


def suite_of() -> dict[str, list[str]]:
    """Suite → names of its programs, of those that come with the harness."""
    return {name: [one.id.partition("/")[2] for one in load_suite(name).programs] for name in suite_names()}


def modules_of(names: str | Sequence[str], target: Target, level: Level, bench: Bench) -> dict[str, FrozenModule]:
    """Name (``cbench/qsort``) → module, of whole suites and of single benchmarks.

    Raises UsageError for a name that means nothing, and what freezing raises.
    """
    wanted = [names] if isinstance(names, str) else list(names)
    programs = {}
    for name in wanted:
        suite, _, benchmark = name.partition("/")
        found = [one for one in load_suite(suite).programs if benchmark in ("", one.id.partition("/")[2])]
        if not found:
            raise UsageError(f"suite {suite!r} has no benchmark {benchmark!r}")
        programs.update({one.id: one for one in found})
    if not programs:
        raise UsageError("no benchmark is named")
    frozen = frozen_of(list(programs.values()), target, level, bench)
    return dict(zip(programs, frozen, strict=True))


def frozen_of(programs: Sequence[Program], target: Target, level: Level, bench: Bench) -> list[FrozenModule]:
    """Modules of programs whose sources need not be there yet. Raises what fetching and freezing raise."""
    fetch_sources(list(programs), bench, InProcess(), SilentObserver())
    return [freeze(program, target, level, bench) for program in programs]
