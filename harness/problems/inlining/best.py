"""Form ``best``: a file with the best decisions that are known of each program.

Of a program it has the call sites that are decided otherwise than LLVM's own heuristic would; that heuristic decides
all others, as it meets them.
"""

from collections.abc import Mapping
from typing import Any

from harness.apply.decisions import Decided
from harness.freeze import FrozenModule
from harness.policy.form import Form
from harness.policy.policy import Policy
from harness.problems.inlining.guided import guided
from harness.problems.inlining.sites import Site, Who, body_fault, body_of, sites_of
from harness.problems.programs.best_known import BestFile
from harness.sandbox.bench import Bench

__all__ = ["BEST", "DECISIONS", "BestKnown", "read_sites", "written"]

BEST = "best"


def read_sites(found: Mapping[str, Any]) -> tuple[Site, ...]:
    """Decisions as ``written`` writes them. Raises KeyError, TypeError or ValueError for anything else, and for a site
    that is there twice.
    """
    sites = [[*site, Who.POLICY.value] for site in found["sites"]]
    body = {"functions": found["functions"], "sites": sites}
    if body_fault(body) is not None:
        raise ValueError
    read = tuple(sites_of(body))
    if len({(site.caller, site.callee, site.ordinal) for site in read}) < len(read):
        raise ValueError  # one of them would count, and people might read the other
    return read


def written(sites: tuple[Site, ...]) -> dict[str, Any]:
    """As the file has the decisions of one program."""
    body = body_of(sites)
    return {"functions": body["functions"], "sites": [site[:-1] for site in body["sites"]]}


DECISIONS = BestFile(
    "decisions",
    "decisions.json",
    "decisions",
    '"functions": ["NAME", ...], "sites": [[CALLER, CALLEE, ORDINAL, INLINE], ...]',
    read_sites,
    containers=1_000_000,
)
"""The file."""


class BestKnown:
    """How the problem's policies of this form are checked and asked."""

    form = Form(DECISIONS.role, DECISIONS.file, in_steps=True)

    def check(self, policy: Policy, where: str) -> None:
        """``ceiling = true``, and a file of this form."""
        DECISIONS.check(policy, where)

    def decide(self, policy: Policy, frozen: FrozenModule, bench: Bench) -> Decided:
        """The program's decisions. Raises CellError where the file has none."""
        best = DECISIONS.of(policy, frozen)
        return Decided(guided(frozen, best.found, bench).decisions, trials=best.trials, steps=0)
