"""Engines: where independent pieces of work run. Two now, both on this machine."""

from harness.engine.local import InProcess, LocalPool, local_engine
from harness.engine.protocol import Done, Engine

__all__ = ["Done", "Engine", "InProcess", "LocalPool", "local_engine"]
