"""Options that a verb has for the sake of one problem: declared beside the problem, refused everywhere else."""

from dataclasses import dataclass
from typing import Any

__all__ = ["Option", "SuiteWord"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option, on the command line and of the Python door alike."""

    name: str
    """In Python."""
    help: str
    type: type = str
    """``bool``: a flag without a value."""
    default: Any = None
    """What it is where nobody gives it, for people: whoever reads the options knows it too."""
    flags: tuple[str, ...] = ()
    """On the command line; none: the name with dashes."""
    many: bool = False
    """It can be given several times, and its values be lists with commas."""
    low: float | None = None
    high: float | None = None
    """Of a number."""
    restricts: bool = False
    """Of standings: it asks for those of its own sort of benchmarks alone."""
    about: str = "Suites of programs"
    """What it says something about, as a heading."""

    @property
    def spelt(self) -> tuple[str, ...]:
        """As it is given on the command line."""
        return self.flags or (f"--{self.name.replace('_', '-')}",)


@dataclass(frozen=True, slots=True)
class SuiteWord:
    """One word of ``harness suites WORD NAME [BENCHMARK]…``, for its help."""

    help: str
    examples: tuple[str, ...] = ()
