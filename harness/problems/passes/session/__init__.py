"""LLVM 22 in memory: a module that passes are run on one by one, in a process that may crash without harm.

``Session`` is the door; ``native/session`` is the process.
"""

from harness.problems.passes.session.observations import AUTOPHASE, Graph, ObjectSize
from harness.problems.passes.session.session import Line, Session, Step, StepLimits, session_digest
from harness.problems.programs.session.worker import SessionLost

__all__ = [
    "AUTOPHASE",
    "Graph",
    "Line",
    "ObjectSize",
    "Session",
    "SessionLost",
    "Step",
    "StepLimits",
    "session_digest",
]
