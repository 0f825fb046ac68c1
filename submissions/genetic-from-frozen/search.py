"""A genetic search by bytes: PyGAD's, over lists of a fixed length in which an action may be none."""

import random
from typing import Any

import pygad

from harness.problems.passes.search.client import SessionLost

BEGINNINGS = ((),)
"""The module as it was frozen."""
GENES = 24
NONE = -1
"""A gene that runs nothing."""
FILLED = 0.5
"""Share of a first list's genes that run something."""
CHECKED = 0.8
"""Share of the budget after which nothing new is tried: the best lists must still be checked."""


def search(session: Any, seed: int, seconds: float) -> list[int]:
    """The smallest list of all generations whose program gives the right outputs."""
    assert seconds > 0
    beginnings = [[session.actions.index(name) for name in names] for names in BEGINNINGS]
    sized = [(size, one) for one in beginnings if (size := size_of(session, one)) is not None]
    _, beginning = min(sized)
    known: dict[tuple[int, ...], int | None] = {}
    session.propose(beginning)

    def fitness(_search: Any, genes: Any, _number: int) -> float:
        actions = (*beginning, *(int(gene) for gene in genes if gene != NONE))
        if actions not in known:
            known[actions] = size_of(session, list(actions)) if session.has_time(CHECKED) else None
        size = known[actions]
        return 0.0 if size is None else 1e6 / size

    chance = random.Random(seed)
    first = [
        [chance.randrange(len(session.actions)) if chance.random() < FILLED else NONE for _ in range(GENES)]
        for _ in range(12)
    ]
    first[0] = [NONE] * GENES
    pygad.GA(
        num_generations=10_000,
        num_parents_mating=6,
        fitness_func=fitness,
        initial_population=first,
        gene_type=int,
        gene_space=[NONE, *range(len(session.actions))],
        parent_selection_type="tournament",
        crossover_type="two_points",
        mutation_type="random",
        mutation_num_genes=2,
        keep_elitism=2,
        random_seed=seed,
        suppress_warnings=True,
        on_generation=lambda _search: "stop" if not session.has_time(CHECKED) else None,
    ).run()
    ranked = sorted((size, actions) for actions, size in known.items() if size is not None)
    for _, actions in ranked:
        if is_right(session, list(actions)):
            return list(actions)
    return beginning


def size_of(session: Any, actions: list[int]) -> int | None:
    """Bytes of the object; None where a pass ends the session."""
    try:
        line = session.line()
        line.run(*actions)
        size = int(line.size())
        line.drop()
    except SessionLost:
        return None
    return size


def is_right(session: Any, actions: list[int]) -> bool:
    """Whether the program of this list gives the right outputs."""
    line = session.line()
    line.run(*actions)
    right = bool(line.is_right())
    line.drop()
    return right
