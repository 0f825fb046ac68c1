"""What machine this is."""

import os
from pathlib import Path

__all__ = ["cpu_model"]


def cpu_model() -> str:
    """The machine's CPU, as the kernel calls it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("model name", "Model")):
            return line.split(":", 1)[1].strip()
    return os.uname().machine
