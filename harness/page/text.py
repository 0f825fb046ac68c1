"""Tables of running text: the lines wrap, and what a policy or a tool has said is shown as it is."""

from collections.abc import Iterable, Sequence

import streamlit as st

from harness.page.formats import plain

__all__ = ["show_text"]


def show_text(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table whose first row is ``heading``."""
    st.markdown("\n".join([_line(heading), f"|{'---|' * len(heading)}", *map(_line, rows)]))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(plain(' '.join(cell.split())) for cell in cells)} |"
