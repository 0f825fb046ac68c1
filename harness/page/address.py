"""The address bar is the only state: every view is a permalink, and a permalink gives that view.

A widget takes its value from its query parameter; changing it writes the parameter before the page is
run again. Nothing is written while a view is merely looked at, so that the back button works.
"""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from harness.base.formats import exactly
from harness.problems.registry import all_benchmarks

__all__ = ["carried", "choose", "chosen", "forget", "forget_change", "remember"]

_QUESTION = ("suite", "track", "target", "llvm", "backing")
"""The parameters of every question; problems have more."""

_VIEW = "address.view"
_CHANGED = "address.changed"


def choose(
    place: DeltaGenerator,
    label: str,
    name: str,
    options: Sequence[str],
    *,
    default: str | None = None,
    show: Callable[[str], str] = str,
    explain: str | None = None,
) -> str:
    """A selector bound to the query parameter ``name``; returns the chosen one of ``options``.

    A parameter that is none of them is replaced by ``default`` (or the first), and the page says so,
    unless it became invalid by a choice that was just made.
    """
    fallback = default if default is not None and default in options else options[0]
    wanted = st.query_params.get(name) or fallback
    value = wanted if wanted in options else fallback
    if value != wanted:
        if st.session_state.get(_CHANGED):
            st.query_params[name] = value
        else:
            st.warning(f"No results of {label.lower()} {exactly(wanted[:80])} here: {exactly(value)} is shown instead.")
    key = f"address.{name}"
    st.session_state[key] = value
    place.selectbox(label, options, key=key, format_func=show, help=explain, on_change=_changed, args=(name, key))
    return value


def chosen(name: str) -> str | None:
    """What the reader has chosen, if there is a choice."""
    value: str | None = st.session_state.get(f"address.{name}")
    return value


def forget(name: str) -> None:
    """There is no such choice here."""
    st.session_state.pop(f"address.{name}", None)


def _changed(name: str, key: str) -> None:
    """Write the whole view with the new choice, so that the address says all that is shown."""
    st.query_params.update({**st.session_state.get(_VIEW, {}), name: st.session_state[key]})
    st.session_state[_CHANGED] = True


def remember(view: Mapping[str, str]) -> None:
    """The parameters that say everything about what is now shown."""
    st.session_state[_VIEW] = dict(view)


def forget_change() -> None:
    """The page was run: a parameter that is invalid from now on came by the address."""
    st.session_state.pop(_CHANGED, None)


def carried() -> dict[str, str]:
    """The question's parameters as the address has them now: they go along from page to page."""
    names = [*_QUESTION, *(name for sort in all_benchmarks().values() for name in sort.pages.parameters)]
    return {name: st.query_params[name] for name in names if name in st.query_params}
