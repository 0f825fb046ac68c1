"""What is written beside a run on programs where ``--log-features`` is given."""

from harness.base.digest import digest_of
from harness.problems.programs.request import Request
from harness.problems.protocol import Session
from harness.record.runfile import TRAJECTORIES

__all__ = ["after_run"]


def after_run(request: Request, session: Session) -> list[str]:
    """Log features and decisions, if that was asked for. Returns remarks for people."""
    if not request.extras.get("log_features"):
        return []
    from harness.problems.inlining.trajectories.run import log_trajectories

    recorder = session.recorder
    name = f"{request.suite.name}-{request.track}-{digest_of(request.identity)[:12]}{TRAJECTORIES}"
    path = log_trajectories(
        recorder.results / name, request.cells, recorder.rows, session.bench, session.engine, session.observer
    )
    return [f"features and decisions in {path}"] if path else []
