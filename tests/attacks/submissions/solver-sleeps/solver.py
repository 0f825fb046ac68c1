import signal
import time

for number in (1, 2, 3, 13, 14, 15, 24):
    signal.signal(number, signal.SIG_IGN)
time.sleep(1_000_000)
