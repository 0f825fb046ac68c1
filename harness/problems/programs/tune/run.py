"""``harness tune``: trial after trial, each of all programs of the train split, the programs side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.base.digest import digest_of
from harness.base.engine import Engine
from harness.base.errors import UsageError
from harness.base.progress import Observer
from harness.base.vocabulary import Split
from harness.policy.forms.registry import asked_form
from harness.policy.tuning.held_out import stopped_at
from harness.policy.tuning.study import RANDOM_TRIALS, Study, Trial
from harness.problems.programs.stages import fetch_sources, freeze_modules
from harness.problems.programs.tune.judge import Goal, Judge, goals_of
from harness.problems.programs.tune.request import Search, Tunable
from harness.sandbox.bench import Bench
from harness.statistics import SuiteEffect
from harness.suite.load import Program

__all__ = ["Tuned", "train_programs", "tune"]


@dataclass(frozen=True)
class Tuned:
    """What a search found."""

    trials: tuple[Trial, ...]
    """In the order in which they were tried; the first has the manifest's values."""
    resumed: int
    """How many of them an earlier command had done."""
    failed: Mapping[int, str]
    """Trials of this command in which a program could not be compiled, each with the reason."""
    study: Path
    stopped: bool = False
    """Whether it ended before its last trial, since programs that were left out gained nothing any more."""
    anew: SuiteEffect | None = None
    """Of a timed metric: log of first/best, timed once more. None: the first is the best."""
    marks: frozenset[str] = frozenset()
    """Of a timed metric: why campaigns of this command's trials would not be used for the leaderboard."""

    @property
    def first(self) -> Trial:
        """The values that the search began with."""
        return self.trials[0]

    @property
    def best(self) -> Trial:
        """The best of all; the earliest where several are."""
        return max(self.trials, key=lambda trial: (trial.score, -trial.number))


def train_programs(programs: Sequence[Program]) -> tuple[Program, ...]:
    """Those that a policy may be trained on; a program that several suites have counts once.

    Raises UsageError where there are none.
    """
    train = {program.home_id: program for program in programs if program.benchmark.split is Split.TRAIN}
    if not train:
        raise UsageError(
            "none of these programs is of the train split",
            hint="a policy is never tuned on programs of the test split: see `harness suites show NAME`",
        )
    return tuple(train.values())


def tune(
    what: Tunable, programs: Sequence[Program], search: Search, bench: Bench, engine: Engine, observer: Observer
) -> Tuned:
    """Search until the study has its trials, or patience has an end. Interrupted, and called again, it goes on.

    Raises CellError for a policy that does not even compile, and whatever keeps a program from being fetched, frozen
    and measured.
    """
    policy, interface = what.policy, what.problem.interface(what.policy)
    assert interface is not None, "else it has no constants"
    asked_form(policy).open(policy, interface, 0, bench)
    bench.sandbox.probe()
    places = [(program, target) for program in programs for target in search.targets]
    fetch_sources(programs, bench, engine, observer)
    freeze_modules([(program, target, what.level) for program, target in places], bench, engine, observer)
    goals = goals_of(places, search, what.level, bench, engine, observer)
    path = _study_path(what, goals, search, bench)
    judge = Judge(what, goals, search, path.stem, bench, engine)
    study = Study(path, what.parameters, search.seed)
    resumed = len(study.trials)
    failed: dict[int, str] = {}
    stopped = False
    best = max((trial.score for trial in study.trials), default=0.0)
    if resumed < search.trials:
        observer.stage("tune", search.trials - resumed)
    for number in range(resumed, search.trials):
        if stopped := stopped_at(study.trials, search.patience, RANDOM_TRIALS):
            break
        trial, values = study.next(what.values if number == 0 else None)
        score, why, by_program = judge.score(values)
        if why:
            failed[number] = why
        study.tell(trial, score, by_program)
        best = max(best, score)
        observer.advance(1, f"{score:.4f}, best {best:.4f}")
    found = Tuned(tuple(study.trials), resumed, failed, path, stopped, marks=frozenset(judge.marks))
    if not search.timed or found.best.number == 0:
        return found
    observer.stage("anew", 1)
    found = replace(found, anew=judge.anew(found.first.values, found.best.values))
    observer.advance(1, "the best beside the first")
    return found


def _study_path(what: Tunable, goals: Sequence[Goal], search: Search, bench: Bench) -> Path:
    """Named by all that the search depends on: a changed heuristic or suite begins a new one."""
    heuristic = [what.policy.digest, what.problem.parts(what.policy)]
    modules = [[goal.program.id, goal.target.value, *goal.depends_on] for goal in goals]
    how = [search.metric, search.seed, *([search.seconds] if search.timed else [])]
    key = digest_of(["study", 2, heuristic, modules, *how, bench.toolchain.fingerprint.llvm])
    return bench.cache / "tuning" / f"{what.policy.name}-{key[:16]}.log"
