"""What is written beside a run on programs where ``--log-features`` is given."""

from harness.problems.programs.request import Request
from harness.problems.protocol import Session

__all__ = ["after_run"]


def after_run(request: Request, session: Session) -> list[str]:
    """Log functions and live ranges, if that was asked for. Returns remarks for people."""
    if not request.log_features:
        return []
    from harness.problems.regalloc.trajectories.run import log_allocations

    return [f"allocations and their features in {path}" for path in log_allocations(request, session)]
