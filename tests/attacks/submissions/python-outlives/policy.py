import os
import signal
import time

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        continue
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for descriptor in range(256):
            try:
                os.close(descriptor)
            except OSError:
                continue
        while True:
            time.sleep(0.01)
    os._exit(0)
raise RuntimeError("left a child")


def decide(features):
    return False
