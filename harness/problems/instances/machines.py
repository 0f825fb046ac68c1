"""Names the machines that solvers ran on, and who ran on which as soon as there are two."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from harness.problems.instances.entries import SolverFigure
from harness.problems.instances.sides import by_policy
from harness.rank.words import PUBLISHED

__all__ = ["NOT_PUBLISHED", "machine_lines", "machines_called"]

NOT_PUBLISHED = "not published"
"""In the place of what nobody has said of others' machines."""


def machines_called(figures: Iterable[SolverFigure]) -> dict[str, str]:
    """Machine → its CPU's name, with what else tells it apart where two have CPUs of one name. Measured ones alone."""
    names = {figure.machine: figure.cpu for figure in figures if figure.machine is not None and figure.cpu is not None}
    shared = {cpu for cpu in names.values() if list(names.values()).count(cpu) > 1}
    return {machine: f"{cpu} ({machine})" if cpu in shared else cpu for machine, cpu in sorted(names.items())}


def machine_lines(figures: Sequence[SolverFigure]) -> Iterator[str]:
    """One line: the machine, or of several, who ran on which. Costs after a time limit depend on it."""
    mine = [figure for figure in figures if figure.policy_class != PUBLISHED]
    called = machines_called(mine)
    others = {
        _words(figure, figure.cpu) for figure in figures if figure.policy_class == PUBLISHED and figure.cores
    }  # fmt: skip
    beside = f"; published rows on {', '.join(sorted(others))}" if others else ""
    if len(called) == 1:
        used = {_words(figure, called[figure.machine]) for figure in mine if figure.machine in called}
        yield f"measured on {', '.join(sorted(used))}{beside}"
    elif called:
        said = ". ".join(f"{words}: {', '.join(who)}" for words, who in _users(mine, called).items())
        yield (
            f"measured on {len(called)} machines; costs after a time limit are comparable only within one. "
            f"{said}{beside}"
        )


def _users(mine: Sequence[SolverFigure], called: Mapping[str, str]) -> dict[str, list[str]]:
    """Machine, in words → who ran on it; of whoever ran on others too, on how many instances."""
    found: dict[str, list[str]] = defaultdict(list)
    for policy, own in by_policy(mine).items():
        ran = [figure for figure in own if figure.machine in called]
        places = [_words(figure, called[figure.machine or ""]) for figure in ran]
        for place in sorted(set(places)):
            part = f" ({places.count(place)} of {len(own)} instances)" if places.count(place) < len(ran) else ""
            found[place].append(f"{policy}{part}")
    return dict(sorted(found.items()))


def _words(figure: SolverFigure, cpu: str | None) -> str:
    cores = f"{figure.cores} core{'s' if figure.cores != 1 else ''}"
    return f"{cores} of {cpu or f'a CPU that is {NOT_PUBLISHED}'}"
