"""What is written beside a run on programs where ``--log-features`` is given."""

from harness.problems.programs.request import Request
from harness.problems.protocol import Session

__all__ = ["after_run"]


def after_run(request: Request, session: Session) -> list[str]:
    """Log features and decisions, if that was asked for. Returns remarks for people."""
    if not request.log_features:
        return []
    from harness.problems.inlining.trajectories.run import log_trajectories

    path = log_trajectories(request, session)
    return [f"features and decisions in {path}"] if path else []
