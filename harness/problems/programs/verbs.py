"""Verbs about policies that compile programs, whatever they decide."""

from pathlib import Path
from typing import Annotated

import typer

from harness.base.answers import Answer
from harness.problems.verbs import ANY, Asked, Context, Verb, explainer_of

__all__ = ["VERBS"]


def explain(
    context: Context,
    policy: Annotated[str, typer.Argument(help="A policy: its name, or its folder's path.")],
    benchmark: Annotated[str, typer.Argument(help="SUITE/BENCHMARK, as in cbench/bzip2.")],
    target: Annotated[str, typer.Option("--target", help="x86-64 or aarch64.")] = "x86-64",
    track: Annotated[str, typer.Option("--track", help="What is optimised for: size or speed.")] = "size",
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

    asked = Asked(policy, benchmark, target, track, against, plot, prune, rows or None)
    problem = ANY if policy == "default" else load_policy(policy).manifest.problem
    return explainer_of(problem)(context, asked)


VERBS = {
    "explain": Verb(
        explain,
        jobs=False,
        examples=(
            "harness explain size-rules mibench/rsynth",
            "harness explain size-rules cbench/gsm --plot gsm.html",
            "harness explain oz-tail cbench/qsort --prune",
        ),
    ),
}
