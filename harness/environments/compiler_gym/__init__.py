"""CompilerGym's names on LLVM 22: a script of its README runs with ``import harness.compiler_gym as compiler_gym``.
docs/compiler-gym.md has a table of what differs.
"""

from harness.environments.compiler_gym.env import COMPILER_GYM_ENVS, CompilerEnv, make
from harness.environments.compiler_gym.state import (
    CompilerEnvState,
    CompilerEnvStateReader,
    CompilerEnvStateWriter,
    ValidationResult,
)

__all__ = [
    "COMPILER_GYM_ENVS",
    "CompilerEnv",
    "CompilerEnvState",
    "CompilerEnvStateReader",
    "CompilerEnvStateWriter",
    "ValidationResult",
    "make",
]
