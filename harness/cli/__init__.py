"""The command line: parses, delegates, prints. One module a verb; heavy imports happen inside them."""

from harness.cli.main import main

__all__ = ["main"]
