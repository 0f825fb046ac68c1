"""How a policy learnt: what its training took, and its learning curve."""

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from harness.base.formats import plain, ratio, short
from harness.page.charts import CONFIG, lay_out
from harness.page.palette import Palette, palette
from harness.policy.curve import Point, read_curve
from harness.policy.manifest import Training
from harness.policy.policy import Policy

__all__ = ["curve_figure", "show_training", "training_words"]

_HEIGHT = 220


def show_training(policy: Policy) -> None:
    """What its manifest says of it; nothing where it says nothing."""
    training = policy.manifest.training
    if training is None:
        return
    st.caption(plain(training_words(training)))
    if training.curve is not None and (points := read_curve(policy.folder, training.curve)):
        name = policy.manifest.name
        st.plotly_chart(curve_figure(points, palette()), config=CONFIG, key="curve", alt=f"How {name} learnt")


def training_words(training: Training) -> str:
    """In a line."""
    told = [
        f"{training.compilations:,} compilations" if training.compilations is not None else "",
        f"{training.cpu_hours:g} CPU hours" if training.cpu_hours is not None else "",
        f"corpus {short(training.corpus)}" if training.corpus is not None else "",
        f"seed {training.seed}" if training.seed is not None else "",
    ]
    return " · ".join(["learnt, by its own word", *filter(None, told)])


def curve_figure(points: Sequence[Point], colours: Palette) -> go.Figure:
    """Gain over LLVM's heuristic after so many compilations, on the modules it learnt from and on others."""
    figure = go.Figure()
    judged = [(one, one.validation) for one in points if one.validation is not None]
    for name, xs, ys, colour, mode in (
        ("modules it learns from", points, [one.train for one in points], colours.open, "lines"),
        ("others", [one for one, _ in judged], [value for _, value in judged], colours.submission, "lines+markers"),
    ):
        figure.add_scatter(
            x=[one.compilations for one in xs],
            y=ys,
            name=name,
            mode=mode,
            line={"color": colour},
            customdata=[[one.step, one.cpu / 3600, ratio(y)] for one, y in zip(xs, ys, strict=True)],
            hovertemplate="step %{customdata[0]}, %{x:,} compilations, %{customdata[1]:.2f} CPU h: %{customdata[2]}",
        )
    figure.add_hline(y=1, line={"color": colours.line, "width": 1})
    figure.update_xaxes(title_text="compilations of modules")
    lay_out(figure, _HEIGHT)
    figure.update_yaxes(title_text="LLVM's bytes / its bytes", tickformat=".3f")
    return figure
