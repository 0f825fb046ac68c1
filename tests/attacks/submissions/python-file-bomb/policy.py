import os

number = 0
while True:
    number += 1
    os.mkdir(f"/tmp/d{number}")
    open(f"/tmp/d{number}/f", "w").close()


def decide(features):
    return False
