"""What a search of inlining decisions is started with."""

from pathlib import Path

from harness.problems.inlining.search import client, host, wire
from harness.problems.programs.session import job
from harness.problems.programs.session.relay import Budget
from harness.sandbox import Job

__all__ = ["host_digest", "search_job"]


def search_job(search: Path, seed: int, budget: Budget) -> Job:
    """What runs the file ``search`` with this seed."""
    return job.search_job(search, host, (client, wire), (str(seed), f"{budget.seconds:g}", str(budget.trials)), budget)


def host_digest() -> str:
    """Of what runs around a search, and of what accounts for what it uses."""
    return job.search_digest(Path(__file__).parent)
