import time


def decide(features):
    """Within a second an answer: nothing but the sum of them is too much."""
    until = time.process_time() + 0.4
    while time.process_time() < until:
        pass
    return features["cost_estimate"] <= 5
