"""Replay: what was measured, rebuilt from the decisions alone; as a check, or as a shell script."""

from harness.checks.replay.rebuild import Rebuilt, replay_run
from harness.checks.replay.script import repro_script

__all__ = ["Rebuilt", "replay_run", "repro_script"]
