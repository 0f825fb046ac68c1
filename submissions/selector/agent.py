"""One of 2 lists of passes, chosen by what the module is made of before any pass.

A linear model says what each list gains on a module with these features; the list with the largest gain is run. Lists
and weights were found by python -m harness.learn.pass_lists on programs of the train splits, x86-64.
"""

from typing import Any

import numpy as np

STEPS = 45
STOP = 142
NUMBERS = {
    "function(sroa)": 95,
    "clang-Oz": 139,
    "clang-Oz<no-slp>": 140,
}
"""The actions of ``llvm22`` that lists have, by their numbers."""
LISTS = (
    (
        "function(sroa)",
        "clang-Oz<no-slp>",
    ),
    ("clang-Oz",),
)
# fmt: off
WEIGHTS = (
    (
        0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
        0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
        0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1,
    ),
    (
        -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05,
        -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05,
        -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05,
        -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05, -1e-05,
    ),
)
# fmt: on
"""Of each list: what a feature adds to the logarithm of its gain."""
INTERCEPTS = (
    0.1,
    0.2,
)

_chosen: list[int] = []


def decide(features: Any) -> int:
    """The next pass of the chosen list; the list is chosen at the first step."""
    step = round(float(features["progress"]) * STEPS)
    if step == 0:
        scores = np.array(WEIGHTS) @ np.array(features["autophase"], float) + np.array(INTERCEPTS)
        _chosen[:] = [NUMBERS[name] for name in LISTS[int(scores.argmax())]]
    return _chosen[step] if step < len(_chosen) else STOP
