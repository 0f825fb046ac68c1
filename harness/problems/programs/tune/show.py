"""``harness tune``."""

import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.base.answers import Answer, Column, Table
from harness.base.errors import CellError, UsageError
from harness.base.paths import SUBMISSIONS, at_home
from harness.base.text import duration
from harness.base.vocabulary import SIZE
from harness.base.writing import written
from harness.measure import metrics_of
from harness.policy import Policy, load_policy
from harness.policy.load import MANIFEST
from harness.policy.names import require_free_name
from harness.policy.tracks import facts_of
from harness.policy.tuning.held_out import held_out
from harness.policy.tuning.manifest import tuned_manifest
from harness.policy.tuning.plot import write_plot
from harness.problems.programs.request import parse_targets
from harness.problems.programs.tracks import REFERENCES
from harness.problems.programs.tune.request import Search, Tunable, tunable
from harness.problems.programs.tune.run import Tuned, train_programs, tune
from harness.problems.programs.tune.timed import METRIC as TIMED
from harness.problems.verbs import Context
from harness.suite.load import Program, choose, load_suite
from harness.timing.contestants import NATIVE

__all__ = ["TuneOptions", "run_tune"]


@dataclass(frozen=True)
class TuneOptions:
    """The verb's options."""

    policy: str
    suites: list[str]
    benchmarks: list[str]
    targets: list[str]
    metric: str | None
    trials: int
    seed: int
    output: Path | None
    plot: Path | None
    compile_timeout: float
    patience: int = 25
    seconds: float = 10.0


def run_tune(context: Context, options: TuneOptions) -> Answer:
    """The search, to its end; the manifest is written if it found something better."""
    started = time.monotonic()
    policy = load_policy(options.policy)
    if policy.baseline:
        raise UsageError(f"{policy.name} is a baseline: its values stay as they are")
    what, metric = tunable(policy), _metric(options.metric, policy)
    folder = _output_folder(options.output, policy)
    programs = train_programs(_programs(options))
    bench = context.bench(options.compile_timeout)
    targets = parse_targets(options.targets or ["x86-64"])
    search = Search(metric, tuple(targets), options.trials, options.seed, options.patience, options.seconds)
    if search.timed and search.targets != (NATIVE,):
        raise UsageError(f"{metric!r} is taken on {NATIVE} alone", hint="tune for instructions on other targets")
    try:
        found = tune(what, programs, search, bench, context.engine, context.observer)
    except CellError as error:
        raise UsageError(f"{error.outcome.value}: {error.message}", where=str(policy.folder)) from None
    plot = options.plot or found.study.with_suffix(".html")
    title = f"{policy.name} on {', '.join(options.suites)} ({', '.join(targets)}), {metric}"
    write_plot(plot, title, found.trials, what.parameters)
    notes = _said(what, found, metric, programs, plot, time.monotonic() - started)
    notes += [*_stopped(found, options), *_generalises(found), *_timed(found), *_at_bounds(what, found)]
    if found.anew and found.anew.these[0] <= 0:
        notes.append("timed anew, what was found is not shown to be better than the manifest's values: they stay")
    elif found.best.score > found.first.score:
        notes += _written(policy, found, sorted({f"{program.suite}:train" for program in programs}), folder, options)
    else:
        notes.append("nothing better than the manifest's own values was found: it stays as it is")
    return Answer((_table(what, found),), notes=tuple(notes))


def _metric(asked: str | None, policy: Policy) -> str:
    """The track's own where none is asked for. Raises UsageError for one that a search cannot go by."""
    track = policy.manifest.track
    name = asked or facts_of(track).metric
    known = [
        one
        for one in metrics_of(track).values()
        if (one.deterministic or one.name == TIMED) and not one.not_ranked and track in one.tracks
    ]
    if name not in (names := [one.name for one in known]):
        raise UsageError(f"{name!r} cannot be tuned for", hint=f"on track {track}, one of: {', '.join(names)}")
    return name


def _programs(options: TuneOptions) -> list[Program]:
    suites = [load_suite(name) for name in options.suites]
    if options.benchmarks and len(suites) > 1:
        raise UsageError("benchmarks of several suites", hint="name one suite with --benchmark")
    return [program for suite in suites for program in choose(suite, options.benchmarks)]


def _output_folder(output: Path | None, policy: Policy) -> Path:
    if output is None:
        return policy.folder
    folder = at_home(output).resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError("is there already", where=str(folder), hint="--output takes a new folder: the policy's name")
    require_free_name(folder.name, str(folder), outside=folder.parent != SUBMISSIONS)
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise UsageError("no folder can be made here", where=str(there), hint="--output takes a new folder")
    return folder


def _table(what: Tunable, found: Tuned) -> Table:
    best, first = found.best, found.first
    rows = [
        {"name": one.name, "low": one.low, "high": one.high, "before": first.values[one.name],
         "after": best.values[one.name]}
        for one in what.parameters
    ]  # fmt: skip
    number = "{:,.6g}".format
    columns = [Column("constant", "name"), *(Column(head, head, number, right=True)
               for head in ("low", "high", "before", "after"))]  # fmt: skip
    return Table(rows, columns, f"{what.policy.name}: the best of {len(found.trials)} trials, number {best.number}")


def _said(
    what: Tunable, found: Tuned, metric: str, programs: tuple[Program, ...], plot: Path, seconds: float
) -> list[str]:
    best, first = found.best, found.first
    reference = REFERENCES[what.policy.manifest.track][0]
    resumed = f" ({found.resumed} of them earlier)" if found.resumed else ""
    return [
        f"{len(found.trials)} trials{resumed} on {len(programs)} programs of the train split in {duration(seconds)}",
        f"{metric}, {reference}/policy, geometric mean on them: {first.score:.4f} before, {best.score:.4f} after",
        *(f"  trial {trial} failed: {why}" for trial, why in list(found.failed.items())[:3]),
        f"plot: {plot}",
    ]


def _stopped(found: Tuned, options: TuneOptions) -> Iterator[str]:
    if found.stopped:
        yield (
            f"stopped after {len(found.trials)} of {options.trials} trials: the last {options.patience} gave nothing "
            "to programs that were left out of the choice (--patience 0 goes on)"
        )


def _generalises(found: Tuned) -> Iterator[str]:
    """What the choice is worth elsewhere, as far as the train split can say it."""
    worth = held_out(found.trials)
    if worth is None or found.best.score <= found.first.score:
        return
    yield f"cross-validation: on programs that are left out of the choice, {worth:.4f} times the first values' ratio"
    if worth <= 1:
        yield (
            "warning: the values have learnt these programs: chosen on some, they gain nothing on the others. More "
            "programs, fewer constants or fewer trials help; the test split will say the same"
        )


def _timed(found: Tuned) -> Iterator[str]:
    """What is to be known of times: what they are worth once more, and how quiet the machine was."""
    if found.anew:
        low, high = (math.exp(end) for end in found.anew.these)
        yield (
            f"timed anew, the first values and the best in the same turns: first/best "
            f"{math.exp(found.anew.estimate):.4f} ({low:.4f} to {high:.4f}) on these programs"
        )
    if found.marks:
        first, *others = sorted(found.marks)
        more = f", and {len(others)} more such marks" if others else ""
        yield (
            f"warning: the machine was not quiet ({first}{more}): trials were compared by times that the leaderboard "
            "would not use"
        )


def _at_bounds(what: Tunable, found: Tuned) -> Iterator[str]:
    """Constants whose best values lie at the end of what was declared, or within a hundredth of it."""
    for one in what.parameters:
        value, near = found.best.values[one.name], 0.0 if one.is_int else 0.01 * (one.high - one.low)
        if value == found.first.values[one.name]:
            continue
        for end, bound in (("lower", one.low), ("upper", one.high)):
            if abs(value - bound) <= near:
                yield f"{one.name} = {value:.6g} ends at its {end} bound, {bound:g}: a wider one may be better"


def _written(policy: Policy, found: Tuned, trained_on: list[str], folder: Path, options: TuneOptions) -> list[str]:
    text = tuned_manifest(policy.folder / MANIFEST, found.best.values, trained_on, folder.name)
    if folder != policy.folder:
        folder.mkdir(parents=True, exist_ok=True)
        for role, relative in policy.manifest.files.items():
            (folder / relative).parent.mkdir(parents=True, exist_ok=True)
            _write(folder / relative, policy.contents[role])
    _write(folder / MANIFEST, text.encode())
    made = load_policy(f"{folder}/")
    track = policy.manifest.track
    others = f"{REFERENCES[track][0]}{'' if track == SIZE else f' --track {track}'}"
    return [
        f"wrote version {made.manifest.version} of {made.name}: {folder / MANIFEST}",
        f"measure it: harness run --suite {options.suites[0]} --policy {folder},{others}",
    ]


def _write(path: Path, content: bytes) -> None:
    """In place of what is there, whatever a link of that name leads to."""
    with written(path) as file:
        file.write(content)
