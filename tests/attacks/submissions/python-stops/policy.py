"""Stops everything, itself last."""

import os
import signal


def decide(features: dict[str, int]) -> bool:
    try:
        os.kill(-1, signal.SIGSTOP)
    except OSError:
        pass
    os.kill(os.getpid(), signal.SIGSTOP)
    return False
