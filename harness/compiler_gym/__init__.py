"""The short path of CompilerGym's names: ``import harness.compiler_gym as compiler_gym``."""

from harness.environments.compiler_gym import (
    COMPILER_GYM_ENVS,
    CompilerEnv,
    CompilerEnvState,
    CompilerEnvStateReader,
    CompilerEnvStateWriter,
    ValidationResult,
    make,
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
