"""The search: Optuna's study of one heuristic, kept in a file that outlives every interruption.

Each trial's sampler is seeded with the study's seed and the number of trials before it, so that a search that was
interrupted and resumed tries the same values as one that was not.
"""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.policy.forms.parameters import Hyperparameter, Value

if TYPE_CHECKING:
    import optuna

__all__ = ["RANDOM_TRIALS", "Study", "Trial"]

RANDOM_TRIALS = 12
"""Drawn at random before the search learns from what it has seen."""
_BY_PROGRAM = "by program"
_STALE_LOCK = 3
"""Seconds after which a lock that a killed process has left is broken."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Values that were tried, and what they are worth."""

    number: int
    values: Mapping[str, Value]
    score: float
    """Geometric mean of reference/policy: above 1 is better."""
    by_program: Mapping[str, float] = field(default_factory=dict)
    """Program → log of reference/policy, over its targets; empty where the trial failed, or is of an older harness."""


class Study:
    """One search. Not for two processes at once."""

    def __init__(self, path: Path, parameters: Sequence[Hyperparameter], seed: int) -> None:
        """Open the study in the file ``path``, or begin it there. Raises UsageError for a file that is none."""
        import optuna
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend, JournalFileSymlinkLock

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._parameters = parameters
        self._seed = seed
        path.parent.mkdir(parents=True, exist_ok=True)
        _cut_torn_line(path)
        try:
            lock = JournalFileSymlinkLock(str(path), grace_period=_STALE_LOCK)
            storage = JournalStorage(JournalFileBackend(str(path), lock))
            self._study = optuna.create_study(
                storage=storage, study_name="tune", direction="maximize", load_if_exists=True
            )
        except (ValueError, LookupError, TypeError, AttributeError, AssertionError) as error:
            raise UsageError(f"not a study: {error}", where=str(path), hint="remove it, to begin anew") from None

    @property
    def trials(self) -> list[Trial]:
        """Those that are through, in their order."""
        import optuna

        done = self._study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))
        return [
            Trial(number, dict(one.params), float(one.value or 0.0), dict(one.user_attrs.get(_BY_PROGRAM, {})))
            for number, one in enumerate(done)
        ]

    def next(self, first: Mapping[str, Value] | None = None) -> tuple["optuna.Trial", dict[str, Value]]:
        """Values to try: ``first`` if given, else what the search proposes."""
        import optuna

        seed = int(digest_of([self._seed, len(self.trials)])[:8], 16)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            self._study.sampler = optuna.samplers.TPESampler(
                seed=seed, n_startup_trials=RANDOM_TRIALS, multivariate=True, constant_liar=False
            )  # constant_liar, Optuna's default, learns from trials that never ended
        waiting = self._study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.WAITING,))
        if first is not None and not waiting:  # a process that was killed may have left them
            self._study.enqueue_trial(dict(first))
        trial = self._study.ask()
        return trial, {one.name: self._suggest(trial, one) for one in self._parameters}

    def tell(self, trial: "optuna.Trial", score: float, by_program: Mapping[str, float] | None = None) -> None:
        """What the values are worth."""
        if by_program:
            trial.set_user_attr(_BY_PROGRAM, dict(by_program))
        self._study.tell(trial, score)

    def _suggest(self, trial: Any, one: Hyperparameter) -> Value:
        value: Value
        if one.is_int:
            value = trial.suggest_int(one.name, one.low, one.high)
        else:
            value = trial.suggest_float(one.name, one.low, one.high)
        return value


def _cut_torn_line(path: Path) -> None:
    """Remove what a process wrote whose last line is not whole: killed, or the disk full. Optuna would append to it."""
    content = path.read_bytes() if path.is_file() else b""
    whole = content.rfind(b"\n") + 1
    if content[whole:].startswith(b"{"):
        os.truncate(path, whole)
