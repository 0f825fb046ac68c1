"""The command line: parses, delegates, prints. One module a verb; heavy imports happen inside them."""

import sys

from harness.base.errors import HarnessError

__all__ = ["main"]


def main() -> None:
    """Entry point. Other packages may bring options of verbs, which are read with the verbs: one may be broken."""
    try:
        from harness.cli.main import main as run
    except HarnessError as error:
        from harness.cli.output import told

        sys.exit(told(error))
    run()
