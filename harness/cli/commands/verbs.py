"""Verbs that problems declare, as commands: what they answer is printed here, alike for all."""

import inspect
import os
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer

from harness.base.answers import Answer
from harness.cli.commands.words import DEVELOP, Csv, Jobs, Json, Trust, examples, format_of
from harness.cli.output import Format, LineProgress, RichProgress, note, observer, tell
from harness.problems.verbs import Verb, verbs

if TYPE_CHECKING:
    from harness.base.engine import Engine
    from harness.sandbox.bench import Bench

__all__ = ["Opened", "add_verbs", "answered"]

_OWN: dict[str, Any] = {"jobs": Jobs, "trust": Trust, "as_json": Json, "as_csv": Csv}
"""What the command line itself has of every verb that can have it."""


class Opened:
    """See ``harness.problems.verbs.Context``: everything is opened when it is asked for."""

    def __init__(self, jobs: int | None = None, *, trust: bool = False) -> None:
        self._jobs, self._trust = jobs, trust

    @cached_property
    def engine(self) -> "Engine":
        """As many workers as were asked for, or as there are cores."""
        from harness.run.engines import local_engine

        return local_engine(self._jobs or len(os.sched_getaffinity(0)))

    @cached_property
    def observer(self) -> LineProgress | RichProgress:
        """Who is shown its progress."""
        return observer()

    def bench(self, compile_timeout: float = 60.0) -> "Bench":
        """A workbench, opened now."""
        from harness.sandbox.bench import open_bench

        return open_bench(compile_timeout, trust=self._trust)

    def close(self) -> None:
        """Leave the terminal as it was."""
        if "observer" in self.__dict__:
            self.observer.close()


def answered(ask: Callable[[Opened], Answer], opened: Opened, format_: Format, kept: str) -> int:
    """Print what is answered; the exit code. ``kept``: what an interruption leaves."""
    try:
        answer = ask(opened)
    except KeyboardInterrupt:
        note(f"interrupted: {kept}" if kept else "interrupted")
        return 130
    finally:
        opened.close()
    return tell(answer, format_)


def add_verbs(app: typer.Typer) -> None:
    """Give the app every verb that a problem declares."""
    for word, verb in verbs().items():
        app.command(word, rich_help_panel=DEVELOP, epilog=examples(*verb.examples))(_command(verb))


def _command(verb: Verb) -> Callable[..., None]:
    def command(**arguments: Any) -> None:
        own = {name: arguments.pop(name, None) for name in _OWN}
        opened = Opened(own["jobs"], trust=bool(own["trust"]))
        format_ = format_of(bool(own["as_json"]), bool(own["as_csv"]))
        raise typer.Exit(answered(lambda context: verb.run(context, **arguments), opened, format_, verb.kept))

    given = {"jobs": verb.jobs, "trust": verb.trust, "as_json": verb.tables, "as_csv": verb.tables}
    keyword = inspect.Parameter.KEYWORD_ONLY
    _, *theirs = inspect.signature(verb.run).parameters.values()
    ours = [
        inspect.Parameter(name, keyword, default=None if name == "jobs" else False, annotation=_OWN[name])
        for name, has in given.items()
        if has
    ]
    signature = inspect.Signature([*(one.replace(kind=keyword) for one in theirs), *ours])
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
    command.__doc__ = verb.run.__doc__
    return command
