"""Form ``choice``: allocations are tried on the whole program, and each function keeps the cheapest.

What it costs is what a static model says of its code. A search: what it tries is what it is scored on.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from harness.apply import Compiled, compile_plan, optimise
from harness.apply.decisions import Decided, Decisions
from harness.base.errors import CellError, UsageError
from harness.base.process import counted
from harness.base.vocabulary import Outcome, PolicyClass
from harness.freeze import FrozenModule
from harness.policy.form import Form
from harness.policy.policy import Policy
from harness.problems.programs.take import Made, costs_of_functions
from harness.problems.regalloc.ask import DEFAULT, ask
from harness.problems.regalloc.cost import Cost, cost_of, parse_cost
from harness.problems.regalloc.replay import OTHERS, PRIORITIES, REGALLOC, everywhere, is_allocation, replay_plan
from harness.sandbox.bench import Bench

__all__ = ["FORM", "Choice", "choice_of", "decide_choice"]

FORM = Form(by_chance=True, in_steps=True, fields=frozenset({"values"}))
"""It has no chance in it: its policies say ``deterministic = true``."""
_MOST = 256
_JUDGING = 5
"""How many times its budget may judging take: what is asked of llvm-mca is kept, and so no part of what it costs."""

_Costs = Mapping[str, Mapping[str, float]] | None
"""Of a candidate that compiles: metric → function → what it has of it; None where they cannot be told."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is tried, and by what it is judged."""

    functions: tuple[str, ...]
    """Priority functions, and allocators other than Greedy. Of those whose code costs the same, the first is kept."""
    cost: Cost
    """What that is."""


def choice_of(policy: Policy, where: str) -> Choice:
    """Raises UsageError, naming the field, for one that means nothing."""
    values, manifest = dict(policy.manifest.values), policy.manifest
    functions, said = values.pop("functions", None), str(values.pop("cost", "mca.static"))
    if manifest.policy_class is not PolicyClass.SEARCH or not manifest.deterministic:
        raise UsageError(
            "class: a policy of form 'choice' compiles the program many times and keeps the best", where=where,
            hint='class = "search" and deterministic = true',
        )  # fmt: skip
    for name in values:
        raise UsageError(f"values.{name}: a policy of form 'choice' has functions and cost", where=where)
    names = functions.split() if isinstance(functions, str) else []
    if strange := [name for name in names if not is_allocation(name)]:
        known = ", ".join((*PRIORITIES, *OTHERS))
        raise UsageError(f"values.functions: {strange[0]!r} is none of {known}", where=where)
    if not 1 <= len(names) <= _MOST or len(set(names)) < len(names):
        raise UsageError(f"values.functions: from 1 to {_MOST} different names with blanks between them", where=where)
    try:
        cost = parse_cost(said)
    except ValueError as error:
        hint = 'a sum, as in cost = "mca.static + 0.5 spills.static"'
        raise UsageError(f"values.cost: {error}", where=where, hint=hint) from None
    return Choice(tuple(names), cost)


def decide_choice(choice: Choice, budget: float, frozen: FrozenModule, bench: Bench) -> Decided:
    """Each function's cheapest of the candidates whose code of it can be judged; where there is none, the first that
    compiles.

    ``budget``: CPU seconds of code generation, which are what it is said to have cost; five times as many to judge what
    it gives, which the cache may have. Raises CellError where no candidate compiles, or one meets what may be the
    machine's fault: left out, the choice would depend on the machine; ``policy-timeout`` where the budget is spent
    before all have been tried.
    """
    started = time.monotonic()
    digests = {function: digest for function, digest, *_ in ask(DEFAULT, frozen, bench).body["functions"]}
    cpu = judging = 0.0
    costs: dict[str, _Costs] = {}
    failure: CellError | None = None
    for name in choice.functions:
        plan = replay_plan(everywhere(name, frozen.level), frozen.target)
        compiled: Compiled | None = None
        try:
            with counted() as used:
                compiled = compile_plan(frozen, plan, bench)
            cpu += compiled.cpu - optimise(frozen, plan, bench).cpu
        except CellError as error:
            failure = failure or _lasting(error)
            cpu += used.cpu
        if cpu > budget:
            raise _over(
                f"its {len(choice.functions)} functions took more than the {budget:g} CPU seconds of its budget"
            )
        if compiled is None:
            continue
        assert frozen.program is not None, "programs of suites have costs"
        with counted() as used:
            costs[name] = _judged(Made(frozen.program, frozen.target, frozen, plan, compiled), choice.cost, bench)
        judging += used.cpu
        if judging > _JUDGING * budget:
            raise _over(f"judging its functions took more than {_JUDGING} times its budget")
    if failure is not None and not costs:
        raise failure
    functions = [
        [function, digest, best, "0", []]
        for function, digest in digests.items()
        if (best := _cheapest(unquote(function), costs, choice.cost)) != "default"
    ]
    decisions = Decisions(REGALLOC, frozen.level, {"functions": functions})
    return Decided(decisions, cpu, time.monotonic() - started, trials=len(choice.functions))


def _judged(made: Made, cost: Cost, bench: Bench) -> _Costs:
    try:
        return costs_of_functions(made, list(cost), bench)
    except CellError as error:
        _lasting(error)
        return None


def _lasting(error: CellError) -> CellError:
    """The error, of what fails however often it is tried. Raises it where it may be the machine's fault."""
    if error.transient:
        raise error
    return error


def _cheapest(function: str, costs: Mapping[str, _Costs], cost: Cost) -> str:
    """The first of the cheapest candidates; the first of all where the function's cost is known under none."""
    known = {name: cost_of(function, parts, cost) for name, parts in costs.items() if parts is not None}
    known = {name: value for name, value in known.items() if not math.isnan(value)}
    return min(known or costs, key=lambda name: known.get(name, 0.0))


def _over(message: str) -> CellError:
    return CellError(Outcome.POLICY_TIMEOUT, message, transient=True)
