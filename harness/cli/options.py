"""Options that problems declare, on the verbs that have them: shown by ``--help``, refused where they mean nothing."""

import inspect
from collections.abc import Callable, Collection
from functools import wraps
from typing import Annotated, Any

import typer

from harness.base.options import Option
from harness.base.text import words
from harness.problems.registry import declared_options

__all__ = ["conditions", "was_given", "with_declared"]


def with_declared(*verbs: str, without: Collection[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The decorated command has the options that problems declare for the verbs, but for those ``without`` which it is.

    It gets those that the user gave as ``declared``, a dict.
    """
    known: dict[str, Option] = {}
    for verb in verbs:
        for options in declared_options(verb).values():
            known |= {name: option for name, option in options.items() if name not in {*known, *without}}

    def wrap(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def verb_(**arguments: Any) -> None:
            context = arguments.pop("context")
            values = {name: arguments.pop(name) for name in known}
            given = {name: _value(known[name], value) for name, value in values.items() if was_given(context, name)}
            command(**arguments, declared=given)

        own = [p for p in inspect.signature(command).parameters.values() if p.name != "declared"]
        keyword = [_CONTEXT, *(p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own)]
        signature = inspect.Signature([*keyword, *map(_parameter, known.values())])
        verb_.__signature__ = signature  # type: ignore[attr-defined]
        verb_.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
        del verb_.__wrapped__
        return verb_

    return wrap


_CONTEXT = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)


def _parameter(option: Option) -> inspect.Parameter:
    info = typer.Option(*option.spelt, help=option.help, min=option.low, max=option.high, rich_help_panel=option.about)
    kind: Any = list[str] | None if option.many else option.type
    default: Any = option.default
    if option.type is not bool and option.default is None and not option.many:
        kind = option.type | None
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def _value(option: Option, value: Any) -> Any:
    return words(value) if option.many else value


def was_given(context: typer.Context, name: str) -> bool:
    """Whether the user gave this option."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def conditions(declared: dict[str, Any]) -> dict[str, Any]:
    """Those of the options that restrict standings to conditions under which policies ran."""
    from harness.policy.tracks import all_conditions  # help is instant without it

    return {name: value for name, value in declared.items() if name in all_conditions()}
