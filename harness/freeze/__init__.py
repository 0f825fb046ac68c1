"""Step 1, freeze: sources become one whole-program bitcode module per target and level."""

from harness.freeze.facts import Fact, facts_of
from harness.freeze.freeze import FrozenModule, freeze, freeze_key
from harness.freeze.perturb import is_perturbed, perturbed

__all__ = ["Fact", "FrozenModule", "facts_of", "freeze", "freeze_key", "is_perturbed", "perturbed"]
