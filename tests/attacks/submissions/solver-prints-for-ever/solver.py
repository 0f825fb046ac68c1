import os

while True:
    os.write(1, b'[0, 0, 0, 0, 0, 0, 0, 0, ' * 40_000)
