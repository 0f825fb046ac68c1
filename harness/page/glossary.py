"""The glossary: ``docs/glossary.md`` as it is in the repository."""

import streamlit as st

from harness.base.paths import GLOSSARY

__all__ = ["render"]


def render() -> None:
    """Show the page."""
    st.markdown(GLOSSARY.read_text(encoding="utf-8"))
