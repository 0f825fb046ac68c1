"""Building a corpus: every source's units, near-duplicates taken out, written. Resumes, since each source is cached.

Nothing depends on timing: sources are made in whatever order, and judged in one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.engine import Engine
from harness.base.errors import HarnessError, UsageError
from harness.base.progress import Observer
from harness.learn.corpus.compile import package_units
from harness.learn.corpus.digests import Pinned, difference, of_made
from harness.learn.corpus.duplicates import Judged, judged, known_of
from harness.learn.corpus.generated import GENERATORS, generated_units
from harness.learn.corpus.kept import Made
from harness.learn.corpus.mlgo import imported_units
from harness.learn.corpus.recipe import Recipe
from harness.learn.corpus.suites import suite_facts
from harness.learn.corpus.tables import Sourced
from harness.learn.corpus.written import About, Import, write_corpus
from harness.sandbox.bench import Bench
from harness.suite.load import Program

__all__ = ["Built", "Wanted", "build"]

_UNKNOWN_WEIGHT = 30.0
"""Of a source whose units nobody has counted."""


@dataclass(frozen=True)
class Wanted:
    """What a corpus is to be made of."""

    recipe: Recipe
    packages: tuple[str, ...]
    programs: tuple[Program, ...]
    """Of suites: nothing that they have is taken."""
    generated: tuple[str, ...] = ()
    """Generators."""
    imports: tuple[Import, ...] = ()
    offered: Path | None = None
    """A folder of tarballs in place of apt."""


@dataclass(frozen=True)
class Built:
    """What came of it."""

    about: About
    units: Sequence[Judged[Sourced]]
    failed: Mapping[str, HarnessError]
    """Sources that could not be had or made."""
    differences: Mapping[str, str]
    """Packages that are not what ``digests.json`` says."""
    pinned: Mapping[str, Pinned]
    """What it would have to say."""


@dataclass(frozen=True)
class _Task:
    name: str
    kind: str
    wanted: Wanted
    bench: Bench


def build(
    wanted: Wanted,
    folder: Path,
    digests: Mapping[str, Pinned],
    bench: Bench,
    engine: Engine,
    observer: Observer,
) -> Built:
    """Build the corpus and write it into the folder. ``digests``: what is recorded of packages.

    A source that fails is left out and told of; raises its error where nothing is left.
    """
    known = suite_facts(wanted.programs, bench, engine, observer)
    made, failed = _made(wanted, digests, bench, engine, observer)
    if not made:
        raise next(iter(failed.values()), UsageError("the corpus has no source", hint="name packages, or --generated"))
    units = list(judged(_ordered(wanted, made), known_of(known)))
    skipped = {name: _skipped(name, made[name], units) for name in made}
    if all(one.is_duplicate for one in units):
        why = "; ".join(f"{name}: {_counted(counts)}" for name, counts in skipped.items())
        left = f"no module is left for the corpus ({why})"
        raise UsageError(left, where=str(folder), hint="docs/corpus.md says what is skipped")
    about = write_corpus(
        folder,
        units,
        made,
        {name: facts.autophase for name, facts in known.items()},
        {
            "packages": tuple(name for name in wanted.packages if name in made),
            "generated": bool(wanted.generated),
            "imports": wanted.imports,
            "llvm": bench.toolchain.fingerprint.llvm,
            "skipped": skipped,
        },
    )
    pinned = {name: of_made(made[name]) for name in wanted.packages if name in made}
    return Built(about, units, failed, difference(pinned, digests), pinned)


def _made(
    wanted: Wanted, digests: Mapping[str, Pinned], bench: Bench, engine: Engine, observer: Observer
) -> tuple[dict[str, Made], dict[str, HarnessError]]:
    tasks = [
        *(_Task(name, "package", wanted, bench) for name in wanted.packages),
        *(_Task(name, "generator", wanted, bench) for name in wanted.generated),
        *(_Task(one.name, "import", wanted, bench) for one in wanted.imports),
    ]

    def weight(task: _Task) -> float:
        return float(digests[task.name].units) if task.name in digests else _UNKNOWN_WEIGHT

    observer.stage("units", sum(map(weight, tasks)))
    made: dict[str, Made] = {}
    failed: dict[str, HarnessError] = {}
    # Long ones first, so that no worker waits for the last.
    for done in engine.run(_units, sorted(tasks, key=weight, reverse=True)):
        if isinstance(done.error, HarnessError):
            failed[done.task.name] = done.error
        elif done.error is not None:
            raise done.error
        elif done.value is not None:
            made[done.task.name] = done.value
        observer.advance(weight(done.task), done.task.name)
    return made, failed


def _units(task: _Task) -> Made:
    wanted = task.wanted
    if task.kind == "package":
        return package_units(wanted.recipe, task.name, task.bench, wanted.offered)
    if task.kind == "generator":
        return generated_units(GENERATORS[task.name], task.bench)
    return imported_units(next(one for one in wanted.imports if one.name == task.name), task.bench)


def _ordered(wanted: Wanted, made: Mapping[str, Made]) -> Sequence[Sourced]:
    """Train before validation, so that nothing of validation is in train; packages before what others bring."""
    packages = wanted.recipe.packages
    sources = [
        *((name, "debian", packages[name].split, packages[name].licence) for name in sorted(wanted.packages)),
        *((one.name, "import", one.split, one.licence) for one in wanted.imports),
    ]
    sources.sort(key=lambda source: (source[2] == "validation", source[1] != "debian"))
    sources += [(name, "generated", "generated", GENERATORS[name].licence) for name in wanted.generated]
    return [
        Sourced(name, origin, split, licence, kept)
        for name, origin, split, licence in sources
        if name in made
        for kept in made[name].units
    ]


def _skipped(name: str, made: Made, units: Sequence[Judged[Sourced]]) -> dict[str, int]:
    duplicates = sum(one.is_duplicate for one in units if one.unit.source == name)
    return {**made.skipped, **({"duplicate": duplicates} if duplicates else {})}


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {why}" for why, count in counts.items()) or "none"
