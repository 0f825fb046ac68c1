"""The short path of CompilerGym's names: ``import harness.compiler_gym as compiler_gym``."""

from harness.environments.compiler_gym import *  # noqa: F403
from harness.environments.compiler_gym import __all__ as __all__
