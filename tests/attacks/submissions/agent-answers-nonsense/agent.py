ANSWERS = [float("nan"), float("inf"), -1, 10**30, [1], "0", None, 43]


def decide(features):
    return ANSWERS[round(float(features["progress"]) * 45) % len(ANSWERS)]
