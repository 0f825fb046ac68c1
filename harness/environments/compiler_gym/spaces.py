"""CompilerGym's names of what is seen and paid, on a session's line."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from harness.apply import Compiled
from harness.base.errors import UsageError
from harness.environments.rewards import COSTS
from harness.freeze import FrozenModule
from harness.problems.passes.session import AUTOPHASE, Line
from harness.sandbox.bench import Bench
from harness.toolchain.elf import allocated_bytes, executable_bytes

__all__ = ["OBSERVATIONS", "REWARDS", "STOCK", "ActionSpace", "Place", "Reward", "View"]


@dataclass(frozen=True)
class Place:
    """Where an episode is: what observations are taken of."""

    line: Line
    frozen: FrozenModule
    bench: Bench


OBSERVATIONS: dict[str, Callable[[Place], Any]] = {
    "Ir": lambda at: at.line.text(),
    "Bitcode": lambda at: at.line.bitcode(),
    "IrInstructionCount": lambda at: at.line.count(),
    "IrInstructionCountO0": lambda at: at.frozen.instructions,
    "IrInstructionCountOz": lambda at: COSTS["ir.instructions"].of_oz(at.frozen, at.bench),
    "Autophase": lambda at: at.line.autophase(),
    "AutophaseDict": lambda at: dict(zip(AUTOPHASE, at.line.autophase().tolist(), strict=True)),
    "InstCount": lambda at: at.line.opcodes(),
    "InstCountNorm": lambda at: (at.line.opcodes()[1:] / max(int(at.line.opcodes()[0]), 1)).astype(np.float32),
    "Programl": lambda at: at.line.graph(),
    "ObjectTextSizeBytes": lambda at: at.line.object_size().text,
    "ObjectAllocSizeBytes": lambda at: at.line.object_size().alloc,
    "ObjectAllocSizeOz": lambda at: COSTS["size.alloc"].of_oz(at.frozen, at.bench),
}
"""Name → how it is seen. The two of allocated bytes are this harness's own."""


@dataclass(frozen=True, slots=True)
class Reward:
    """How a step is paid: what it saves of an observation, divided by something that the episode begins with."""

    cost: str
    scale: Callable[[float, Place], float]
    """From the cost at the start."""


def _over(oz: str) -> Callable[[float, Place], float]:
    return lambda start, at: max(start - OBSERVATIONS[oz](at), 1)


def _plain(_start: float, _at: Place) -> float:
    return 1.0


def _normalised(start: float, _at: Place) -> float:
    return max(start, 1)


REWARDS = {
    "IrInstructionCount": Reward("IrInstructionCount", _plain),
    "IrInstructionCountNorm": Reward("IrInstructionCount", _normalised),
    "IrInstructionCountOz": Reward("IrInstructionCount", _over("IrInstructionCountOz")),
    "ObjectTextSizeBytes": Reward("ObjectTextSizeBytes", _plain),
    "ObjectTextSizeNorm": Reward("ObjectTextSizeBytes", _normalised),
    "ObjectAllocSizeBytes": Reward("ObjectAllocSizeBytes", _plain),
    "ObjectAllocSizeOz": Reward("ObjectAllocSizeBytes", _over("ObjectAllocSizeOz")),
}
"""Name → reward."""


_AROUND = frozenset({"opt", "input.bc", "-o", "output.bc"})
"""Words of a command line that are no passes."""
_MOST_ACTIONS = 10_000


STOCK: dict[str, Callable[[Compiled], int]] = {
    "IrInstructionCount": lambda made: made.ir_instructions,
    "ObjectTextSizeBytes": lambda made: executable_bytes(made.object),
    "ObjectAllocSizeBytes": lambda made: allocated_bytes(made.object),
}
"""The cost of a reward → the same of what stock tools make."""


class ActionSpace(Discrete):
    """Numbers of passes, with their names."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        """``names``: by number."""
        super().__init__(len(names))
        self.name = name
        self.names = list(names)
        self.flags = [f"-{one}" for one in names]

    def to_string(self, actions: Iterable[int]) -> str:
        """As a command line of opt."""
        return " ".join(["opt", *(self.flags[action] for action in actions), "input.bc", "-o", "output.bc"])

    def from_string(self, commandline: str) -> list[int]:
        """The actions of a command line. Raises UsageError for what is none of them."""
        words = [word for word in commandline.split() if word not in _AROUND]
        unknown = next((word for word in words if word not in self.flags), None)
        if unknown is not None:
            raise UsageError(f"{unknown[:100]!r} is no action of {self.name}")
        if len(words) > _MOST_ACTIONS:
            raise UsageError(f"{len(words)} actions: a list has at most {_MOST_ACTIONS}")
        return [self.flags.index(word) for word in words]


class View(Mapping[str, Any]):
    """What can be had by name: ``env.observation["Ir"]``, or ``env.observation.Ir()``."""

    def __init__(self, spaces: Mapping[str, Any], of: Callable[[str], Any]) -> None:
        """``of``: what a name has now."""
        self.spaces = dict(spaces)
        self._of = of

    def __getitem__(self, name: str) -> Any:
        """Of now. Raises KeyError for an unknown name."""
        if name not in self.spaces:
            raise KeyError(f"{name}: there are {', '.join(self.spaces)}")
        return self._of(name)

    def __getattr__(self, name: str) -> Callable[[], Any]:
        """The same, to be called. Raises AttributeError for an unknown name."""
        if name.startswith("_") or name not in self.spaces:
            raise AttributeError(name)
        return lambda: self._of(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.spaces)

    def __len__(self) -> int:
        return len(self.spaces)
