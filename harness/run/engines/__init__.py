"""Engines: where independent pieces of work run. Two now, both on this machine."""

from harness.run.engines.local import InProcess, LocalPool, local_engine

__all__ = ["InProcess", "LocalPool", "local_engine"]
