"""Decisions to a compile plan: LLVM's own options, or the plugin that follows a list; nothing of a policy is needed."""

import re
from typing import Any

from harness.apply.decisions import Decisions
from harness.apply.plan import CompilePlan, clang_generate, clang_optimise
from harness.base.vocabulary import Level, Target
from harness.problems.regalloc.log import body_fault, log_of

__all__ = [
    *("ALLOCATIONS", "ALLOCATORS", "BY_FUNCTION", "EVICTIONS", "OTHERS", "PLUGIN", "PREFIX", "PRIORITIES", "REGALLOC"),
    *("everywhere", "is_allocation", "is_eviction", "is_priority", "known_options", "replay_plan"),
]

REGALLOC = "regalloc"
"""The problem, as decisions name it."""

PLUGIN = "regalloc"
"""Of ``native/``: the one plugin of all policies that decide in Greedy's place."""
PREFIX = "regalloc-policy"
"""Of its options."""

ALLOCATORS: dict[str, tuple[str, ...]] = {
    "greedy": ("-regalloc=greedy",),
    "basic": ("-regalloc=basic",),
    "pbqp": ("-regalloc=pbqp",),
    "fast": ("-regalloc=fast",),
    "fast-o0": ("-regalloc=fast", "-optimize-regalloc=false"),
}
"""Allocator → options of LLVM's code generator. ``fast`` has two meanings: the local allocator in the
optimising pipeline, and with that pipeline left out, as -O0 has it."""

PRIORITIES = ("default", "constant", "weight", "size", "small", "seeded-N")
"""Priority functions that the plugin has itself (``native/regalloc/functions.cpp``)."""

OTHERS = ("basic", "pbqp")
"""LLVM's allocators that a function may have in Greedy's place."""
ALLOCATIONS = ("default", *OTHERS, *PRIORITIES[1:-1], *(f"seeded-{seed}" for seed in range(16)))
"""What a policy may let allocate a function: Greedy with one of these priority functions, or another allocator
(``native/regalloc/policy.h`` has the same in the same order)."""
BY_FUNCTION = ("-regalloc=by-function",)
"""LLVM's option for the plugin's allocator, which lets another one allocate each function."""
EVICTIONS = ("default", "refuse", "cheapest")
"""Eviction functions that the plugin has itself (``native/regalloc/evicting.cpp``)."""

_FILE = "decisions.txt"
_SEEDED = re.compile(r"seeded-(0|[1-9]\d{0,8})")


def is_priority(name: Any) -> bool:
    """Whether the plugin has a priority function of this name."""
    return isinstance(name, str) and (name in PRIORITIES[:-1] or _SEEDED.fullmatch(name) is not None)


def is_allocation(name: Any) -> bool:
    """Whether a function can have this."""
    return is_priority(name) or name in OTHERS


def is_eviction(name: Any) -> bool:
    """Whether the plugin has an eviction function of this name."""
    return isinstance(name, str) and name in EVICTIONS


def known_options(function: str) -> tuple[str, ...]:
    """A function of the plugin's, or one of ``OTHERS``, for all functions of a module."""
    return (*BY_FUNCTION, f"-{PREFIX}=known", f"-{PREFIX}-function={function}")


def everywhere(allocation: str, level: Level) -> Decisions:
    """All functions allocated alike."""
    return Decisions(REGALLOC, level, {"allocator" if allocation in OTHERS else "priority": allocation})


def replay_plan(decisions: Decisions, target: Target) -> CompilePlan:
    """clang's plan, with the allocator chosen, or with another order of Greedy's queue, or other evictions.

    Raises CellError, ``not-replayable``, for decisions of another form.
    """
    body = decisions.body
    decisions.require(decisions.frozen_at is not None, "they name no level")
    files: tuple[tuple[str, str], ...] = ()
    plugin: str | None = PLUGIN
    if "allocator" in body:
        allocator = body["allocator"]
        decisions.require(len(body) == 1 and isinstance(allocator, str), "they name an allocator")
        decisions.require(allocator in ALLOCATORS, f"LLVM has no allocator {allocator!r}")
        options, plugin = ALLOCATORS[allocator], None
    elif "priority" in body:
        priority = body["priority"]
        decisions.require(len(body) == 1 and isinstance(priority, str), "they name a priority function")
        decisions.require(is_priority(priority), f"there is no priority function {priority!r}")
        options = known_options(priority)
    elif "eviction" in body:
        eviction = body["eviction"]
        decisions.require(len(body) == 1 and isinstance(eviction, str), "they name an eviction function")
        decisions.require(is_eviction(eviction), f"there is no eviction function {eviction!r}")
        options = (*known_options(eviction), f"-{PREFIX}-question=eviction")
    else:
        decisions.require((fault := body_fault(body)) is None, str(fault))
        options = (*BY_FUNCTION, f"-{PREFIX}=replay", f"-{PREFIX}-file={_FILE}")
        files = ((_FILE, log_of(body)),)
    generate = clang_generate(decisions.level, target, options, plugin, files)
    return CompilePlan(clang_optimise(decisions.level, target), generate)
