"""Decisions as environments that an agent steps through: gymnasium's door, and CompilerGym's names on LLVM 22.

Importing this registers ``harness/passes-ir-v0`` (rewards by ``ir.instructions``) and ``harness/passes-size-v0``
(``size.alloc``) with gymnasium. It takes the extra ``learn``.
"""

from gymnasium.envs.registration import register, registry

__all__ = ["IDS"]

IDS = {"harness/passes-ir-v0": "ir.instructions", "harness/passes-size-v0": "size.alloc"}
"""Registered name → the metric that is to become small."""

for _name, _metric in IDS.items():
    if _name not in registry:
        register(_name, "harness.environments.passes:PassesEnv", kwargs={"reward": _metric})
