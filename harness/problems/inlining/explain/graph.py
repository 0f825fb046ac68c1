"""The call graph as a picture: which functions won and lost bytes, and which calls were decided otherwise."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from harness.problems.inlining.explain.explain import Explanation
from harness.problems.inlining.explain.layers import places
from harness.problems.inlining.explain.sites import Met, Pair, symbol

__all__ = ["MOST", "graph_figure", "write_page"]

MOST = 60
"""Functions that are drawn, at most: more could not be read."""
_SMALLER, _LARGER, _EQUAL = "#0072B2", "#D55E00", "#D9D9D9"
"""As on the pages: colours that everyone can tell apart (Okabe and Ito, 2008)."""
_ONLY_POLICY, _ONLY_OTHER = "#009E73", "#CC79A7"
_WIDE, _NARROW, _ROW = 235, 165, 27
"""Pixels between layers, of few and of many, and between functions of a layer."""
_BROAD = 1500
"""Pixels that layers share before they are narrow."""
_FRAME = 190
_LETTER = 7.0
"""Pixels of a letter of a function's name, and some room."""
_SMALLEST, _LARGEST = 8.0, 24.0
"""Diameters in pixels."""


@dataclass(frozen=True, slots=True)
class _Node:
    name: str
    written: str
    before: int | None
    after: int | None
    x: float
    y: float

    @property
    def delta(self) -> int:
        return (self.after or 0) - (self.before or 0)

    @property
    def symbol(self) -> str:
        return "x" if self.after is None else "diamond" if self.before is None else "circle"


def graph_figure(found: Explanation, title: str, written: Mapping[str, str]) -> go.Figure:
    """Nodes are functions, as large as their bytes and coloured by what they won or lost; lines are the call sites that
    were inlined under one of the two only. The ``MOST`` most telling functions; pure.

    ``written``: symbol → name for people, where they differ.
    """
    differing = [pair for pair in found.sites if pair.met is Met.DIFFERS]
    names = _chosen(found, differing)
    calls = [_ends(pair) for pair in found.pairs or ()]
    shown = [(caller, callee) for caller, callee in dict.fromkeys(calls) if {caller, callee} <= set(names)]
    place = places(names, shown)
    layers = 1 + max((layer for layer, _ in place.values()), default=0)
    column = max(_NARROW, min(_WIDE, _BROAD // layers))
    rows = 1 + 2 * max((abs(height) for _, height in place.values()), default=0)
    nodes = {name: _node(found, name, written.get(name, name), *place[name], layers) for name in names}
    figure = go.Figure()
    _add_calls(figure, nodes, differing, found)
    _add_nodes(figure, list(nodes.values()), found, round((column - 20) / _LETTER))
    hidden = len(found.bytes.functions) - sum(row.name in nodes for row in found.bytes.functions)
    note = f"{len(names)} functions" + (f"; {hidden} that changed less are not drawn" if hidden else "")
    before, after = found.bytes.before.alloc, found.bytes.after.alloc
    figure.update_layout(
        title={
            "text": f"<b>{title}</b><br><sup>size.alloc {before:,} → {after:,} bytes ({after - before:+,}). "
            f"Callers stand left of what they call; {note}.</sup>",
            "x": 0.01,
        },
        template="plotly_white",
        width=max(1000, column * layers + 190),
        height=max(460, round(_ROW * rows) + _FRAME),
        margin={"l": 24, "r": 24, "t": 118, "b": 24},
        legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "itemsizing": "constant"},
        hoverlabel={"align": "left"},
    )
    figure.update_xaxes(visible=False, range=[-0.25, layers - 0.05])
    figure.update_yaxes(visible=False, range=[(rows + 1) / 2, -(rows + 1) / 2])
    return figure


def write_page(figure: go.Figure, path: Path) -> None:
    """The figure as one file of HTML that needs nothing else; the same bytes for the same figure."""
    text = figure.to_html(include_plotlyjs=True, full_html=True, div_id="graph", config={"displaylogo": False})
    path.write_text(text, encoding="utf-8")


def _chosen(found: Explanation, differing: Sequence[Pair]) -> list[str]:
    """The most telling functions: by bytes that moved, then by calls that were decided otherwise."""
    touched = Counter(name for pair in differing for name in dict.fromkeys(_ends(pair)))
    names = dict.fromkeys([*(row.name for row in found.bytes.functions), *touched])
    return sorted(names, key=lambda name: (-abs(found.bytes.moved[name]), -touched[name], name))[:MOST]


def _ends(pair: Pair) -> tuple[str, str]:
    return symbol(pair.site.caller), symbol(pair.site.callee)


def _node(found: Explanation, name: str, written: str, layer: int, height: float, layers: int) -> _Node:
    # Every other layer is half a row lower: names of neighbouring layers do not run into one another.
    shift = 0.25 if layers > 1 and layer % 2 else -0.25 if layers > 1 else 0
    before, after = (layout.functions.get(name) for layout in (found.bytes.before, found.bytes.after))
    return _Node(name, written, before, after, layer, height + shift)


def _add_calls(figure: go.Figure, nodes: dict[str, _Node], differing: Sequence[Pair], found: Explanation) -> None:
    groups = (
        (f"inlined only by {found.policy.name}", _ONLY_POLICY, 0.16, True),
        (f"inlined only by {found.against.name}", _ONLY_OTHER, -0.16, False),
    )
    for name, colour, bend, by_policy in groups:
        mine = [pair for pair in differing if pair.b is not None and pair.b.inline is by_policy]
        count = Counter(ends for pair in mine if (ends := _ends(pair))[0] in nodes and ends[1] in nodes)
        if not count:
            continue
        for times in sorted(set(map(_width, count.values()))):  # a line's width is its trace's
            points = [
                point
                for (caller, callee), sites in count.items()
                if _width(sites) == times
                for point in (*_curve(nodes[caller], nodes[callee], bend), (None, None))
            ]
            x, y = zip(*points, strict=True)
            figure.add_scatter(
                x=x, y=y, mode="lines", line={"color": colour, "width": times}, opacity=0.65, hoverinfo="skip",
                legendgroup=name, showlegend=False,
            )  # fmt: skip
        middles = [_curve(nodes[caller], nodes[callee], bend)[_STEPS // 2] for caller, callee in count]
        figure.add_scatter(
            x=[across for across, _ in middles],
            y=[down for _, down in middles],
            mode="markers",
            marker={"color": colour, "size": 5, "symbol": "circle"},
            customdata=[
                f"{_escaped(nodes[callee].written)} in {_escaped(nodes[caller].written)}: "
                f"{sites} call site{'s' if sites > 1 else ''} {name}"
                for (caller, callee), sites in count.items()
            ],
            hovertemplate="%{customdata}<extra></extra>",
            legendgroup=name,
            showlegend=False,
        )
        _add_key(figure, name, {"mode": "lines", "line": {"color": colour, "width": 4}, "legendgroup": name})


_STEPS = 12


def _curve(caller: _Node, callee: _Node, bend: float) -> list[tuple[float, float]]:
    """A quadratic Bézier curve from one to the other; a function's call of itself is a loop above it."""
    if caller.name == callee.name:
        turns = [2 * math.pi * step / _STEPS for step in range(_STEPS + 1)]
        return [(caller.x + 0.07 * math.sin(turn), caller.y - 0.4 + 0.4 * math.cos(turn)) for turn in turns]
    middle_x = (caller.x + callee.x) / 2 - bend * (callee.y - caller.y) * 0.04
    middle_y = (caller.y + callee.y) / 2 + bend * (callee.x - caller.x) * 4
    shares = [step / _STEPS for step in range(_STEPS + 1)]
    return [
        (
            (1 - t) ** 2 * caller.x + 2 * t * (1 - t) * middle_x + t**2 * callee.x,
            (1 - t) ** 2 * caller.y + 2 * t * (1 - t) * middle_y + t**2 * callee.y,
        )
        for t in shares
    ]


def _width(sites: int) -> float:
    return 1.2 if sites == 1 else 2.4 if sites < 4 else 4.0


def _add_nodes(figure: go.Figure, nodes: Sequence[_Node], found: Explanation, letters: int) -> None:
    most = max((abs(node.delta) for node in nodes), default=0) or 1
    largest = max((max(node.before or 0, node.after or 0) for node in nodes), default=0) or 1
    figure.add_scatter(
        x=[node.x for node in nodes],
        y=[node.y for node in nodes],
        mode="markers",
        showlegend=False,
        marker={
            "size": [_diameter(max(node.before or 0, node.after or 0), largest) for node in nodes],
            "symbol": [node.symbol for node in nodes],
            "color": [_tint(node.delta) for node in nodes],
            "cmin": -_tint(most),
            "cmax": _tint(most),
            "colorscale": [[0, _SMALLER], [0.5, _EQUAL], [1, _LARGER]],
            "line": {"color": "#333333", "width": 1},
            "opacity": 1,
            "colorbar": _scale(most),
        },
        customdata=[_hover(node, found) for node in nodes],
        hovertemplate="%{customdata}<extra></extra>",
    )
    for node in nodes:
        half = _diameter(max(node.before or 0, node.after or 0), largest) / 2
        figure.add_annotation(
            x=node.x,
            y=node.y,
            text=_escaped(_short(node.written, letters)),
            showarrow=False,
            xanchor="left",
            xshift=half + 3,
            font={"size": 11, "color": "#222222"},
            bgcolor="rgba(255, 255, 255, 0.75)",
            borderpad=0,
        )
    marks = (
        ("circle", "function"),
        ("x", f"function only under {found.against.name}"),
        ("diamond", f"function only under {found.policy.name}"),
    )
    there = {node.symbol for node in nodes}
    for mark, name in marks:
        if mark in there:
            marker = {"symbol": mark, "size": 11, "color": _EQUAL, "line": {"color": "#333333", "width": 1}}
            _add_key(figure, name, {"mode": "markers", "marker": marker})


def _add_key(figure: go.Figure, name: str, looks: dict[str, Any]) -> None:
    """A line of the legend; the traces themselves are many, or of many colours."""
    figure.add_scatter(x=[None], y=[None], name=name, hoverinfo="skip", **looks)


def _scale(most: int) -> dict[str, Any]:
    """What colours mean. Logarithms: one function that swallowed another must not leave all others grey."""
    tens = [10**power for power in range(1, 9) if 10**power < 0.6 * most]
    shown = [-most, *(-ten for ten in reversed(tens)), 0, *tens, most]
    return {
        "title": {"text": "bytes more<br>(orange),<br>fewer (blue)", "side": "top"},
        "tickvals": [_tint(delta) for delta in shown],
        "ticktext": [f"{delta:+,}" if delta else "0" for delta in shown],
        "thickness": 14,
        "len": 1.0,
        "lenmode": "fraction",
        "y": 0.5,
    }


def _tint(delta: int) -> float:
    return math.copysign(math.log1p(abs(delta)), delta)


def _diameter(size: int, largest: int) -> float:
    return _SMALLEST + (_LARGEST - _SMALLEST) * math.sqrt(size / largest)


def _hover(node: _Node, found: Explanation) -> str:
    before, after = found.inlined_into(node.name)
    sizes = [f"{size:,} bytes" if size is not None else "not there" for size in (node.before, node.after)]
    return (
        f"<b>{_escaped(node.written)}</b>: {node.delta:+,} bytes<br>{found.against.name}: {sizes[0]}, "
        f"{found.policy.name}: {sizes[1]}<br>calls inlined here, of those that differ: {before} → {after}"
    )


def _short(name: str, letters: int) -> str:
    """Without its middle: functions of one family begin alike."""
    end = letters // 2 - 1
    return name if len(name) <= letters else f"{name[: letters - end - 1]}…{name[-end:]}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
