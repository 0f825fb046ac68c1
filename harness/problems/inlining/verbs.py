"""Verbs about inlining."""

from pathlib import Path
from typing import Annotated

import typer

from harness.base.answers import Answer
from harness.problems.verbs import ANY, Asked, Context, Explainer, Export, SelfTest, Verb

__all__ = ["EXPLAINERS", "EXPORTS", "SELFTESTS", "VERBS"]

_Benchmark = Annotated[str, typer.Argument(help="SUITE/BENCHMARK, as in cbench/bzip2.")]
_Target = Annotated[str, typer.Option("--target", help="x86-64 or aarch64.")]
_Track = Annotated[str, typer.Option("--track", help="What is optimised for: size or speed.")]
_Metric = Annotated[str, typer.Option("--metric", help="size.alloc or size.text.")]


def bisect(
    context: Context,
    a: Annotated[str, typer.Argument(help="A policy that decides what to inline, or `default`.")],
    b: Annotated[str, typer.Argument(help="Another.")],
    benchmark: _Benchmark,
    target: _Target = "x86-64",
    track: _Track = "size",
    metric: _Metric = "size.alloc",
    share: Annotated[
        float, typer.Option("--share", min=0.01, max=1, help="What the decisions must bring of the difference.")
    ] = 0.9,
    most: Annotated[int, typer.Option("--most", min=1, help="Compilations.")] = 200,
) -> Answer:
    """Find the smallest set of inlining decisions that explains a difference in size between two policies."""
    from harness.problems.inlining.bisect.run import Limits
    from harness.problems.inlining.bisect.show import bisect_policies

    return bisect_policies(context, a, b, benchmark, target, track, Limits(metric, share, most))


def convert(
    _context: Context,
    model: Annotated[Path, typer.Argument(help="LightGBM's dump_model() as JSON, or XGBoost's save_model().")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: tree.json.")],
    features: Annotated[
        str | None,
        typer.Option("--features", help="Names of the model's columns, with commas; `all`: LLVM's 38 in its order."),
    ] = None,
) -> Answer:
    """Turn a model of LightGBM or XGBoost into the tree.json of an inlining policy."""
    from harness.problems.inlining.convert import convert

    return convert(model, output, features)


def _explain(context: Context, asked: Asked) -> Answer:
    """Call sites that are decided otherwise, and bytes of functions and sections."""
    from harness.problems.inlining.explain.show import explain_policy

    return explain_policy(context, asked)


def _selftest(context: Context, suites: list[str]) -> Answer:
    """Check the plugin, with LLVM's own heuristic in it, against plain clang."""
    from harness.problems.inlining.selftest import selftest

    return selftest(context, suites)


def _export(output: Path, suite: str | None, results: Path) -> Answer:
    """all logged trajectories, as ml-compiler-opt's trainers read them."""
    from harness.problems.inlining.trajectories.export import export

    return export(output, suite, results)


VERBS = {
    "bisect": Verb(
        bisect,
        kept="what was compiled is kept, and the same command goes on from here",
        examples=("harness bisect size-rules default cbench/gsm --share 0.9",),
    ),
    "convert": Verb(
        convert,
        jobs=False,
        trust=False,
        tables=False,
        examples=("harness convert model.json --output tree.json --features all",),
    ),
}
EXPLAINERS: dict[str, Explainer] = {ANY: _explain}
SELFTESTS: dict[str, SelfTest] = {"inline": _selftest}
EXPORTS: dict[str, Export] = {".tfrecord": _export}
