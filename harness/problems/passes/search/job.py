"""What a search of pass lists is started with."""

import json
from collections.abc import Sequence
from pathlib import Path

from harness.problems.passes.search import client, host
from harness.problems.passes.session import wire
from harness.problems.programs.session import job
from harness.problems.programs.session.relay import Budget
from harness.sandbox import Job

__all__ = ["host_digest", "search_job"]


def search_job(search: Path, seed: int, actions: Sequence[str], budget: Budget) -> Job:
    """What runs the file ``search`` with this seed, on the actions of these names."""
    words = (str(seed), f"{budget.seconds:g}", str(budget.trials), json.dumps(list(actions)))
    return job.search_job(search, host, (client, wire), words, budget)


def host_digest() -> str:
    """Of what runs around a search, and of what accounts for what it uses."""
    return job.search_digest(Path(__file__).parent, wire)
