"""Which sorts of benchmarks there are, and which options are whose: found in the folders of ``harness/problems``."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from harness.base.discovery import PROBLEMS, in_every_folder
from harness.base.errors import UsageError
from harness.base.options import Option, SuiteWord
from harness.base.own import suite_is_path

if TYPE_CHECKING:
    from harness.problems.protocol import Benchmarks

__all__ = [
    "SuiteWord",
    "all_benchmarks",
    "benchmarks_of",
    "benchmarks_of_track",
    "declared_options",
    "owners_of",
    "require_own",
    "restricting",
    "suite_called",
    "suite_words",
]


@cache
def all_benchmarks() -> "dict[str, Benchmarks]":
    """Folder → the sort of benchmarks that it has, for those that have one; programs, which are the rule, last."""
    found: dict[str, Benchmarks] = {}
    for module in in_every_folder(PROBLEMS, "problem"):
        if hasattr(module, "BENCHMARKS"):
            found[module.__name__.split(".")[-2]] = module.BENCHMARKS
    return dict(sorted(found.items(), key=lambda entry: entry[0] == _RULE))


_RULE = "programs"


def benchmarks_of(suite: str) -> "tuple[str, Benchmarks]":
    """Folder and sort of the benchmarks of a suite, which is given by name or path."""
    return next(((name, one) for name, one in all_benchmarks().items() if one.owns(suite)), _programs())


def suite_called(suite: str | None) -> str | None:
    """The name that results have of a suite, which is given by name or path. Raises UsageError where none is there."""
    if suite is None or not suite_is_path(suite):
        return suite
    return str(benchmarks_of(suite)[1].facts(suite)["name"])


def benchmarks_of_track(track: str) -> "tuple[str, Benchmarks]":
    """Folder and sort of the benchmarks of runs of this track. Raises UsageError where no problem declares it."""
    for name, one in all_benchmarks().items():
        if track in one.tracks:
            return name, one
    raise UsageError(f"no problem that is installed here declares track {track!r}")


def _programs() -> "tuple[str, Benchmarks]":
    return _RULE, all_benchmarks()[_RULE]


def declared_options(verb: str) -> dict[str, dict[str, Option]]:
    """Folder → its options for this verb, by name."""
    found: dict[str, dict[str, Option]] = {}
    for module in in_every_folder(PROBLEMS, "options"):
        options: Mapping[str, tuple[Option, ...]] = module.OPTIONS
        found[module.__name__.split(".")[-2]] = {option.name: option for option in options.get(verb, ())}
    return found


def suite_words() -> dict[str, SuiteWord]:
    """What can be asked of suites: the word of ``harness suites WORD`` → its help, as its first owner has it."""
    found: dict[str, SuiteWord] = {}
    for module in in_every_folder(PROBLEMS, "options"):
        words: Mapping[str, SuiteWord] = getattr(module, "SUITE_WORDS", {})
        found = {**words, **found}
    return dict(sorted(found.items()))


def owners_of(verb: str, name: str) -> set[str]:
    """The folders whose option this is."""
    return {owner for owner, options in declared_options(verb).items() if name in options}


def restricting(verb: str, name: str) -> bool:
    """Whether the option asks for one sort of benchmarks alone."""
    return any(options[name].restricts for options in declared_options(verb).values() if name in options)


def require_own(verb: str, given: Mapping[str, Any], folder: str, subject: str) -> None:
    """Raise UsageError for the first option that was given and means nothing here: none is ignored in silence.

    ``folder``: of the benchmarks that are meant. Folders without benchmarks of their own are about programs.
    """
    sorts = all_benchmarks()
    known = declared_options(verb)
    for name in given:
        own = [owner for owner, options in known.items() if name in options]
        if folder not in {owner if owner in sorts else _RULE for owner in own}:
            spelt = known[own[0]][name].spelt[0] if own else f"--{name.replace('_', '-')}"
            raise UsageError(f"{spelt} says nothing here: {subject} is a suite of {sorts[folder].called}")
