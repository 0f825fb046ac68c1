"""The command line as a whole: every command, and what becomes of errors. Everything else is imported when one runs."""

import gc
import sys
from collections.abc import Callable
from typing import Annotated, cast

import typer

import harness
from harness.base.errors import HarnessError, UsageError
from harness.cli.commands import corpus, look, machine, measure, submissions, suites
from harness.cli.commands.verbs import add_verbs
from harness.cli.commands.words import examples
from harness.cli.output import told
from harness.cli.streams import abandon_output, finish_output, output_error, prepare_streams

__all__ = ["main"]

_Refused = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])
"""What typer raises for words that a command does not take: it has no public name."""
_OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""A command makes many objects that stay, and hardly any circles: the usual 700 would cost a tenth of a short one."""

app = typer.Typer(
    name="harness",
    help="Compare optimisation policies on stock LLVM 22: learned or hand-written, on the same programs, "
    "under the same measurement.",
    epilog=examples(
        "harness run --suite cbench --benchmark crc32,sha",
        "harness leaderboard",
        "harness run --help",
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _say_version(given: bool) -> None:
    if given:
        typer.echo(f"harness {harness.__version__}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_say_version)
    ] = False,
) -> None:
    """Options before the command."""


for _commands in (measure, suites, look, submissions, corpus, machine):
    _commands.add(app)
add_verbs(app)


def main() -> None:
    """Entry point: errors that a user can cause become one message and an exit code."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    prepare_streams()
    sys.exit(_run())


def _run() -> int:
    """Run the command; its exit code."""
    try:
        code = _code_of(app)
        finish_output()
    except BrokenPipeError:  # the reader of our output (head, less) went away
        abandon_output()
        return 0
    except HarnessError as error:
        return told(error)
    except OSError as error:
        abandon_output()
        return told(output_error(error))
    return code


def _code_of(command: Callable[..., object]) -> int:
    """The exit code that a command ends with. Raises UsageError for words that it does not take."""
    try:
        answer = command(standalone_mode=False)
    except _Refused as error:
        text = error.format_message().strip().rstrip(".")
        if not text or error.ctx is None:  # help was printed, since nothing was given
            return UsageError.exit_code
        raise UsageError(text[:1].lower() + text[1:], hint=f"see `{error.ctx.command_path} --help`") from None
    except typer.Abort:
        return 130
    return answer if isinstance(answer, int) else 0
