"""A verb of the problem's own."""

from pathlib import Path
from typing import Annotated

import typer

from harness.base.answers import Answer, Column, Table
from harness.problems.verbs import Context, Verb

__all__ = ["VERBS"]


def degrees(
    _context: Context,
    file: Annotated[Path, typer.Argument(help="Of a graph.")],
    least: Annotated[int, typer.Option("--least", min=0, help="Only vertices with so many neighbours.")] = 0,
) -> Answer:
    """Show how many neighbours each vertex of a graph has."""
    import numpy as np
    from colouring.domain import Colouring

    from harness.base.reading import MIB, read_bytes

    graph = Colouring().parse(read_bytes(file, MIB), str(file))
    found = np.bincount(graph.edges.ravel(), minlength=graph.vertices).tolist()
    records = [{"vertex": vertex, "degree": degree} for vertex, degree in enumerate(found) if degree >= least]
    columns = (Column("vertex", "vertex", right=True), Column("neighbours", "degree", right=True))
    return Answer((Table(records, columns),), notes=(f"{len(records)} of {graph.vertices} vertices",))


VERBS = {"degrees": Verb(degrees, jobs=False, trust=False)}
