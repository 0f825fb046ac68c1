"""The table of all passes that ``opt --print-passes`` of LLVM 22 lists: what a submitted list may run, and why."""

from functools import cache

from harness.base.digest import digest_of
from harness.problems.passes.vetted.allowed import ALLOWED
from harness.problems.passes.vetted.record import PassRecord
from harness.problems.passes.vetted.refused import REFUSED

__all__ = ["VETTED", "PassRecord", "table_digest"]

VETTED: dict[str, PassRecord] = {**REFUSED, **ALLOWED}
"""Name, without parameters → what is known of the pass. A pass that is not here counts as refused."""


@cache
def table_digest() -> str:
    """Of all verdicts, whatever their reasons: with other verdicts a list is another policy."""
    return digest_of([[r.name, r.verdict, sorted(r.parameters)] for r in sorted(VETTED.values(), key=lambda r: r.name)])
