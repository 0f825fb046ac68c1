"""From lists that serve one program each to few that serve all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.learn.pass_lists.trials import Actions

__all__ = ["Choice", "Table", "chosen", "left_out"]


@dataclass(frozen=True)
class Table:
    """Gains of every list on every program."""

    programs: tuple[str, ...]
    lists: tuple[Actions, ...]
    gains: NDArray[np.float64]
    """(lists, programs): log of size.alloc of clang -Oz over that of the list; -inf where it breaks."""
    homes: tuple[frozenset[str], ...]
    """Of each list, the programs on which it was found."""


@dataclass(frozen=True)
class Choice:
    """A portfolio."""

    lists: tuple[int, ...]
    """Positions in the table, in the order in which they were chosen."""
    means: tuple[float, ...]
    """Mean gain of the best of the first 1, 2, … lists, over all programs."""


def chosen(
    table: Table,
    size: int,
    allowed: Sequence[bool] | NDArray[np.bool_] | None = None,
    over: Sequence[bool] | NDArray[np.bool_] | None = None,
    weights: NDArray[np.float64] | None = None,
    first: Sequence[int] = (),
) -> Choice:
    """One list after the other: each time the one that raises the mean of the best of all chosen the most.

    ``allowed``: lists that may be taken; ``over``: programs that the mean is over; ``weights``: theirs in it.
    ``first``: lists that are taken before any other.
    """
    columns = np.ones(len(table.programs), bool) if over is None else np.asarray(over)
    gains = np.where(np.isfinite(table.gains), table.gains, -1.0)[:, columns]
    shares = np.ones(gains.shape[1]) if weights is None else weights[columns]
    usable = np.ones(len(table.lists), bool) if allowed is None else np.asarray(allowed)
    best = np.full(gains.shape[1], -1.0)
    taken: list[int] = []
    means: list[float] = []
    for _ in range(min(size, int(usable.sum()))):
        raised = np.average(np.maximum(gains, best), axis=1, weights=shares)
        raised[~usable] = -np.inf
        taken.append(first[len(taken)] if len(taken) < len(first) else int(raised.argmax()))
        best = np.maximum(best, gains[taken[-1]])
        usable = usable.copy()
        usable[taken[-1]] = False
        means.append(float(np.average(best, weights=shares)))
    return Choice(tuple(taken), tuple(means))


def left_out(table: Table, size: int, clusters: Mapping[str, str], first: Sequence[int] = ()) -> NDArray[np.float64]:
    """(programs,): the gain on each program of a portfolio that was chosen without it.

    Its own lists are no candidates, nor those of its cluster; the mean is over the others.
    """
    found = []
    for column, program in enumerate(table.programs):
        family = {other for other in table.programs if clusters[other] == clusters[program]}
        allowed = [not homes & family for homes in table.homes]
        over = [other not in family for other in table.programs]
        choice = chosen(table, size, allowed, over, first=first)
        found.append(max(table.gains[position, column] for position in choice.lists))
    return np.array(found)
