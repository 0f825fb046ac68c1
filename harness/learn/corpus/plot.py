"""The projection of a corpus as a figure of Plotly's. Pure: a corpus in, a figure out."""

from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.extras import require
from harness.learn.corpus.corpus import Corpus
from harness.learn.corpus.nearness import projected

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["projection", "write_projection"]

_COLOURS = {"train": "#56B4E9", "validation": "#E69F00", "generated": "#999999", "suites": "#D55E00"}
"""Of Okabe and Ito."""
_FAR = 0.995
"""Share of the units that the axes show at first: a few are far away from all others."""


def projection(corpus: Corpus) -> "go.Figure":
    """Units as small points, the programs of the suites as named ones. Raises PrerequisiteError without Plotly."""
    require("plotly")
    import numpy as np
    import plotly.graph_objects as go

    found = projected(corpus)
    splits, names = corpus.units["split"].to_numpy(), corpus.units["name"].to_numpy()
    figure = go.Figure()
    for split in ("train", "validation", "generated"):
        here = splits == split
        if here.any():
            figure.add_scattergl(
                name=f"{split} ({int(here.sum()):,})",
                x=found.units[here, 0],
                y=found.units[here, 1],
                mode="markers",
                marker={"size": 4, "color": _COLOURS[split], "opacity": 0.55},
                text=names[here],
                hovertemplate="%{text}<extra></extra>",
            )
    if len(found.programs):
        figure.add_scatter(
            name=f"programs of the suites ({len(found.programs)})",
            x=found.programs[:, 0],
            y=found.programs[:, 1],
            mode="markers+text",
            marker={"size": 8, "color": _COLOURS["suites"], "symbol": "diamond"},
            text=[name.partition("/")[2] for name in corpus.suites],
            textposition="top center",
            textfont={"size": 9},
            hovertext=list(corpus.suites),
            hovertemplate="%{hovertext}<extra></extra>",
        )
    every = np.concatenate([found.units, found.programs])
    for axis, values, share, update in zip(
        ("first", "second"), every.T, found.share, (figure.update_xaxes, figure.update_yaxes), strict=True
    ):
        low, high = np.quantile(values, [1 - _FAR, _FAR])
        margin = 0.08 * (high - low) + 1e-9
        update(
            title_text=f"{axis} principal component ({share:.0%} of the variance)",
            range=[min(low, found.programs[:, 0 if axis == "first" else 1].min(initial=low)) - margin, high + margin],
        )
    figure.update_layout(
        height=640,
        margin={"l": 10, "r": 10, "t": 30, "b": 10},
        legend={"orientation": "h", "y": 1.06},
        hovermode="closest",
    )
    return figure


def write_projection(corpus: Corpus, file: Path) -> None:
    """The figure as a page that needs nothing else."""
    projection(corpus).write_html(file, include_plotlyjs=True)
