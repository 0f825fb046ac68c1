"""What is known of a form without any policy of it."""

from dataclasses import dataclass

__all__ = ["Form"]


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write policies of a problem."""

    role: str = ""
    """Of its one file, in the manifest; empty: it has no file."""
    file: str = ""
    """What that file is usually called."""
    pure: bool = True
    """Whether only the harness's own code computes the decisions: asked again, it says the same."""
    by_chance: bool = False
    """Whether its policies may decide otherwise whenever they are asked: searches, unless they say that they do not."""
    in_steps: bool = False
    """Whether its policies decide by steps that are counted: runs of passes, looks at what came of them."""
    fields: frozenset[str] = frozenset()
    """Which of a manifest's ``seeds`` and ``values`` its policies have: what means nothing is refused."""
    modules: tuple[str, ...] = ()
    """Python modules that it takes, and that an extra of the package brings."""
