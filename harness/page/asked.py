"""The question that a page answers: selectors in the sidebar, bound to the address bar."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from harness.base.formats import short
from harness.page import address
from harness.page.render import chooser
from harness.problems.protocol import Pages
from harness.problems.registry import benchmarks_of_track
from harness.rank.question import CLAIMED, Question, fingerprints, questions

if TYPE_CHECKING:
    import duckdb

__all__ = ["ask"]


def ask(index: "duckdb.DuckDBPyConnection") -> tuple[Pages, Question]:
    """The selectors, each with what rows exist of: the common ones, then those of the track's problem.

    Returns the question that they make, and what its problem says of pages. Raises UsageError when nothing is
    recorded, or nothing of what was chosen.
    """
    compilers = {short(llvm): version for llvm, version in fingerprints(index)}
    if not compilers:
        questions(index)  # raises, and says what to do
    st.sidebar.divider()
    place, below = st.sidebar.container(), st.sidebar.container()
    llvm = address.choose(
        below,
        "Compiler",
        "llvm",
        list(compilers),
        show=lambda digest: f"LLVM {compilers[digest]} ({digest})",
        explain="Version and fingerprint. Rows of different compilers are never ranked together.",
    )
    every = questions(index, llvm=llvm)
    suite = address.choose(place, "Suite", "suite", _distinct(q.suite for q in every))
    every = [q for q in every if q.suite == suite]
    track = address.choose(place, "Track", "track", _distinct(q.track for q in every))
    every = [q for q in every if q.track == track]
    target = address.choose(place, "Target", "target", _distinct(q.target for q in every))
    pages = benchmarks_of_track(track)[1].pages

    question = pages.ask(index, [q for q in every if q.target == target], chooser(place))
    question = replace(question, backing=address.chosen("backing") or CLAIMED)
    address.remember(pages.view_of(question))
    pages.require(index, question)
    return pages, question


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
