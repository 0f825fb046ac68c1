"""Where the nodes of a call graph stand."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from harness.problems.inlining.explain.layers import layers_of, places

CALLS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40)
NODES = list(range(12))


@given(CALLS)
def test_places(calls: list[tuple[int, int]]) -> None:
    place = places(NODES, calls)
    assert set(place) == set(NODES)
    layers = {layer for layer, _ in place.values()}
    assert layers == set(range(len(layers))), "no layer is empty"
    for layer in layers:
        heights = sorted(height for at, height in place.values() if at == layer)
        assert all(later - earlier >= 1 for earlier, later in pairwise(heights))
    assert place == places(NODES, calls)


@given(CALLS)
def test_callers_stand_left_of_what_they_call(calls: list[tuple[int, int]]) -> None:
    """Wherever calls close no circle."""
    forward = [(min(call), max(call)) for call in calls if call[0] != call[1]]
    layer = layers_of(NODES, forward)
    assert all(layer[caller] < layer[callee] for caller, callee in forward)
    called = {callee for _, callee in forward}
    assert all(layer[node] == 0 for node in NODES if node not in called)


def test_circles_and_deep_chains() -> None:
    assert layers_of("abc", [("a", "b"), ("b", "c"), ("c", "b"), ("c", "c")]) == {"a": 0, "b": 1, "c": 2}
    deep = list(range(5000))
    assert layers_of(deep, list(pairwise(deep)))[4999] == 4999
    assert places([], []) == {}
