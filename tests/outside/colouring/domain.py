"""A graph, and what a colouring of it costs: as many as it has colours."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from harness.base.errors import UsageError
from harness.problems.instances.documents import read_json
from harness.problems.instances.domain import Assignment, Domain, Integers

__all__ = ["Colouring", "Graph"]


@dataclass(frozen=True, eq=False)
class Graph:
    """Vertices are numbered from 0."""

    vertices: int
    edges: Integers
    """[edges, 2]"""


class Colouring(Domain[Graph]):
    """See ``harness.problems.instances.domain.Domain``. An assignment has the number of each vertex's colour."""

    name = "colouring"
    instance = Graph
    places, choices = "vertices", "colours"
    plain_called = "a colour for each vertex"
    measures: ClassVar = {"vertices": "vertices", "edges": "edges"}
    script = """
import json

graph = json.loads(content)
assert all(assignment[a] != assignment[b] for a, b in graph["edges"])
cost = len(set(assignment))
print("colours", cost)
"""

    def parse(self, content: bytes, where: str) -> Graph:
        """``{"vertices": 3, "edges": [[0, 1], [1, 2]]}``."""
        document = read_json(content, where)
        try:
            graph = Graph(int(document["vertices"]), np.array(document["edges"], np.int64).reshape(-1, 2))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise UsageError(f"not a graph: {error}", where=where) from None
        if graph.edges.size and not 0 <= graph.edges.min() <= graph.edges.max() < graph.vertices:
            raise UsageError(f"edges: there are vertices 0 to {graph.vertices - 1} alone", where=where)
        return graph

    def size(self, instance: Graph) -> int:
        """Its vertices."""
        return instance.vertices

    def sizes(self, instance: Graph) -> tuple[int, int]:
        """Of vertices and edges."""
        return instance.vertices, len(instance.edges)

    def verify(self, instance: Graph, assignment: Assignment) -> str | None:
        """No edge may join vertices of one colour."""
        colours = np.asarray(assignment)
        same = np.flatnonzero(colours[instance.edges[:, 0]] == colours[instance.edges[:, 1]])
        return f"both ends of edge {same[0]} have colour {colours[instance.edges[same[0], 0]]}" if len(same) else None

    def cost(self, instance: Graph, assignment: Assignment) -> int:
        """How many colours there are."""
        return len(np.unique(np.asarray(assignment)))

    def plain(self, instance: Graph) -> Integers:
        """All colours differ."""
        return np.arange(instance.vertices)
