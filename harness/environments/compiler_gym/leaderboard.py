"""CompilerGym's leaderboard of LLVM instruction counts: a policy in, its CSV of states out; and a CSV checked.

``python -m harness.environments.compiler_gym.leaderboard FILE.csv`` checks every state of a file: whether its list of
passes, run by stock opt, gives the reward that the file says, and a program with the right outputs.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import geometric_mean

from harness.base.errors import HarnessError
from harness.environments.compiler_gym.env import CompilerEnv, make
from harness.environments.compiler_gym.state import (
    CompilerEnvState,
    CompilerEnvStateReader,
    CompilerEnvStateWriter,
    ValidationResult,
)

__all__ = ["eval_llvm_instcount_policy", "validated"]

_SUITE = "cbench-v1"
_ENVIRONMENT = "llvm-ic-v0"
_LEAST = 1e-3
"""Of a reward in the mean: the leaderboard's own rule for those at or below zero."""


def eval_llvm_instcount_policy(
    policy: Callable[[CompilerEnv], None], output: Path | str, *, benchmarks: Iterable[str] = (), episodes: int = 10
) -> list[CompilerEnvState]:
    """Let the policy work on each program so many times, and write where it ended as CSV.

    ``policy`` is given an environment at the start of an episode, and leaves it where it is to be judged.
    ``benchmarks``: addresses; all of ``cbench-v1`` where none is named.
    """
    states = []
    with make(_ENVIRONMENT) as env, Path(output).open("w", encoding="utf-8", newline="") as file:
        writer = CompilerEnvStateWriter(file)
        for uri in list(benchmarks) or env.datasets[_SUITE].benchmark_uris():
            for _ in range(episodes):
                env.reset(benchmark=uri)
                policy(env)
                states.append(env.state)
                writer.write_state(states[-1], flush=True)
    return states


def validated(states: Iterable[CompilerEnvState]) -> Iterable[ValidationResult]:
    """Each state, run again. One of a program that there is none of does not hold."""
    with make(_ENVIRONMENT) as env:
        for state in states:
            yield env.validate(state)


def main(words: Sequence[str]) -> int:
    """Check a file; 1 where a state does not hold."""
    if len(words) != 1:
        print("usage: python -m harness.environments.compiler_gym.leaderboard FILE.csv", file=sys.stderr)
        return 2
    rewards, failed = [], 0
    try:
        for result in validated(CompilerEnvStateReader.read_paths(words)):
            state = result.state
            if result.okay():
                rewards.append(max(state.reward or 0.0, _LEAST))
            else:
                failed += 1
            word = "holds" if result.okay() else f"does not hold: {result.error_details or 'another reward'}"
            print(f"{state.benchmark.removeprefix('benchmark://'):32} {state.reward or 0.0:8.4f}  {word}", flush=True)
    except (HarnessError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if rewards or failed:
        mean = f"; their geometric mean is {geometric_mean(rewards):.4f}" if rewards else ""
        print(f"{len(rewards)} of {len(rewards) + failed} hold{mean}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
