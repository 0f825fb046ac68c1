"""A small tree that says what allocates a function: grown so that programs execute least, and written as C++."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.learn.allocators.examples import ALLOCATIONS, Examples
from harness.problems.regalloc.features import FUNCTION_FEATURES

__all__ = ["Leaf", "Split", "Tree", "choices", "gains", "grown", "left_out", "source", "terms"]

_FEWEST = 3
"""Programs that must have functions on both sides of a split: one program's peculiarity is no rule."""
_PLACE = {tensor.name: place for place, tensor in enumerate(FUNCTION_FEATURES)}
_RATES = tuple(
    name
    for name in _PLACE
    if name in ("call_frequency", "accesses", "copies") or name.endswith(("_excess", "_over_calls"))
)
"""Features that are sums over what is expected to run: each is also looked at for each instruction that runs."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """All functions that come here have this allocation, by position in ``ALLOCATIONS``."""

    allocation: int


@dataclass(frozen=True, slots=True)
class Split:
    """A question about a function."""

    term: str
    """A feature, ``FEATURE/frequency``, or ``BANK_pressure-BANK_registers``."""
    most: float
    """Up to which value functions go to the left."""
    left: "Tree"
    right: "Tree"


Tree = Leaf | Split


def terms(features: NDArray[np.float64]) -> Mapping[str, NDArray[np.float64]]:
    """What may be asked: term → value of each function."""
    found = {name: features[:, place] for name, place in _PLACE.items()}
    frequency = np.maximum(found["frequency"], 1e-9)
    found |= {f"{name}/frequency": found[name] / frequency for name in _RATES}
    return found | {
        f"{bank}_pressure-{bank}_registers": found[f"{bank}_pressure"] - found[f"{bank}_registers"]
        for bank in ("general", "vector")
    }


def grown(examples: Examples, depth: int, least: float, among: Sequence[str] = ALLOCATIONS) -> Tree:
    """The tree that greedily saves most, each split at least ``least`` of one program's cycles.

    ``among``: the allocations that its leaves may have.
    """
    columns = np.array([ALLOCATIONS.index(name) for name in among])
    return _Growing(examples, terms(examples.features), columns, least).tree(np.arange(len(examples)), depth)


@dataclass(frozen=True)
class _Growing:
    examples: Examples
    known: Mapping[str, NDArray[np.float64]]
    columns: NDArray[np.int64]
    least: float

    def tree(self, here: NDArray[np.int64], depth: int) -> Tree:
        """Of these functions."""
        costs = self.examples.costs[:, self.columns]
        whole = costs[here].sum(axis=0)
        best = float(whole.min()) - self.least
        found: tuple[str, float] | None = None
        for term, values in self.known.items() if depth else ():
            order = here[np.argsort(values[here], kind="stable")]
            ordered = values[order]
            left = costs[order].cumsum(axis=0)
            cuts = np.nonzero(ordered[1:] > ordered[:-1])[0]
            if not len(cuts):
                continue
            cut_costs = left[cuts].min(axis=1) + (left[-1] - left[cuts]).min(axis=1)
            cut = int(cuts[cut_costs.argmin()])
            sides = order[: cut + 1], order[cut + 1 :]
            if cut_costs.min() < best and all(len(set(self.examples.programs[side])) >= _FEWEST for side in sides):
                best, found = float(cut_costs.min()), (term, float(ordered[cut] + ordered[cut + 1]) / 2)
        if found is None:
            return Leaf(int(self.columns[whole.argmin()]))
        term, most = found
        is_left = self.known[term][here] <= most
        left_tree, right_tree = (self.tree(here[side], depth - 1) for side in (is_left, np.logical_not(is_left)))
        return left_tree if left_tree == right_tree else Split(term, most, left_tree, right_tree)


def choices(tree: Tree, examples: Examples) -> NDArray[np.int64]:
    """(functions,): what each has."""
    known = terms(examples.features)

    def walk(tree: Tree) -> NDArray[np.int64]:
        if isinstance(tree, Leaf):
            return np.full(len(examples), tree.allocation)
        return np.where(known[tree.term] <= tree.most, walk(tree.left), walk(tree.right))

    return walk(tree)


def gains(tree: Tree, examples: Examples) -> Mapping[str, float]:
    """Program → cycles under Greedy over those under the tree, above 1 is better."""
    chosen = examples.costs[np.arange(len(examples)), choices(tree, examples)]
    return {
        str(program): float(examples.costs[mine, 0].sum() / chosen[mine].sum())
        for program in dict.fromkeys(examples.programs)
        if (mine := examples.programs == program).any()
    }


def left_out(examples: Examples, depth: int, least: float, among: Sequence[str] = ALLOCATIONS) -> float:
    """The geometric mean of each program's gain under the tree that is grown without it."""
    logs = [
        math.log(gains(grown(examples.without(program), depth, least, among), examples.of(program))[program])
        for program in map(str, dict.fromkeys(examples.programs))
    ]
    return math.exp(sum(logs) / len(logs))


def source(tree: Tree) -> str:
    """The tree as a submission's C++."""
    lines = [
        "// Says what allocates a function. Grown by python -m harness.learn.allocators from what functions of train",
        "// programs execute under each.",
        "",
        "Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {",
        "  const auto Is = [&](FunctionFeature Feature) { return Context.feature(Feature); };",
        "  const double Frequency = std::max(Is(FunctionFeature::frequency), 1e-9);",
        *_lines(tree, "  "),
        "}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _lines(tree: Tree, margin: str) -> list[str]:
    if isinstance(tree, Leaf):
        return [f"{margin}return Allocation::{_name(ALLOCATIONS[tree.allocation])};"]
    head = f"{margin}if ({_expression(tree.term)} <= {tree.most!r}) {{"
    return [head, *_lines(tree.left, margin + "  "), f"{margin}}}", *_lines(tree.right, margin)]


def _expression(term: str) -> str:
    if term.endswith("/frequency"):
        return f"Is(FunctionFeature::{term.removesuffix('/frequency')}) / Frequency"
    return " - ".join(f"Is(FunctionFeature::{name})" for name in term.split("-"))


def _name(allocation: str) -> str:
    """As ``native/regalloc/policy.h`` calls it."""
    return {"default": "Greedy", "pbqp": "PBQP"}.get(allocation, allocation.replace("-", "").capitalize())
