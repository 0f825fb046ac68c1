"""What verbs do with policies that choose passes."""

from harness.base.answers import Answer
from harness.problems.verbs import Asked, Context, Explainer

__all__ = ["EXPLAINERS"]


def _explain(context: Context, asked: Asked) -> Answer:
    """What each pass did, the shortest list that does the same, and bytes of functions and sections."""
    from harness.problems.passes.explain import explain_passes

    return explain_passes(context, asked)


EXPLAINERS: dict[str, Explainer] = {"passes": _explain}
