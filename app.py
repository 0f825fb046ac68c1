"""The leaderboard in the browser: ``streamlit run app.py``, or ``harness serve``."""

import streamlit as st

from harness.page import pages

st.set_page_config(page_title="LLVM policy leaderboard", layout="wide")
st.navigation(pages(), position="hidden").run()
