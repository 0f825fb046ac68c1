"""The search as a picture: how it got better, and what each constant does to the score."""

import math
from collections.abc import Sequence
from pathlib import Path

from harness.policy.forms.parameters import Hyperparameter
from harness.policy.tuning.study import Trial

__all__ = ["write_plot"]

_COLUMNS = 3
_BLUE, _GREY, _RED = "#0072B2", "#B0B0B0", "#D55E00"


def write_plot(path: Path, title: str, trials: Sequence[Trial], parameters: Sequence[Hyperparameter]) -> None:
    """One HTML file that needs nothing else."""
    from plotly.subplots import make_subplots

    rows = 1 + math.ceil(len(parameters) / _COLUMNS)
    specs = [[{"colspan": _COLUMNS}, *[None] * (_COLUMNS - 1)], *[[{}] * _COLUMNS for _ in range(rows - 1)]]
    names = ["every trial, and the best so far", *(one.name for one in parameters)]
    figure = make_subplots(rows=rows, cols=_COLUMNS, specs=specs, subplot_titles=names, shared_yaxes=True)
    numbers = [trial.number for trial in trials]
    scores = [trial.score for trial in trials]
    best = [max(scores[: number + 1]) for number in range(len(scores))]
    top = max(trials, key=lambda trial: (trial.score, -trial.number))
    hover = ["<br>".join(f"{name} = {value:.6g}" for name, value in trial.values.items()) for trial in trials]
    dots = {"color": numbers, "colorscale": [[0, _GREY], [1, _BLUE]], "size": 6}
    figure.add_scatter(x=numbers, y=scores, mode="markers", marker=dots, text=hover, row=1, col=1, name="trial")
    figure.add_scatter(x=numbers, y=best, mode="lines", line={"color": _BLUE, "shape": "hv"}, row=1, col=1, name="best")
    for place, one in enumerate(parameters):
        row, column = 2 + place // _COLUMNS, 1 + place % _COLUMNS
        values = [trial.values[one.name] for trial in trials]
        figure.add_scatter(x=values, y=scores, mode="markers", marker=dots, text=hover, row=row, col=column)
        ring = {"color": _RED, "size": 12, "symbol": "circle-open", "line": {"width": 2}}
        figure.add_scatter(x=[top.values[one.name]], y=[top.score], mode="markers", marker=ring, row=row, col=column)
    figure.update_yaxes(range=_span(scores), tickformat=".3f")
    figure.update_layout(
        title={"text": f"{title}<br><sup>Oz/policy, geometric mean over the train split: above 1 is better; later "
               "trials are darker, the ring is the best</sup>"},
        showlegend=False, height=320 * rows, template="plotly_white", margin={"t": 110},
    )  # fmt: skip
    path.write_text(figure.to_html(include_plotlyjs=True, full_html=True), encoding="utf-8")


def _span(scores: Sequence[float]) -> list[float]:
    """The better nine tenths: a trial that went wrong would hide all others."""
    low = sorted(scores)[len(scores) // 10]
    high = max(scores)
    margin = max(high - low, 1e-4) * 0.08
    return [low - margin, high + margin]
