"""Step 1, freeze: sources become one whole-program bitcode module per target and level."""

from harness.freeze.freeze import FrozenModule, freeze, freeze_key

__all__ = ["FrozenModule", "freeze", "freeze_key"]
