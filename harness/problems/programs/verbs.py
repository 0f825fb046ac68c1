"""Verbs about policies that compile programs, whatever they decide."""

from pathlib import Path
from typing import Annotated

import typer

from harness.base.answers import Answer
from harness.base.errors import UsageError
from harness.base.vocabulary import SIZE
from harness.policy.tracks import facts_of
from harness.problems.verbs import ANY, Asked, Context, Verb, explainer_of

__all__ = ["VERBS"]


def explain(
    context: Context,
    policy: Annotated[str, typer.Argument(help="A policy: its name, or its folder's path.")],
    benchmark: Annotated[str, typer.Argument(help="SUITE/BENCHMARK, as in cbench/bzip2.")],
    target: Annotated[str, typer.Option("--target", help="x86-64 or aarch64.")] = "x86-64",
    track: Annotated[
        str | None, typer.Option("--track", help="What is optimised for: size or speed (default: the policy's own).")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="Another policy; `default` is LLVM's own heuristic (default: that, or the track's reference for a "
            "policy that decides no call sites).",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw the call graph with the differences into this HTML file."),
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Also find the shortest list with the same object: of pass lists.")
    ] = False,
    rows: Annotated[int, typer.Option("--rows", min=0, help="Of each table, for people; 0: all.")] = 20,
) -> Answer:
    """Show what a policy decides otherwise than LLVM, or what each of its passes does, and where bytes moved."""
    from harness.policy import load_policy

    manifest = None if policy == "default" else load_policy(policy).manifest
    if manifest is not None and not facts_of(manifest.track).compiled:
        raise UsageError(
            f"explain is about policies that compile programs, and {manifest.name!r} is a solver of {manifest.problem}",
            hint="harness compare shows two solvers instance by instance",
        )
    own = SIZE if manifest is None else manifest.track
    asked = Asked(policy, benchmark, target, track or own, against, plot, prune, rows or None)
    return explainer_of(ANY if manifest is None else manifest.problem)(context, asked)


def tune(
    context: Context,
    policy: Annotated[str, typer.Argument(metavar="SUBMISSION", help="Name or folder of a policy with constants.")],
    suite: Annotated[list[str], typer.Option("--suite", help="Suites whose train split is tuned on; repeatable.")],
    trials: Annotated[int, typer.Option(min=1, max=100_000, help="Trials of the search, earlier ones included.")] = 100,
    benchmark: Annotated[list[str] | None, typer.Option("--benchmark", help="Only these; repeatable.")] = None,
    target: Annotated[list[str] | None, typer.Option("--target", help="x86-64 (default), aarch64, or both.")] = None,
    metric: Annotated[
        str | None, typer.Option("--metric", help="What is to be won (default: the metric that ranks its track).")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the search.")] = 0,
    patience: Annotated[
        int,
        typer.Option(
            min=0,
            help="Stop when so many trials in a row gave nothing to programs left out of the choice; 0: never.",
        ),
    ] = 25,
    seconds: Annotated[
        float, typer.Option(min=0.1, help="Of a time: seconds that a trial may take to time a program, on average.")
    ] = 10.0,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write the result to this new folder, not into the submission's.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="HTML file for the plot (default: in the cache).")] = None,
    compile_timeout: Annotated[
        float, typer.Option(min=0.1, max=86400, help="CPU seconds for each compile step.")
    ] = 60.0,
) -> Answer:
    """Search good values for a policy's tunable constants, on the train split, and write them as its next version.

    An interrupted search, given again, goes on.
    """
    from harness.base.text import words
    from harness.problems.programs.tune.show import TuneOptions, run_tune

    options = TuneOptions(
        policy,
        words(suite),
        words(benchmark),
        words(target),
        metric,
        trials,
        seed,
        output,
        plot,
        compile_timeout,
        patience,
        seconds,
    )
    return run_tune(context, options)


VERBS = {
    "explain": Verb(
        explain,
        jobs=False,
        examples=(
            "harness explain size-rules mibench/rsynth",
            "harness explain size-rules cbench/gsm --plot gsm.html",
            "harness explain oz-tail cbench/qsort --prune",
            "harness explain constant-priority cbench/rijndael",
        ),
    ),
    "tune": Verb(
        tune,
        kept="finished trials are kept, and the same command goes on from here",
        examples=(
            "harness tune size-rules --suite cbench --trials 50 --output ./size-rules-2",
            "harness tune ./my-heuristic --suite cbench --suite mibench --target x86-64,aarch64",
        ),
    ),
}
