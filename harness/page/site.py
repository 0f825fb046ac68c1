"""The pages there are, the menu, and what surrounds each page: errors are shown as messages."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

import streamlit as st

from harness.base.display import patience
from harness.base.errors import HarnessError, UsageError
from harness.base.formats import exactly, plain
from harness.base.paths import GLOSSARY, default_results
from harness.base.text import duration
from harness.page import address
from harness.record import open_index
from harness.record.backing import Backing, backings_of

if TYPE_CHECKING:
    import duckdb
    from streamlit.navigation.page import Page

__all__ = ["link", "opened_index", "pages"]

_STYLE = """<style>
.stMainBlockContainer { padding: 4rem 3rem 4rem; }
@media (max-width: 1400px) { .stMainBlockContainer { padding-left: 1.25rem; padding-right: 1.25rem; } }
[data-testid="stMetricValue"] { font-size: 1.75rem; }
[data-testid="stMetricValue"] *, [data-testid="stMetricLabel"] * {
  overflow: visible; overflow-wrap: anywhere; text-overflow: clip; white-space: normal; }
[data-testid="stSidebarHeader"] { height: 1rem; margin-bottom: 0; }
[data-testid="stSidebarUserContent"] hr { margin: 0.25rem 0; }
</style>"""
"""Less empty space than streamlit leaves: the tables are wide. Large figures and their names wrap: an ellipsis would
stand for the exponent of ``7.2e+08``."""

_TITLES = {
    "standings": "Standings",
    "program": "Programs",
    "compare": "Compare",
    "runs": "Runs",
    "corpus": "Corpus",
    "glossary": "Glossary",
}
"""Module of this package (and path of its address) → title. The first is the default."""


def pages() -> "list[Page]":
    """All pages, for ``st.navigation``. The first stands at the root, and at its own name too, where people look."""
    first = next(iter(_TITLES))
    also = st.Page(_framed(first), title=_TITLES[first], url_path=first)
    return [*(_page(name) for name in _names()), also]


def link(name: str, label: str, **parameters: str) -> None:
    """A link to another page that takes the question along, with ``parameters`` beside."""
    st.page_link(
        _page(name),
        label=plain(label),
        icon=":material/arrow_forward:",
        query_params={**address.carried(), **parameters},
    )


class _Bar:
    """Progress where the page will be."""

    def __init__(self) -> None:
        self._heading, self._place = st.empty(), st.empty()
        self._started, self._total, self._done = time.monotonic(), 0.0, 0.0

    def stage(self, name: str, total: float) -> None:
        """See ``Observer``."""
        self._total = total
        self._heading.subheader("Reading the recorded runs, which are new here", anchor=False)
        self._place.progress(0.0)

    def advance(self, weight: float, what: str) -> None:
        """See ``Observer``."""
        self._done += weight
        share = min(self._done / self._total, 1.0) if self._total else 1.0
        if share:
            left = (time.monotonic() - self._started) * (1 - share) / share
            self._place.progress(share, f"{duration(left)} left")

    def close(self) -> None:
        """Make room for the page."""
        self._heading.empty()
        self._place.empty()


def _open(backing: Backing) -> "duckdb.DuckDBPyConnection":
    with patience(_Bar) as observer:
        return open_index(default_results(), warn=False, backing=backing, observer=observer)


@contextmanager
def opened_index() -> "Iterator[duckdb.DuckDBPyConnection]":
    """The index of the results folder, read-only, for one rendering: of all runs, or of those that are chosen."""
    with _open(Backing.CLAIMED) as index:
        there = [one for one in Backing if one in backings_of(index)]
        if there in ([], [Backing.CLAIMED]):
            address.forget("backing")
            least = Backing.CLAIMED
        else:
            least = _least(there)
        if least is Backing.CLAIMED:
            yield index
            return
    with _open(least) as index:
        yield index


def _least(there: Sequence[Backing]) -> Backing:
    """What must stand behind the runs that are shown, as the reader chooses."""
    words = {
        Backing.OFFICIAL: "official: signed by a maintainer",
        Backing.REPRODUCED: "reproduced on another machine, or official",
        Backing.CLAIMED: "all, whoever recorded them",
    }
    options = list(dict.fromkeys([*there, Backing.CLAIMED]))
    chosen = address.choose(
        st.sidebar.container(),
        "Results",
        "backing",
        options,
        default=Backing.CLAIMED,
        show=lambda one: words[Backing(one)],
    )
    return Backing(chosen)


def _names() -> list[str]:
    return [name for name in _TITLES if name != "glossary" or GLOSSARY.is_file()]


def _page(name: str) -> "Page":
    # The module is imported when its page is shown: pages may link to one another through this one.
    default = name == next(iter(_TITLES))
    path = f"{name}-first" if default else name  # which is not shown: the default's is the root
    return st.Page(_framed(name), title=_TITLES[name], url_path=path, default=default)


def _framed(name: str) -> Callable[[], None]:
    def render() -> None:
        st.html(_STYLE)
        _menu(address.carried())
        try:
            import_module(f"harness.page.{name}").render()
        except HarnessError as error:
            _show_error(error)
        except OSError as error:
            _show_error(UsageError(error.strerror or str(error), where=error.filename))
        address.forget_change()

    return render


def _menu(question: Mapping[str, str]) -> None:
    with st.sidebar:
        st.markdown("**LLVM policy leaderboard**")
        for name in _names():
            st.page_link(_page(name), label=_TITLES[name], query_params=dict(question), width="stretch")


def _show_error(error: HarnessError) -> None:
    """What was wrong, where, and what to do; the text is shown as it is, not read as Markdown."""
    st.error(f"**{plain(error.message)}**")
    if error.where:
        st.code(error.where, language=None, wrap_lines=True)
    if error.hint:
        st.markdown("  \n".join(map(_commands, error.hint.splitlines())))


def _commands(hint: str) -> str:
    """As ``plain``, but what stands in backquotes, as commands do, is shown as code."""
    words = hint.split("`")
    return "".join(exactly(one) if at % 2 and one else plain(one) for at, one in enumerate(words))
