import time


def decide(features):
    return features["cost_estimate"] <= (5 if time.localtime().tm_hour < 12 else -1000)
