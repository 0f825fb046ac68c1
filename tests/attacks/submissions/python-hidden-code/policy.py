# coding: unicode_escape
"""Orders live ranges by their size."""


def decide(features):
    # The largest first.\n    return -float(features["li_size"])
    return float(features["li_size"])
