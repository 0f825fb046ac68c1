"""Verbs of the command line that a problem brings: ``verbs.py`` of its folder declares them.

That module is imported with the command line, for help's sake: what takes time to import, its functions import.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from harness.base.answers import Answer
from harness.base.discovery import PROBLEMS, in_every_folder

if TYPE_CHECKING:
    from harness.base.engine import Engine
    from harness.base.progress import Observer
    from harness.sandbox.bench import Bench

__all__ = [
    *("ANY", "Asked", "Context", "Explainer", "Export", "SelfTest", "Verb", "explainer_of", "exports", "selftests"),
    "verbs",
]

ANY = "*"
"""Among explainers: of policies whose problem has none of its own."""


class Context(Protocol):
    """What a verb works with."""

    @property
    def engine(self) -> "Engine":
        """Where its work runs."""

    @property
    def observer(self) -> "Observer":
        """Who is shown its progress."""

    def bench(self, compile_timeout: float = 60.0) -> "Bench":
        """A workbench, opened now. Raises PrerequisiteError."""


@dataclass(frozen=True, slots=True)
class Verb:
    """One word of the command line."""

    run: Callable[..., Answer]
    """Its first parameter, ``context``, is a ``Context``; the others are annotated for typer. Its docstring is help."""
    jobs: bool = True
    """Whether it has ``--jobs``."""
    trust: bool = True
    """Whether it has ``--trust``."""
    tables: bool = True
    """Whether it prints tables, and so has ``--json`` and ``--csv``."""
    kept: str = ""
    """What an interruption leaves, for people; empty: nothing to say."""
    examples: tuple[str, ...] = ()
    """Whole commands, for help."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What ``harness explain`` is asked."""

    policy: str
    benchmark: str
    """SUITE/BENCHMARK."""
    target: str
    track: str
    against: str | None
    """Another policy; None: the usual one."""
    plot: Path | None
    """HTML file to draw into."""
    prune: bool
    """Whether decisions without which the object is the same are to be left out."""
    rows: int | None
    """Of each table, for people; None: all."""


Explainer = Callable[[Context, Asked], Answer]
"""Raises UsageError for an option that means nothing to it."""
SelfTest = Callable[[Context, list[str]], Answer]
"""Of the suites or programs that are named; the usual ones where none is."""
Export = Callable[[Path, str | None, Path], Answer]
"""Into a file, of a suite or of all, from a folder of results."""


def verbs() -> Mapping[str, Verb]:
    """Word → verb."""
    return _declared("VERBS")


def explainer_of(problem: str) -> Explainer:
    """What explains policies of this problem."""
    found: dict[str, Explainer] = _declared("EXPLAINERS")
    return found.get(problem, found[ANY])


def selftests() -> Mapping[str, SelfTest]:
    """What ``harness selftest WORD`` can be asked for."""
    return _declared("SELFTESTS")


def exports() -> Mapping[str, Export]:
    """A file's ending, with its dot → what is written into it."""
    return _declared("EXPORTS")


def _declared(name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for module in in_every_folder(PROBLEMS, "verbs"):
        found |= getattr(module, name, {})
    return found
