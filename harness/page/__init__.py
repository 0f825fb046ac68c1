"""The leaderboard as a page: it shows what ``harness.rank`` answers, and the query behind each answer.

Not for computing: no figure is made here. streamlit, plotly and pandas are imported below this package
only, and nothing outside it imports it but ``app.py``.

Each page is one module with one ``render``, listed in ``site``. ``address`` keeps all state in the address
bar, ``asked`` turns it into a question, ``charts`` and ``tables`` turn answers into something to look at.
"""

from harness.page.site import pages

__all__ = ["pages"]
