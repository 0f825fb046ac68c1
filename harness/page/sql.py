"""The query behind a table, for whoever wants to check or change it."""

import streamlit as st

__all__ = ["show_sql"]

_RUN_IT = (
    'python -c "from harness.base.paths import default_results; from harness.record import open_index; '
    "print(open_index(default_results()).sql(open('query.sql').read()))\""
)


def show_sql(query: str, *, command: str | None = None, remark: str | None = None) -> None:
    """An expander with the query. ``command`` prints the same table in a terminal."""
    with st.expander("SQL of this table"):
        if command:
            st.caption(f"The same table in a terminal: `{command}`.")
        if remark:
            st.caption(remark)
        st.code(query, language="sql", wrap_lines=True)
        st.caption(f"To run it, or one of your own, on the index: `{_RUN_IT}`")
