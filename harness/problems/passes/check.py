"""Whether a pipeline may run, by the table of passes: one path for lists, decisions that are replayed, and actions."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from harness.freeze.facts import Fact
from harness.problems.passes.names import GONE, LEGACY_ACTIONS
from harness.problems.passes.pipeline import Element, PipelineError, elements, parse_pipeline
from harness.problems.passes.vetted import VETTED

__all__ = ["Condition", "PassRefusedError", "UnknownPassError", "pipeline_of_action", "refused_on", "varying", "vet"]

ADAPTORS = frozenset({"cgscc", "coro-cond", "devirt", "function", "loop", "loop-mssa", "machine-function", "module"})
"""What holds other passes in round brackets. LLVM 22 has no ``repeat``."""

_INTEGER = re.compile(r"\d{1,9}\Z", re.ASCII)


class PassRefusedError(ValueError):
    """A pipeline holds a pass that may not run on any module; the message names it and says why."""


class UnknownPassError(PassRefusedError):
    """A pipeline names a pass that the table does not have."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} is refused: this version of the harness has no verdict on it")
        self.name = name


@dataclass(frozen=True, slots=True)
class Condition:
    """A pass of a pipeline may run only on a module without ``unless``."""

    unless: Fact
    message: str
    """What to say where the module has it."""


def vet(pipeline: str) -> tuple[Condition, ...]:
    """What the pipeline asks of the module that it runs on.

    Raises PassRefusedError for a text that is no pipeline, and for a pass or parameter that is refused or unknown.
    """
    try:
        tree = parse_pipeline(pipeline)
    except PipelineError as error:
        raise PassRefusedError(f"{_shortened(pipeline)} is no pipeline: {error}") from None
    return tuple(condition for element in elements(tree) for condition in _vetted(element))


def varying(pipelines: Iterable[str]) -> tuple[str, ...]:
    """The passes of vetted pipelines whose results are known to vary from process to process, each once."""
    named = (element.name for text in pipelines for element in elements(parse_pipeline(text)))
    return tuple(dict.fromkeys(name for name in named if VETTED[name].varies))


def refused_on(conditions: Collection[Condition], facts: Collection[Fact]) -> str | None:
    """Why passes with these conditions may not run on a module with these facts; None where they may."""
    return next((condition.message for condition in conditions if condition.unless in facts), None)


def pipeline_of_action(action: str, facts: Collection[Fact]) -> str | None:
    """The pipeline that an action of the 42-action space runs on a module with these facts.

    None for an action that does nothing: LLVM has no such pass any more, or it would change what this module means.
    Raises KeyError for a name that is no action.
    """
    if action in GONE:
        return None
    pipeline = LEGACY_ACTIONS[action]
    return None if refused_on(vet(pipeline), facts) else pipeline


def _vetted(element: Element) -> Iterator[Condition]:
    record = VETTED.get(element.name)
    if record is None:
        raise UnknownPassError(element.name)
    if not record.allowed:
        raise PassRefusedError(f"{str(element)!r} is refused: {record.reason}")
    if element.inner is not None and element.name not in ADAPTORS:
        raise PassRefusedError(f"{str(element)!r} is refused: it cannot hold other passes in brackets")
    if element.inner is None and element.name in ADAPTORS:
        raise PassRefusedError(f"{str(element)!r} is refused: it names no passes in brackets")
    for parameter in (element.parameters or "").split(";"):
        if parameter and not _known(parameter, record.parameters):
            why = record.refused_parameters.get(parameter, "this harness knows no such parameter")
            raise PassRefusedError(f"{str(element)!r} is refused because of {parameter!r}: {why}")
    if record.unless is not None:
        yield Condition(
            record.unless,
            f"{str(element)!r} is refused on a module with {record.unless.value}, as this one: {record.reason}",
        )


def _known(parameter: str, parameters: Collection[str]) -> bool:
    if parameter in parameters:
        return True
    name, equals, value = parameter.rpartition("=")
    return bool(_INTEGER.match(value)) and f"{name}{equals}N" in parameters


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
