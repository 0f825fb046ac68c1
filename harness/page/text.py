"""Tables of running text: the lines wrap, and what a policy or a tool has said is shown as it is."""

from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

from harness.base.text import printable

__all__ = ["show_text"]

_STYLE = """<style>
.running-text { border-collapse: collapse; font-size: 0.875rem; }
.running-text th, .running-text td {
  border: 1px solid rgba(128, 128, 128, 0.3); padding: 0.25rem 0.6rem; text-align: left; vertical-align: top;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.running-text td:first-child { overflow-wrap: break-word; }
.running-text th { font-weight: 600; white-space: nowrap; }
</style>"""


def show_text(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table whose first line is ``heading``.

    HTML and not Markdown, which would make links of whatever looks like an address.
    """
    lines = [_line("th", heading), *(_line("td", row) for row in rows)]
    st.html(f"{_STYLE}<table class='running-text'>{''.join(lines)}</table>")


def _line(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(printable(cell))}</{tag}>' for cell in cells)}</tr>"
