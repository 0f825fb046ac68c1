"""The corpus: what is in it, and how near its modules are to the programs of the suites."""

from pathlib import Path

import pandas as pd
import streamlit as st

from harness.learn.corpus.corpus import Corpus, load
from harness.learn.corpus.nearness import nearness
from harness.learn.corpus.plot import projection
from harness.learn.corpus.show import by_source, by_split, near_words
from harness.page.charts import CONFIG
from harness.page.table import show_table

__all__ = ["render"]

_HEADINGS = {
    "split": "split",
    "language": "language",
    "source": "source",
    "licence": "licence",
    "units": "units",
    "functions": "functions",
    "allocatable": "of 120–500 live ranges",
    "instructions": "IR instructions",
}
_NEAR = {"program": "program", "distance": "to the nearest unit", "unit": "which is", "other": "to the nearest program"}


def render() -> None:
    """Show the page."""
    corpus = _opened(str(load().folder), load().about.digest)
    splits = by_split(corpus)
    real = [one for one in splits if one["split"] != "generated"]
    total = {count: sum(one[count] for one in real) for count in ("units", "functions")}
    st.subheader("Corpus", anchor=False)
    st.markdown(
        f"{total['units']:,} translation units and {total['functions']:,} distinct functions to learn from. No suite "
        "has any of them. They are compiled and measured, and never run or ranked."
    )
    _table("splits", splits)
    st.markdown("  \n".join(near_words(nearness(corpus))))
    st.plotly_chart(
        projection(corpus),
        config=CONFIG,
        key="projection",
        alt="Units of the corpus and programs of the suites in a plane",
    )
    st.caption(
        "Each point is a module: its Autophase features divided by its instructions, and the logarithm of these, "
        "scaled by their spread over the corpus and projected on the two directions in which it varies most."
    )
    near = pd.DataFrame([[one.program, one.distance, one.unit, one.other] for one in nearness(corpus)])
    near.columns = pd.Index(list(_NEAR.values()))
    config = st.column_config
    distances = {_NEAR[name]: config.NumberColumn(_NEAR[name], format="%.2f") for name in ("distance", "other")}
    show_table(near, "near", distances)
    with st.expander("Packages"):
        _table("sources", by_source(corpus))


@st.cache_resource(max_entries=2, show_spinner=False)
def _opened(folder: str, _digest: str) -> Corpus:
    """Tables are read once as long as nothing is built anew."""
    return load(Path(folder))


def _table(key: str, records: list[dict[str, object]]) -> None:
    frame = pd.DataFrame(records).rename(columns=_HEADINGS)
    numbers = [heading for heading in frame if pd.api.types.is_numeric_dtype(frame[heading])]
    show_table(
        frame, key, {str(name): st.column_config.NumberColumn(str(name), format="localized") for name in numbers}
    )
