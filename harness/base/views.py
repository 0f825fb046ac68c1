"""What a page shows, before anything draws it: frozen values that a problem gives and ``harness.page`` renders."""

import shlex
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol
from urllib.parse import urlencode

__all__ = [
    "Axis",
    "Bars",
    "Choose",
    "Code",
    "Figure",
    "Figures",
    "Folded",
    "Grid",
    "GridColumn",
    "Heading",
    "Level",
    "Link",
    "Links",
    "Part",
    "Parts",
    "Query",
    "Series",
    "Steps",
    "Text",
    "TextTable",
    "command_options",
    "permalink",
]

Colour = Literal["submission", "baseline", "better", "worse", "failed", "line", "open"]
"""What a colour means; the page knows how it looks."""


class Choose(Protocol):
    """Asks the reader to choose, by a selector that the page draws and keeps in its address."""

    def __call__(
        self,
        label: str,
        name: str,
        options: Sequence[str],
        *,
        default: str | None = None,
        show: Callable[[str], str] = str,
        explain: str | None = None,
        aside: bool = True,
    ) -> str:
        """The chosen one of ``options``; ``default`` or the first where the reader has chosen none.

        ``name``: the parameter of the address. ``aside``: beside the page, not between its parts.
        """


@dataclass(frozen=True, slots=True)
class Heading:
    """Of a part of the page."""

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """Markdown: what others have written goes through ``harness.base.formats.plain`` before."""

    markdown: str
    style: Literal["markdown", "caption", "info", "warning"] = "markdown"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number, large, under its name."""

    label: str
    value: str
    explain: str | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """Side by side."""

    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class GridColumn:
    """A column of a table that can be sorted. None among its values: absent."""

    heading: str
    values: tuple[object, ...]
    width: int
    """In pixels."""
    number: str = ""
    """How numbers are printed (``%.4f``); none: the values are texts."""
    right: bool = False
    explain: str | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. ``key``: its name on the page."""

    key: str
    columns: tuple[GridColumn, ...]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of running text, which is shown as it is."""

    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Link:
    """To another page, with the question and these parameters."""

    page: str
    label: str
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Links:
    """Side by side."""

    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """The SQL behind a table, the command that prints the same in a terminal, and what is to be known of it."""

    sql: str
    command: str
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class Code:
    """To be copied."""

    text: str
    language: Literal["bash", "sql"]


@dataclass(frozen=True, slots=True)
class Folded:
    """Parts behind a label, for whoever wants them."""

    label: str
    parts: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one colour. Of bars, ``x`` has the values and ``y`` the names."""

    name: str
    x: tuple[float | str, ...]
    y: tuple[float | str, ...]
    hover: tuple[str, ...]
    """What is said at each point, in Plotly's HTML."""
    colour: Colour | None = None
    """None: one that no other series of the chart has."""
    labels: tuple[str, ...] = ()
    """Beside the bars."""
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    """Ends of the values' intervals."""
    filled: bool = True
    """Bars: not hatched. Steps: down to zero, without marks at the moments."""


@dataclass(frozen=True, slots=True)
class Level:
    """A line across the chart at a value."""

    at: float
    label: str = ""
    colour: Colour = "line"
    dash: Literal["solid", "dash", "dot"] = "dash"
    width: float = 1.2
    above: bool = True
    """Where its label stands."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Of values."""

    title: str
    logarithmic: bool = False
    end: float | None = None
    """The highest value shown, where it is not the data's."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Lying bars, one for each name, the first on top."""

    key: str
    alt: str
    names: tuple[str, ...]
    series: tuple[Series, ...]
    values: Axis
    levels: tuple[Level, ...] = ()


@dataclass(frozen=True, slots=True)
class Steps:
    """Values that change at moments. Levels are of the values."""

    key: str
    alt: str
    series: tuple[Series, ...]
    x: Axis
    y: Axis
    levels: tuple[Level, ...] = ()


Part = Heading | Text | Figures | Grid | TextTable | Links | Query | Folded | Bars | Steps
Parts = Iterator[Part]
"""From top to bottom. Each is drawn before the next is asked for: a choice between two stands between them."""


def permalink(view: Mapping[str, str]) -> str:
    """The address of a view of the page that it stands on, as Markdown. ``view``: its parameters."""
    return f"[permalink](?{urlencode(view)})"


def command_options(view: Mapping[str, str], *, without: Container[str] = ()) -> str:
    """The options that ask the same question on the command line; ``without`` those that a verb lacks."""
    return " ".join(
        f"--{name.replace('_', '-')} {shlex.quote(value)}" for name, value in view.items() if name not in without
    )
