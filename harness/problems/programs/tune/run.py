"""``harness tune``: trial after trial, each of all programs of the train split, the programs side by side."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from harness.base.digest import digest_of
from harness.base.engine import Engine, stage
from harness.base.errors import CellError, UsageError
from harness.base.progress import Observer
from harness.base.vocabulary import Level, Split, Target
from harness.freeze import freeze
from harness.measure import find_metric
from harness.policy import Policy
from harness.policy.forms.parameters import Hyperparameter, Value
from harness.policy.forms.registry import all_forms, asked_form
from harness.policy.tuning.held_out import stopped_at
from harness.policy.tuning.study import RANDOM_TRIALS, Study, Trial
from harness.problems.programs.problems import TunableProblem, program_problem
from harness.problems.programs.stages import fetch_sources, freeze_modules
from harness.problems.programs.tune.reward import measure, reference_value, taken_on
from harness.sandbox.bench import Bench
from harness.suite.load import Program

__all__ = ["Tunable", "Tuned", "train_programs", "tunable", "tune"]

FAILED = 0.5
"""What a trial is worth in which a program could not be compiled: worse than any that compiles."""


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

    @property
    def first(self) -> Trial:
        """The values that the search began with."""
        return self.trials[0]

    @property
    def best(self) -> Trial:
        """The best of all; the earliest where several are."""
        return max(self.trials, key=lambda trial: (trial.score, -trial.number))


@dataclass(frozen=True)
class Tunable:
    """A policy whose constants can be searched, and the problem that it is about."""

    policy: Policy
    problem: TunableProblem
    parameters: tuple[Hyperparameter, ...]

    @property
    def values(self) -> dict[str, Value]:
        """Every constant's value in the manifest, or its default."""
        interface = self.problem.interface(self.policy)
        assert interface is not None, "else it has no constants"
        return asked_form(self.policy).values(self.policy, interface, self.policy.name)

    @property
    def level(self) -> Level:
        """That its modules are frozen at."""
        return self.problem.freeze_level(self.policy, self.policy.manifest.track)

    def having(self, values: Mapping[str, Value]) -> Policy:
        """The policy with these values."""
        manifest = self.policy.manifest
        return replace(self.policy, manifest=manifest.model_copy(update={"values": {**manifest.values, **values}}))


def tunable(policy: Policy) -> Tunable:
    """The policy, if it declares constants. Raises UsageError."""
    where, manifest = str(policy.folder), policy.manifest
    problem = program_problem(manifest.problem)
    interface = problem.interface(policy) if isinstance(problem, TunableProblem) else None
    if not isinstance(problem, TunableProblem) or interface is None or manifest.form not in all_forms():
        raise UsageError(
            f"a policy of problem {manifest.problem!r} in form {manifest.form!r} has no tunable constants", where=where
        )
    form = asked_form(policy)
    if "values" not in form.fields:
        raise UsageError(f"a policy of form {manifest.form!r} has no tunable constants", where=where)
    found = form.parameters(policy, interface)
    if not found:
        raise UsageError(
            f"{manifest.files[form.role]} declares no tunable constants",
            where=where,
            hint="declare each as `// [hyperparam]: name, int|float, low, high, default`",
        )
    return Tunable(policy, problem, found)


def train_programs(programs: Sequence[Program]) -> tuple[Program, ...]:
    """Those that a policy may be trained on; a program that several suites have counts once.

    Raises UsageError where there are none.
    """
    train = {program.home_id: program for program in programs if program.benchmark.split is Split.TRAIN}
    if not train:
        raise UsageError(
            "none of these programs is of the train split",
            hint="a policy is never tuned on programs of the test split: see `harness suites NAME`",
        )
    return tuple(train.values())


def tune(
    what: Tunable, programs: Sequence[Program], targets: Sequence[Target], metric: str, trials: int, seed: int,
    patience: int, bench: Bench, engine: Engine, observer: Observer,
) -> Tuned:  # fmt: skip
    """Search until the study has ``trials`` trials, or ``patience`` of them in a row gave nothing to programs that are
    left out of the choice (0: however many). Interrupted, and called again, it goes on.

    Raises CellError for a policy that does not even compile, and whatever keeps a program from being fetched, frozen
    and measured.
    """
    policy, interface = what.policy, what.problem.interface(what.policy)
    assert interface is not None, "else it has no constants"
    asked_form(policy).open(policy, interface, 0, bench)
    bench.sandbox.probe()
    places = [(program, target) for program in programs for target in targets]
    fetch_sources(programs, bench, engine, observer)
    freeze_modules([(program, target, what.level) for program, target in places], bench, engine, observer)
    goals = _goals(places, metric, what.level, bench, engine, observer)
    path = _study_path(what, goals, metric, seed, bench)
    study = Study(path, what.parameters, seed)
    resumed = len(study.trials)
    failed: dict[int, str] = {}
    best = max((trial.score for trial in study.trials), default=0.0)
    if resumed < trials:
        observer.stage("tune", trials - resumed)
    for number in range(resumed, trials):
        if stopped_at(study.trials, patience, RANDOM_TRIALS):
            return Tuned(tuple(study.trials), resumed, failed, path, stopped=True)
        trial, values = study.next(what.values if number == 0 else None)
        score, why, by_program = _score(what, values, goals, metric, bench, engine)
        if why:
            failed[number] = why
        study.tell(trial, score, by_program)
        best = max(best, score)
        observer.advance(1, f"{score:.4f}, best {best:.4f}")
    return Tuned(tuple(study.trials), resumed, failed, path)


@dataclass(frozen=True)
class _Goal:
    """A program, and what is to be beaten on it."""

    program: Program
    target: Target
    value: float
    """The metric's, under the track's reference."""
    instructions: int
    """Of the frozen module."""
    depends_on: tuple[object, ...]
    """What the metric's value depends on besides the policy: the frozen module's digest, and what it is taken on."""


def _goals(
    places: Sequence[tuple[Program, Target]],
    metric: str,
    level: Level,
    bench: Bench,
    engine: Engine,
    observer: Observer,
) -> tuple[_Goal, ...]:
    """The largest first, so that none is left over at the end of a trial."""
    take = partial(_goal, metric=metric, level=level, bench=bench)
    found = [goal for _, goal in stage("reference", take, places, engine, observer, lambda place: place[0].id)]
    return tuple(sorted(found, key=lambda goal: (-goal.instructions, goal.program.id, goal.target)))


def _goal(place: tuple[Program, Target], metric: str, level: Level, bench: Bench) -> _Goal:
    program, target = place
    frozen = freeze(program, target, level, bench)
    value = reference_value(program, target, metric, level, bench)
    depends_on = frozen.digest, *taken_on(program, target, metric, bench)
    return _Goal(program, target, value, frozen.instructions, depends_on)


def _study_path(what: Tunable, goals: Sequence[_Goal], metric: str, seed: int, bench: Bench) -> Path:
    """Named by all that the search depends on: a changed heuristic or suite begins a new one."""
    heuristic = [what.policy.digest, what.problem.parts(what.policy)]
    modules = [[goal.program.id, goal.target.value, *goal.depends_on] for goal in goals]
    key = digest_of(["study", 2, heuristic, modules, metric, seed, bench.toolchain.fingerprint.llvm])
    return bench.cache / "tuning" / f"{what.policy.name}-{key[:16]}.log"


def _score(
    what: Tunable, values: Mapping[str, Value], goals: Sequence[_Goal], metric: str, bench: Bench, engine: Engine
) -> tuple[float, str, dict[str, float]]:
    """What the values are worth, why it is no more where a program could not be compiled, and each program's log."""
    logs: list[float] = []
    by_program: dict[str, list[float]] = {}
    why = ""
    for done in engine.run(partial(_ratio, what=what, values=values, metric=metric, bench=bench), goals):
        if isinstance(done.error, CellError):
            why = f"{done.task.program.id}: {done.error.outcome.value}: {done.error.message}"
        elif done.error is not None:
            raise done.error
        else:
            assert done.value is not None
            logs.append(math.log(done.value))
            by_program.setdefault(done.task.program.id, []).append(logs[-1])
    if why:
        return FAILED, why, {}
    means = {name: math.fsum(sorted(mine)) / len(mine) for name, mine in sorted(by_program.items())}
    return math.exp(math.fsum(sorted(logs)) / len(logs)), "", means


def _ratio(goal: _Goal, what: Tunable, values: Mapping[str, Value], metric: str, bench: Bench) -> float:
    """Reference/policy on one program; of a metric that may be 0, of the values plus one."""
    policy = what.having(values)
    mine = measure(policy, what.problem, goal.program, goal.target, metric, what.level, bench)
    more = 1 if find_metric(metric).can_be_zero else 0
    return (goal.value + more) / (mine + more)
