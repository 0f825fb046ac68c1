"""The command line: parses, delegates, prints. One module a verb; heavy imports happen inside them."""

import sys

from harness.base.errors import HarnessError

__all__ = ["main"]


def main() -> None:
    """Entry point: an error that a user can cause is one message, wherever it comes from.

    Other packages may bring options of verbs, which are read with the verbs: one may be broken. And a part of the
    harness may need a package that is not installed.
    """
    try:
        from harness.cli.app import main as run

        run()
    except HarnessError as error:
        from harness.cli.output import told

        sys.exit(told(error))
    except ModuleNotFoundError as error:
        from harness.base.extras import missing

        if error.name is None or error.name.partition(".")[0] == "harness":
            raise
        problem = missing(error.name)
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(problem.exit_code)
