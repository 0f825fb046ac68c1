"""Kind ``pass-sequence``: a list of passes that stock ``opt`` runs in place of clang's optimise step."""

from harness.policy.pass_sequence.kind import PassSequenceKind

__all__ = ["PassSequenceKind"]
