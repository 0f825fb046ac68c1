"""Features from decisions alone: the plugin follows them and writes down what a policy would have seen.

So every policy's trajectory is taken alike, without the policy. ``native/regalloc/features.h`` has the plugin's format.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from harness.apply import optimise
from harness.apply.decisions import Decisions
from harness.apply.plan import CompilePlan, clang_generate
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule
from harness.policy.forms.interface import Element, Tensor
from harness.problems.programs.problems import plan_of
from harness.problems.programs.trajectories import features_of
from harness.problems.regalloc.evictions import SLOT_FEATURES
from harness.problems.regalloc.features import FUNCTION_FEATURES, RANGE_FEATURES
from harness.problems.regalloc.replay import OTHERS, PLUGIN, PREFIX, REGALLOC, known_options, replay_plan
from harness.sandbox.bench import Bench

__all__ = ["OUTCOMES", "Allocated", "Asked", "Evicting", "Slot", "parsed", "trajectory"]

OUTCOMES = ("assigned", "spilled", "split")
"""What may become of a live range: it has a register, or a place on the stack; or it is there no more."""
_FLOAT = struct.Struct("=f")
_NAMED = {"greedy": "default", **{name: name for name in OTHERS}}
"""LLVM's allocator → what the plugin calls it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a priority."""

    step: int
    """How many questions about the function came before."""
    register: int
    """Index of the virtual register. Greedy may ask about it several times."""
    priority: int
    """What was given."""
    features: tuple[int | float, ...]
    """In the order of ``RANGE_FEATURES``."""
    outcome: str
    """What became of the live range: one of ``OUTCOMES``."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A register that could be freed, or that none is."""

    slot: int
    features: tuple[int | float, ...]
    """In the order of ``SLOT_FEATURES``."""


@dataclass(frozen=True, slots=True)
class Evicting:
    """A question about an eviction."""

    step: int
    """How many such questions about the function came before."""
    register: int
    """Index of the virtual register that is to have another one's place."""
    slot: int
    """Which was named."""
    default: int
    """Which Greedy's own function names."""
    progress: float
    """LLVM's feature of that name: what is left in the queue, as a share of what was in it first."""
    slots: tuple[Slot, ...]
    """What could be named."""


@dataclass(frozen=True, slots=True)
class Allocated:
    """A function whose registers were allocated."""

    name: str
    """As in logs: ``%xx`` for what is no printable ASCII."""
    digest: str
    """Of its code before, in hexadecimal."""
    allocation: str
    """What allocated it: an allocation by name, or ``listed``."""
    features: tuple[int | float, ...]
    """In the order of ``FUNCTION_FEATURES``."""
    questions: tuple[Asked, ...]
    evictions: tuple[Evicting, ...] = ()


def trajectory(decisions: Decisions, frozen: FrozenModule, bench: Bench) -> list[Allocated]:
    """What a policy that took these decisions saw, function by function; nothing where LLVM's ``fast`` allocated.

    Decisions of another problem leave the allocation to Greedy: what one saw that decides as it does.

    Raises CellError: ``not-replayable`` for another module's.
    """
    plan = _through_plugin(decisions, frozen)
    if plan is None:
        return []
    source = optimise(frozen, plan, bench).bitcode
    return parsed(features_of(plan.generate, PREFIX, source, bench).decode("ascii"))


def _through_plugin(decisions: Decisions, frozen: FrozenModule) -> CompilePlan | None:
    """The plan of decisions; where they name an allocator of LLVM's that the plugin has, that through the plugin."""
    if decisions.problem != REGALLOC:
        return _by_greedy(plan_of(decisions, frozen.target), decisions.level, frozen.target)
    plan = replay_plan(decisions, frozen.target)
    if "allocator" not in decisions.body:
        return plan
    name = _NAMED.get(decisions.body["allocator"])
    if name is None:
        return None
    return replace(plan, generate=clang_generate(decisions.level, frozen.target, known_options(name), PLUGIN))


def _by_greedy(plan: CompilePlan, level: Level, target: Target) -> CompilePlan | None:
    """A plan whose code clang generates as usual, through the plugin; None at -O0, where Greedy has no part."""
    if level is Level.O0 or plan.generate != clang_generate(level, target):
        return None
    return replace(plan, generate=clang_generate(level, target, known_options("default"), PLUGIN))


@dataclass(slots=True)
class _Lines:
    """What a file has of a function, as it stands there."""

    head: list[str]
    questions: list[list[str]] = field(default_factory=list)
    evictions: list[tuple[list[str], list[list[str]]]] = field(default_factory=list)
    """Each with its slots."""
    outcomes: dict[str, str] = field(default_factory=dict)


def parsed(text: str) -> list[Allocated]:
    """The functions of a file of the plugin's, which nobody else had a part in."""
    *lines, end = text.splitlines()
    assert end == "end"
    functions: list[_Lines] = []
    for line in lines:
        kind, *words = line.split(" ")
        match kind:
            case "f":
                functions.append(_Lines(words))
            case "q":
                functions[-1].questions.append(words)
            case "e":
                functions[-1].evictions.append((words, []))
            case "s":
                functions[-1].evictions[-1][1].append(words)
            case _:
                register, outcome = words
                functions[-1].outcomes[register] = outcome
    return [_allocated(function) for function in functions]


def _allocated(lines: _Lines) -> Allocated:
    name, digest, allocation, *features = lines.head
    asked = tuple(
        Asked(int(step), int(register), int(priority), _numbers(seen, RANGE_FEATURES), lines.outcomes[register])
        for step, register, priority, *seen in lines.questions
    )
    evictions = tuple(_evicting(words, slots) for words, slots in lines.evictions)
    return Allocated(name, digest, allocation, _numbers(features, FUNCTION_FEATURES), asked, evictions)


def _evicting(words: list[str], slots: list[list[str]]) -> Evicting:
    *whole, progress = words
    step, register, slot, default = map(int, whole)
    could_be = tuple(Slot(int(number), _numbers(seen, SLOT_FEATURES)) for number, *seen in slots)
    return Evicting(step, register, slot, default, _float32(progress), could_be)


def _numbers(words: list[str], tensors: Sequence[Tensor]) -> tuple[int | float, ...]:
    return tuple(
        int(word) if tensor.element is Element.INT64 else _float32(word)
        for word, tensor in zip(words, tensors, strict=True)
    )


def _float32(word: str) -> float:
    (value,) = _FLOAT.unpack(_FLOAT.pack(float(word)))
    return float(value)
