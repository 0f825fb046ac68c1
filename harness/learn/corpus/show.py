"""What is in a corpus, as tables: by split and language, and by package; and how near it is to the suites' programs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.base.answers import Answer, Column, Table
from harness.base.formats import quantity
from harness.learn.corpus.corpus import Corpus
from harness.learn.corpus.nearness import Near, nearness
from harness.learn.corpus.recipe import Recipe

__all__ = ["about", "by_source", "by_split", "near_words", "table_of_packages"]

_COUNTS = (
    Column("units", "units", quantity, right=True),
    Column("functions", "functions", quantity, right=True),
    Column("120–500 ranges", "allocatable", quantity, right=True),
    Column("IR instructions", "instructions", quantity, right=True),
)


def _grouped(corpus: Corpus, *columns: str) -> list[dict[str, Any]]:
    import polars

    return (
        corpus.units.group_by(*columns)
        .agg(
            polars.len().alias("units"),
            polars.col("listed").sum().alias("functions"),
            polars.col("allocatable").sum(),
            polars.col("instructions").sum(),
        )
        .sort(*columns)
        .to_dicts()
    )


def by_split(corpus: Corpus) -> list[dict[str, Any]]:
    """Units, functions, those of 120–500 live ranges and instructions, by split and language."""
    return _grouped(corpus, "split", "language")


def by_source(corpus: Corpus) -> list[dict[str, Any]]:
    """The same by package, import or generator."""
    return _grouped(corpus, "split", "source", "licence")


def near_words(near: Sequence[Near]) -> list[str]:
    """How near, in sentences."""
    if not near:
        return []
    nearer = sum(one.distance < one.other for one in near)
    to_units, to_others = (
        float(np.median(values)) for values in zip(*((n.distance, n.other) for n in near), strict=True)
    )
    return [
        f"The nearest unit of the corpus is {to_units:.2f} away from a program of the suites (median of {len(near)}), "
        f"the nearest other program {to_others:.2f}.",
        f"{nearer} of {len(near)} programs are nearer to a unit than to any other program; "
        f"the farthest from the corpus is {near[-1].program} ({near[-1].distance:.2f}).",
    ]


def about(corpus: Corpus) -> Answer:
    """What ``harness corpus show`` prints."""
    splits, sources = by_split(corpus), by_source(corpus)
    skipped: dict[str, int] = {}
    for reasons in corpus.about.skipped.values():
        for reason, count in reasons.items():
            word = reason.partition(" ")[0]
            skipped[word] = skipped.get(word, 0) + count
    words = [f"{name} {count:,}" for name, count in sorted(skipped.items(), key=lambda one: -one[1])]
    total = corpus.units.height
    return Answer(
        tables=(
            Table(splits, (Column("split", "split"), Column("language", "language"), *_COUNTS)),
            Table(
                sources,
                (Column("split", "split"), Column("source", "source"), Column("licence", "licence"), *_COUNTS),
            ),
        ),
        summary=(
            f"{total:,} units, {corpus.functions.height:,} functions, digest {corpus.about.digest[:16]}",
            f"skipped: {', '.join(words)}" if words else "",
            *near_words(nearness(corpus)),
        ),
        document={"digest": corpus.about.digest, "splits": splits, "sources": sources, "skipped": skipped},
    )


def table_of_packages(recipe: Recipe, counts: dict[str, int]) -> str:
    """The recipe as a table in Markdown. ``counts``: units of each package, as recorded."""
    lines = ["| package | version | what it is | licence | split | units |", "|---|---|---|---|---|--:|"]
    for name, package in recipe.packages.items():
        cells = (name, package.version, package.about, package.licence, package.split, f"{counts.get(name, 0):,}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
