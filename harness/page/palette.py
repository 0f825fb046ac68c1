"""Colours that everyone can tell apart (Okabe and Ito, 2008), as they read best on light and on dark."""

from dataclasses import dataclass

import streamlit as st

__all__ = ["Palette", "palette"]


@dataclass(frozen=True)
class Palette:
    """Colours by what they mean."""

    submission: str
    baseline: str
    better: str
    worse: str
    failed: str
    line: str
    """Reference lines, and what is equal."""
    open: str
    """What is not told apart."""


_LIGHT = Palette("#0072B2", "#E69F00", "#0072B2", "#D55E00", "#7F7F7F", "#4D4D4D", "#B0B0B0")
_DARK = Palette("#56B4E9", "#E69F00", "#56B4E9", "#D55E00", "#A6A6A6", "#BFBFBF", "#707070")


def palette() -> Palette:
    """The palette of the theme that the reader has chosen."""
    return _DARK if st.context.theme.type == "dark" else _LIGHT
